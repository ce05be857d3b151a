/* A plugin compiled against the first abi.h, for good: it has to load and work in every later version. */
#include "../abi_v1_first.h"

static size_t write_all(const cocoon_run_io* io, const char* text, size_t len) {
  return io->write == NULL ? len : io->write(io->ctx, COCOON_STDOUT, text, len);
}

static int32_t probe(const cocoon_host* host, int32_t depth, cocoon_sink facts_json) {
  static const char facts[] = "{\"name\": \"frozen\", \"usable\": true}";
  (void)depth;
  if (COCOON_HAS(cocoon_host, host, log) && host->log != NULL) host->log(host->ctx, COCOON_LOG_DEBUG, "frozen probes");
  facts_json.write(facts_json.ctx, facts, sizeof facts - 1);
  return 0;
}

static cocoon_status run(const cocoon_host* host, cocoon_str plan_json, const cocoon_run_io* io,
                         cocoon_sink outcome_json) {
  static const char outcome[] =
      "{\"exit_code\": 0, \"status\": \"planned\", \"stdout\": \"\", \"stderr\": \"\", \"duration_ms\": 1.5, "
      "\"wall_ms\": 2, \"cpu_ms\": 0.5, \"peak_mem_kib\": 1, \"memory_meter\": \"none\", \"timed_out\": false, "
      "\"oom_killed\": false, \"stdout_bytes\": 7, \"stderr_bytes\": 0, \"stdout_truncated\": false, "
      "\"stderr_truncated\": false, \"driver\": \"frozen\", \"isolation\": {}}";
  (void)host;
  if (plan_json.len == 0 || plan_json.data[0] != '{') return COCOON_BAD_INPUT;
  write_all(io, "frozen\n", 7);
  outcome_json.write(outcome_json.ctx, outcome, sizeof outcome - 1);
  return COCOON_OK;
}

static const cocoon_driver driver = {sizeof(cocoon_driver), "frozen", probe, run};
static const cocoon_plugin plugin = {sizeof(cocoon_plugin), "1", NULL, &driver};

const cocoon_plugin* cocoon_plugin_v1(void) { return &plugin; }
