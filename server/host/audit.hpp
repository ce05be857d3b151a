// The operator's record of calls that run something: a line of JSON when a run begins, one when it ends, one for a refusal.
#pragma once

#include "host/os/append_file.hpp"
#include "host/policy.hpp"

#include <cocoon/outcome.hpp>
#include <cocoon/result.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace cocoon {

class Audit {
 public:
  struct Call {
    std::string_view caller;
    std::string_view tool;
  };

  // An empty file name: no record is wanted.
  static Result<std::unique_ptr<Audit>> open(const std::string& file, bool with_code);

  // [any thread, all of them] Where a line can't be written, it and all that follow fail.
  //
  // Before a run, which must not begin if this fails. Returns the name under which the end is recorded.
  Result<std::string> begin(const Call& call, const Request& request, std::string_view driver);
  Result<void> end(const Call& call, const std::string& run, const Result<Outcome>& outcome);
  // Nothing was run. request: nothing where it could not be read.
  Result<void> refused(const Call& call, const std::optional<Request>& request, const Error& error);

 private:
  Audit(os::AppendFile file, bool with_code) : file_(std::move(file)), with_code_(with_code) {}

  Result<void> append(const std::string& line);

  std::mutex mutex_;
  os::AppendFile file_;
  const bool with_code_;
  bool broken_ = false;
};

}  // namespace cocoon
