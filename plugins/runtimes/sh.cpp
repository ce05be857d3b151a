// Runtime preset: the POSIX shell.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("sh", R"json({
  "name": "sh",
  "title": "POSIX shell",
  "aliases": ["shell"],
  "find": ["sh"],
  "snippet": ["{exe}", "-c", "{code}"],
  "snippet_file": "main.sh",
  "script": ["{exe}", "{file}"],
  "memory_rlimit": true,
  "install": "apt install dash, dnf install bash"
})json")
