// The runtime "perl": in C++, the preset is a raw string.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("perl", R"json({
  "name": "perl",
  "title": "Perl",
  "find": ["perl"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.pl",
  "script": ["{exe}", "{file}"],
  "memory_rlimit": true,
  "install": "apt install perl"
})json")
