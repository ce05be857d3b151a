/* The engine for programs that embed it: a request as JSON in, output as it comes, an Outcome as JSON out.
 *
 *   cocoon_engine* engine = cocoon_engine_new(NULL, error_sink);
 *   cocoon_engine_run(engine, request, NULL, outcome_sink);
 *   cocoon_engine_free(engine);
 *
 * Link cocoon::engine (libcocoon_engine). The types of abi.h serve here as well, and so do its rules: strings are UTF-8
 * and borrowed until the call returns, results are copied by the sink that the caller passes, nothing is freed across
 * the boundary but what a *_free function takes back, and structs grow by appended fields behind struct_size.
 * The library starts no threads of its own, installs no signal handlers and never writes to descriptors 0, 1 or 2.
 */
#ifndef COCOON_ENGINE_H
#define COCOON_ENGINE_H

#include <cocoon/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine: the plugins that it loaded and the operator's policy. */
typedef struct cocoon_engine cocoon_engine;

/* What cancels runs: an object that any thread may set, once and for good. */
typedef struct cocoon_engine_cancel cocoon_engine_cancel;

typedef struct {
  size_t struct_size;
  /* Folders with plugins beside the engine's own, absolute, as "/a:/b"; NULL = none. */
  const char* plugin_folders;
  /* Bounds for every request, whatever it asks for; 0 = none. */
  uint64_t max_timeout_ms;
  uint64_t max_memory_kib;
  uint64_t max_pids;
  uint64_t max_output_bytes;
  uint64_t max_disk_kib;
  int32_t deny_host_network; /* not 0: a request for the host's network is refused */
} cocoon_engine_options;

/* [any thread] options may be NULL. Returns NULL after writing {"code","message","where","hint"} to error_json. The
 * caller owns the result. Plugins stay loaded until the process ends, after cocoon_engine_free too. */
COCOON_EXPORT cocoon_engine* cocoon_engine_new(const cocoon_engine_options* options, cocoon_sink error_json);

/* [any thread, no call with engine still going on] engine may be NULL. */
COCOON_EXPORT void cocoon_engine_free(cocoon_engine* engine);

/* [any thread, several at once] Runs the request (schema/request.schema.json) and blocks until nothing of it is left.
 * On COCOON_OK, outcome_json gets one Outcome (schema/outcome.schema.json), whatever the guest did; otherwise an error,
 * and nothing was run. io may be NULL; io->write is called from this thread, and its bytes are captured for the Outcome
 * as well. A request's "stdin" takes the place of io->stdin_fd. */
COCOON_EXPORT cocoon_status cocoon_engine_run(cocoon_engine* engine, cocoon_str request_json, const cocoon_run_io* io,
                                              cocoon_sink outcome_json);

/* [any thread, several at once] What a run would do (schema/plan.schema.json), without doing it. */
COCOON_EXPORT cocoon_status cocoon_engine_plan(cocoon_engine* engine, cocoon_str request_json, cocoon_sink plan_json);

/* [any thread, several at once] What works here: drivers, isolation, runtimes, refused plugins. Takes up to seconds the
 * first time. */
COCOON_EXPORT cocoon_status cocoon_engine_info(cocoon_engine* engine, cocoon_sink info_json);

/* [any thread] Returns NULL where the system has no descriptor left. The caller owns the result, and gives its
 * descriptor to runs as io->cancel_fd; one object may serve any number of runs. */
COCOON_EXPORT cocoon_engine_cancel* cocoon_engine_cancel_new(void);

/* [any thread] The descriptor for io->cancel_fd; it stays the object's. */
COCOON_EXPORT int32_t cocoon_engine_cancel_fd(const cocoon_engine_cancel* cancel);

/* [any thread, signal handlers too] Ends every run that waits for it, and those still to come at once; they return with
 * status "cancelled". */
COCOON_EXPORT void cocoon_engine_cancel_set(cocoon_engine_cancel* cancel);

/* [any thread, no run with its descriptor still going on] cancel may be NULL. */
COCOON_EXPORT void cocoon_engine_cancel_free(cocoon_engine_cancel* cancel);

#ifdef __cplusplus
}
#endif

#endif /* COCOON_ENGINE_H */
