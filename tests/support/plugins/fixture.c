/* One source, many plugins: FIXTURE says what is wrong with it. */
#include <cocoon/abi.h>

#define GOOD 1        /* nothing: a runtime called "fixture" with the alias "fix" */
#define NULL_TABLE 2  /* the entry function returns NULL */
#define SHORT 3       /* cocoon_plugin ends before its first version does */
#define SHORT_INNER 4 /* cocoon_runtime does */
#define BOTH 5        /* a runtime and a driver */
#define NEITHER 6     /* nothing at all */
#define BAD_PRESET 7  /* its preset is no JSON */
#define BAD_NAME 8    /* declares a name that is a path */
#define NO_RUN 9      /* a driver that cannot run */
#define OTHER_NAME 10 /* its preset has another name */
#define NO_ENTRY 11   /* exports something else */
#define LONGER 12     /* made for a later version: fields that this one does not know */

#define PRESET(name)                                 \
  "{\"name\": \"" name                               \
  "\", \"aliases\": [\"fix\"], \"find\": [\"sh\"], " \
  "\"snippet\": [\"{exe}\", \"-c\", \"{code}\"], \"snippet_file\": \"main\", \"script\": [\"{exe}\", \"{file}\"]}"

#if FIXTURE == BAD_NAME
#define NAME "../fixture"
#else
#define NAME "fixture"
#endif

static const struct {
  cocoon_runtime known;
  void (*later)(void);
} runtime = {{
#if FIXTURE == SHORT_INNER
                 offsetof(cocoon_runtime, preset_json),
#elif FIXTURE == LONGER
                 sizeof(cocoon_runtime) + sizeof(void (*)(void)),
#else
                 sizeof(cocoon_runtime),
#endif
                 NAME,
#if FIXTURE == BAD_PRESET
                 "{\"name\": "
#elif FIXTURE == OTHER_NAME
                 PRESET("another")
#else
                 PRESET("fixture")
#endif
             },
             NULL};

static const cocoon_driver driver = {sizeof(cocoon_driver), "fixture", NULL, NULL};

static const cocoon_plugin plugin = {
#if FIXTURE == SHORT
    offsetof(cocoon_plugin, driver),
#else
    sizeof(cocoon_plugin),
#endif
    "1",
#if FIXTURE == NEITHER || FIXTURE == NO_RUN
    NULL,
#else
    &runtime.known,
#endif
#if FIXTURE == BOTH || FIXTURE == NO_RUN
    &driver
#else
    NULL
#endif
};

/* Exported, and not what the loader looks for. */
COCOON_EXPORT const void* unrelated(void);
const void* unrelated(void) { return plugin.runtime == NULL ? (const void*)&runtime : (const void*)&driver; }

#if FIXTURE != NO_ENTRY
const cocoon_plugin* cocoon_plugin_v1(void) {
#if FIXTURE == NULL_TABLE
  return NULL;
#else
  return &plugin;
#endif
}
#endif
