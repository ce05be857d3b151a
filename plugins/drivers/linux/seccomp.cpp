// Seccomp: the last wall, installed just before init is executed; the programs are compiled at build time.
#include "features.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <iterator>

namespace cocoon::linux_driver {
namespace {
#include "seccomp_filters.inc"

struct NamedFilter {
  std::string_view name;
  const sock_filter* program;
  unsigned short length;
};
constexpr NamedFilter filters[] = {
    {"default", filter_default, std::size(filter_default)},
    {"no-memfd", filter_no_memfd, std::size(filter_no_memfd)},
};

}  // namespace

Result<void> add_seccomp(Steps& steps, const std::string& filter_name) {
  if (filter_name.empty()) return {};
  for (const NamedFilter& filter : filters) {
    if (filter.name != filter_name) continue;
    const sock_fprog program{filter.length, const_cast<sock_filter*>(filter.program)};
    steps.add("install the seccomp filter", SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, steps.keep_value(program));
    return {};
  }
  return fail("bad_plan", "this driver has no seccomp filter named '" + filter_name + "'", "stages[].seccomp",
              "use 'default' or 'no-memfd'");
}

}  // namespace cocoon::linux_driver
