/* The runtime "awk": a plugin in C is two tables and a function. */
#include <cocoon/abi.h>

static const cocoon_runtime runtime = {sizeof(cocoon_runtime), "awk",
                                       "{"
                                       "\"name\": \"awk\","
                                       "\"title\": \"AWK\","
                                       "\"find\": [\"gawk\", \"mawk\", \"awk\"],"
                                       "\"snippet\": [\"{exe}\", \"{code}\"],"
                                       "\"snippet_file\": \"main.awk\","
                                       "\"script\": [\"{exe}\", \"-f\", \"{file}\"],"
                                       "\"memory_rlimit\": true,"
                                       "\"install\": \"apt install mawk\""
                                       "}"};

static const cocoon_plugin plugin = {sizeof(cocoon_plugin), COCOON_PLUGIN_VERSION, &runtime, NULL};

const cocoon_plugin* cocoon_plugin_v1(void) { return &plugin; }
