// The runtime "perlw", Perl with its warnings: in C++, the preset is a raw string.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("perlw", R"json({
  "name": "perlw",
  "title": "Perl with warnings",
  "find": ["perl"],
  "snippet": ["{exe}", "-w", "-e", "{code}"],
  "snippet_file": "main.pl",
  "script": ["{exe}", "-w", "{file}"],
  "memory_rlimit": true,
  "install": "apt install perl"
})json")
