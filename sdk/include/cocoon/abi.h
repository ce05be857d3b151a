/* The C contract between the host program and its plugins: everything in this file is a promise.
 *
 * A plugin is a shared object that exports one symbol, cocoon_plugin_v1. It runs inside the host program with the
 * host's full privileges: load only plugins that you trust as much as the program itself.
 *
 * Growth: fields are only ever appended. Every struct starts with struct_size, set by whoever made the struct to its
 * own sizeof; whoever receives it checks with COCOON_HAS before reading a field. A NULL function or an absent field
 * means "not offered". Nothing is reordered, retyped or reused; an incompatible contract gets another entry symbol.
 * Memory: nothing is freed across the boundary. Strings are UTF-8 and borrowed until the call returns; results are
 * written into a sink that copies. No exception and no longjmp may cross the boundary.
 */
#ifndef COCOON_ABI_H
#define COCOON_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COCOON_HAS(type, p, field) ((p)->struct_size >= offsetof(type, field) + sizeof((p)->field))

#if defined(_WIN32)
#define COCOON_EXPORT __declspec(dllexport)
#else
#define COCOON_EXPORT __attribute__((visibility("default")))
#endif

/* Borrowed bytes, not NUL-terminated; data may be NULL only when len is 0. */
typedef struct {
  const char* data;
  size_t len;
} cocoon_str;

/* Where a callee puts a result. write may be called any number of times during the call it was passed to, from the
 * calling thread only; the bytes of all calls are joined. ctx belongs to the caller. */
typedef struct {
  void* ctx;
  void (*write)(void* ctx, const char* data, size_t len);
} cocoon_sink;

/* How a call ended. Anything but COCOON_OK leaves {"code","message","where","hint"} in the call's sink. */
enum {
  COCOON_OK = 0,
  COCOON_BAD_INPUT = 1,   /* the JSON given is malformed or asks for what this plugin does not offer */
  COCOON_UNAVAILABLE = 2, /* this host lacks what the call needs */
  COCOON_INTERNAL = 3     /* a fault of the plugin's own, an escaped exception included */
};
typedef int32_t cocoon_status;

enum { COCOON_LOG_DEBUG = 0, COCOON_LOG_INFO = 1, COCOON_LOG_WARNING = 2, COCOON_LOG_ERROR = 3 };
typedef int32_t cocoon_log_level;

/* What the host program offers to a plugin. Valid for the duration of the call it is passed to. */
typedef struct {
  size_t struct_size;
  const char* version; /* of the host program, "major.minor.patch" */
  void* ctx;           /* passed back to log */
  /* [any thread] One line without a newline; NULL = nobody listens. */
  void (*log)(void* ctx, cocoon_log_level level, const char* message);
} cocoon_host;

enum { COCOON_STDOUT = 1, COCOON_STDERR = 2 };

/* The streams and the cancellation of one run. Owned by the caller of run, valid until run returns. */
typedef struct {
  size_t struct_size;
  void* ctx; /* passed back to write */
  /* [the thread that called run] Takes guest output of stream COCOON_STDOUT or COCOON_STDERR as it comes and returns
   * how many of the len bytes it took. It must not block: when it returns less than len, the driver stops reading that
   * stream and offers the rest again when busy_fd[stream - 1] polls writable (or after 10 ms where that is -1).
   * NULL = output is discarded (it is still counted and limited). */
  size_t (*write)(void* ctx, int32_t stream, const char* data, size_t len);
  int32_t busy_fd[2];
  int32_t stdin_fd;  /* the guest's standard input is fed from here through a pipe; -1 = empty. Stays the caller's. */
  int32_t cancel_fd; /* polls readable once the run is to be cancelled; never read by the driver; -1 = never */
  /* [the thread that called run] Of a plan with several stages: stage `index` is about to start (outcome_json.len is 0),
   * and what write gets from now on is its output; or it has ended, with this Outcome. Must not block. NULL = nobody
   * asks. */
  void (*step)(void* ctx, uint32_t index, cocoon_str outcome_json);
} cocoon_run_io;

enum {
  COCOON_PROBE_QUICK = 0,   /* microseconds: what can be read or asked without starting a process */
  COCOON_PROBE_THOROUGH = 1 /* tries each claim for real, in child processes */
};

enum { COCOON_BEST_SCORE = 100 }; /* every layer that the system offers is in force; nothing can be better */

/* A platform driver: turns a Plan into an Outcome on one kind of operating system. */
typedef struct {
  size_t struct_size;
  const char* name; /* [a-z][a-z0-9-]*, equal to the file name without its suffix; static storage */
  /* [any thread] Writes one JSON object of facts (schema/facts.schema.json) and returns a score: 0 = never chosen by
   * itself, otherwise the highest score of all drivers wins, up to COCOON_BEST_SCORE. depth is COCOON_PROBE_*. */
  int32_t (*probe)(const cocoon_host* host, int32_t depth, cocoon_sink facts_json);
  /* [any thread, several at once] Runs the plan (schema/plan.schema.json) and blocks until nothing of it is left.
   * On COCOON_OK the sink holds one Outcome (schema/outcome.schema.json) without the captured text, which went to
   * io->write. io may not be NULL. */
  cocoon_status (*run)(const cocoon_host* host, cocoon_str plan_json, const cocoon_run_io* io,
                       cocoon_sink outcome_json);
} cocoon_driver;

/* A runtime preset: how one language is found and started, as data. */
typedef struct {
  size_t struct_size;
  const char* name;        /* as for cocoon_driver */
  const char* preset_json; /* schema/preset.schema.json; NUL-terminated, static storage */
} cocoon_runtime;

/* What a plugin offers: exactly one of runtime and driver is not NULL. */
typedef struct {
  size_t struct_size;
  const char* version; /* of the plugin, for people to read */
  const cocoon_runtime* runtime;
  const cocoon_driver* driver;
} cocoon_plugin;

/* [any thread] The one exported symbol. Returns static storage, never NULL; must not start threads or touch the
 * process (signals, descriptors, locale). Called once per load; a plugin is never unloaded. */
typedef const cocoon_plugin* (*cocoon_plugin_entry)(void);
#define COCOON_PLUGIN_ENTRY "cocoon_plugin_v1"
COCOON_EXPORT const cocoon_plugin* cocoon_plugin_v1(void);

#ifdef __cplusplus
}
#endif

#endif /* COCOON_ABI_H */
