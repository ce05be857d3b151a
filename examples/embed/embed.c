/* Embedding the engine: runs one snippet, shows its output as it comes, cancels it after a while, prints the Outcome.
 *   embed RUNTIME CODE [CANCEL_AFTER_MS] */
#include <cocoon/engine.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  char* data;
  size_t len;
} text;

static void append(void* ctx, const char* data, size_t len) {
  text* t = ctx;
  char* grown = realloc(t->data, t->len + len + 1);
  if (grown == NULL) abort();
  t->data = grown;
  memcpy(t->data + t->len, data, len);
  t->len += len;
  t->data[t->len] = '\0';
}

static void append_json_string(text* t, const char* s) {
  char escape[8];
  append(t, "\"", 1);
  for (; *s != '\0'; ++s) {
    if (*s == '"' || *s == '\\' || (unsigned char)*s < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*s);
      append(t, escape, strlen(escape));
    } else {
      append(t, s, 1);
    }
  }
  append(t, "\"", 1);
}

/* Called from the thread that called cocoon_engine_run, while the guest runs. */
static size_t show(void* ctx, int32_t stream, const char* data, size_t len) {
  (void)ctx;
  fprintf(stderr, "[%s] %.*s", stream == COCOON_STDERR ? "err" : "out", (int)len, data);
  return len;
}

typedef struct {
  cocoon_engine_cancel* cancel;
  long after_ms;
} alarm_clock;

static void* ring(void* ctx) {
  const alarm_clock* clock = ctx;
  const struct timespec pause = {clock->after_ms / 1000, clock->after_ms % 1000 * 1000000L};
  nanosleep(&pause, NULL);
  cocoon_engine_cancel_set(clock->cancel);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: embed RUNTIME CODE [CANCEL_AFTER_MS]\n");
    return 2;
  }
  text error = {NULL, 0};
  text request = {NULL, 0};
  text outcome = {NULL, 0};

  cocoon_engine_options options = {.struct_size = sizeof options, .max_timeout_ms = 60000, .deny_host_network = 1};
  cocoon_engine* engine = cocoon_engine_new(&options, (cocoon_sink){&error, append});
  if (engine == NULL) {
    fprintf(stderr, "no engine: %s\n", error.data);
    return 1;
  }
  append(&request, "{\"runtime\":", 11);
  append_json_string(&request, argv[1]);
  append(&request, ",\"code\":", 8);
  append_json_string(&request, argv[2]);
  append(&request, "}", 1);

  alarm_clock clock = {cocoon_engine_cancel_new(), argc > 3 ? atol(argv[3]) : 0};
  pthread_t thread;
  const int has_alarm = argc > 3 && pthread_create(&thread, NULL, ring, &clock) == 0;

  cocoon_run_io io = {.struct_size = sizeof io,
                      .write = show,
                      .busy_fd = {-1, -1},
                      .stdin_fd = -1,
                      .cancel_fd = cocoon_engine_cancel_fd(clock.cancel)};
  const cocoon_status status =
      cocoon_engine_run(engine, (cocoon_str){request.data, request.len}, &io, (cocoon_sink){&outcome, append});
  printf("%s\n", outcome.data);

  if (has_alarm) pthread_join(thread, NULL);
  cocoon_engine_cancel_free(clock.cancel);
  cocoon_engine_free(engine);
  free(error.data);
  free(request.data);
  free(outcome.data);
  return status == COCOON_OK ? 0 : 1;
}
