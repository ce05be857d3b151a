// The operator's record: one line of JSON for each run, and for each that was refused.
#pragma once

#include "host/os/append_file.hpp"
#include "host/policy.hpp"

#include <cocoon/outcome.hpp>
#include <cocoon/result.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace cocoon {

class Audit {
 public:
  // An empty file name: no record is wanted.
  static Result<std::unique_ptr<Audit>> open(const std::string& file, bool with_code);

  // [any thread] Fails where the record can't be written; from then on all that follow fail as well.
  Result<void> record(std::string_view caller, std::string_view tool, const Request& request,
                      const Result<Outcome>& outcome);
  // Whether what is run now would be recorded.
  Result<void> check();

 private:
  Audit(os::AppendFile file, bool with_code) : file_(std::move(file)), with_code_(with_code) {}

  std::mutex mutex_;
  os::AppendFile file_;
  bool with_code_;
  bool broken_ = false;
};

}  // namespace cocoon
