// The embeddable engine's C functions: C++ types, exceptions and allocations stay on this side of them.
#include "host/engine.hpp"

#include "host/info.hpp"
#include "host/os/signals.hpp"
#include "plan/text.hpp"

#include <cocoon/engine.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>

struct cocoon_engine {
  explicit cocoon_engine(cocoon::EngineOptions options) : engine(std::move(options)) {}
  cocoon::Engine engine;
};

struct cocoon_engine_cancel {
  cocoon::os::Event event;
};

namespace {

using cocoon::Error;
using cocoon::Result;

void put(cocoon_sink sink, std::string_view text) {
  if (sink.write != nullptr) sink.write(sink.ctx, text.data(), text.size());
}

cocoon_status refuse(cocoon_sink sink, const Error& error) {
  put(sink, cocoon::error_json(error));
  if (error.code == "internal") return COCOON_INTERNAL;
  const bool is_about_host = error.code == "no_driver" || error.code == "driver_unusable" || error.code == "system" ||
                             error.code == "runtime_missing" || error.code == "runtime_broken" ||
                             error.code.starts_with("plugin_");
  return is_about_host ? COCOON_UNAVAILABLE : COCOON_BAD_INPUT;
}

// No exception may reach the caller, which may be C.
template <typename Body>
cocoon_status guarded(cocoon_sink sink, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& e) {
    try {
      put(sink, cocoon::error_json({"internal", std::string("the engine failed: ") + e.what(), {}, {}}));
    } catch (...) {
      put(sink, R"({"code":"internal","message":"the engine ran out of memory"})");
    }
  } catch (...) {
    put(sink, R"({"code":"internal","message":"the engine failed"})");
  }
  return COCOON_INTERNAL;
}

std::vector<std::string> split_folders(std::string_view folders) {
  std::vector<std::string> list;
  for (const std::string_view folder : cocoon::split(folders, ':')) {
    if (!folder.empty()) list.emplace_back(folder);
  }
  return list;
}

// Fields that an older caller does not know keep their defaults.
cocoon::EngineOptions read_options(const cocoon_engine_options* given) {
  cocoon::EngineOptions options;
  if (given == nullptr) return options;
  cocoon::Policy& policy = options.policy;
  if (COCOON_HAS(cocoon_engine_options, given, max_timeout_ms)) policy.max_timeout_ms = given->max_timeout_ms;
  if (COCOON_HAS(cocoon_engine_options, given, max_memory_kib)) policy.max_memory_kib = given->max_memory_kib;
  if (COCOON_HAS(cocoon_engine_options, given, max_pids)) policy.max_pids = given->max_pids;
  if (COCOON_HAS(cocoon_engine_options, given, max_output_bytes)) policy.max_output_bytes = given->max_output_bytes;
  if (COCOON_HAS(cocoon_engine_options, given, max_disk_kib)) policy.max_disk_kib = given->max_disk_kib;
  if (COCOON_HAS(cocoon_engine_options, given, plugin_folders) && given->plugin_folders != nullptr) {
    options.plugins.folders = split_folders(given->plugin_folders);
  }
  if (COCOON_HAS(cocoon_engine_options, given, deny_host_network)) {
    policy.host_network = given->deny_host_network == 0;
  }
  return options;
}

cocoon_run_io read_io(const cocoon_run_io* given) {
  cocoon_run_io io = {sizeof io, nullptr, nullptr, {-1, -1}, -1, -1, nullptr};
  if (given == nullptr) return io;
  if (COCOON_HAS(cocoon_run_io, given, write)) {
    io.ctx = given->ctx;
    io.write = given->write;
  }
  if (COCOON_HAS(cocoon_run_io, given, step)) io.step = given->step;
  if (COCOON_HAS(cocoon_run_io, given, busy_fd)) {
    io.busy_fd[0] = given->busy_fd[0];
    io.busy_fd[1] = given->busy_fd[1];
  }
  if (COCOON_HAS(cocoon_run_io, given, stdin_fd)) io.stdin_fd = given->stdin_fd;
  if (COCOON_HAS(cocoon_run_io, given, cancel_fd)) io.cancel_fd = given->cancel_fd;
  return io;
}

Result<cocoon::Request> read_request(cocoon_str json, bool feeds_stdin) {
  Result<cocoon::Request> request = cocoon::parse_request({json.data, json.len});
  if (request && !request->stdin_text) request->stdin_open = feeds_stdin;
  return request;
}

}  // namespace

cocoon_engine* cocoon_engine_new(const cocoon_engine_options* options, cocoon_sink error_json) {
  cocoon_engine* engine = nullptr;
  guarded(error_json, [&] {
    engine = new cocoon_engine(read_options(options));
    return COCOON_OK;
  });
  return engine;
}

void cocoon_engine_free(cocoon_engine* engine) { delete engine; }

cocoon_status cocoon_engine_run(cocoon_engine* engine, cocoon_str request_json, const cocoon_run_io* io,
                                cocoon_sink outcome_json) {
  return guarded(outcome_json, [&]() -> cocoon_status {
    cocoon::RunOptions options;
    options.io = read_io(io);
    const Result<cocoon::Request> request = read_request(request_json, options.io.stdin_fd >= 0);
    if (!request) return refuse(outcome_json, request.error());
    const Result<cocoon::Outcome> outcome = engine->engine.run(*request, options);
    if (!outcome) return refuse(outcome_json, outcome.error());
    put(outcome_json, to_json(*outcome));
    return COCOON_OK;
  });
}

cocoon_status cocoon_engine_plan(cocoon_engine* engine, cocoon_str request_json, cocoon_sink plan_json) {
  return guarded(plan_json, [&]() -> cocoon_status {
    const Result<cocoon::Request> request = read_request(request_json, false);
    if (!request) return refuse(plan_json, request.error());
    const Result<cocoon::Planned> planned = engine->engine.plan(*request);
    if (!planned) return refuse(plan_json, planned.error());
    put(plan_json, to_json(planned->plan));
    return COCOON_OK;
  });
}

cocoon_status cocoon_engine_info(cocoon_engine* engine, cocoon_sink info_json) {
  return guarded(info_json, [&]() -> cocoon_status {
    put(info_json, to_json(gather_info(engine->engine.plugins(), COCOON_PROBE_THOROUGH)));
    return COCOON_OK;
  });
}

cocoon_engine_cancel* cocoon_engine_cancel_new(void) {
  cocoon_engine_cancel* cancel = new (std::nothrow) cocoon_engine_cancel;
  if (cancel != nullptr && cancel->event.fd() < 0) {
    delete cancel;
    return nullptr;
  }
  return cancel;
}

int32_t cocoon_engine_cancel_fd(const cocoon_engine_cancel* cancel) { return cancel->event.fd(); }
void cocoon_engine_cancel_set(cocoon_engine_cancel* cancel) { cancel->event.set(); }
void cocoon_engine_cancel_free(cocoon_engine_cancel* cancel) { delete cancel; }
