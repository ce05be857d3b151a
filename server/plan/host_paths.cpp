// The paths of a request. A field that is missing here is neither looked up nor held against the operator's policy.
#include "plan/host_paths.hpp"

#include "plan/profile.hpp"

namespace cocoon {

std::string HostPath::where() const {
  const std::string text = std::string(field) + " " + given;
  return step == 0 ? text : "step " + std::to_string(step) + ": " + text;
}

std::vector<HostPath> host_paths(const Request& request) {
  std::vector<HostPath> paths;
  const auto add = [&paths](std::string_view field, const std::string& given, bool writable, std::size_t step = 0) {
    if (!given.empty()) paths.push_back({field, given, writable, step});
  };
  add("rootfs", request.rootfs, !is_rootfs_readonly(request));
  for (const ExtraMount& mount : request.mounts) add("mount", mount.source, mount.writable);
  for (const std::string& path : request.ro) add("ro", path, false);
  add("work", request.work, true);
  for (const std::string& path : request.copy) add("copy", path, false);
  add("temp", request.temp, true);
  add("file", request.file, false);
  std::size_t number = 0;
  for (const Request& step : request.steps) add("file", step.file, false, ++number);
  return paths;
}

bool names_host_path(const Field& field) {
  return field.type == FieldType::path || field.type == FieldType::path_list || field.name == "mount";
}

}  // namespace cocoon
