// Runtime preset: Bash.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("bash", R"json({
  "name": "bash",
  "title": "Bash",
  "find": ["bash"],
  "version": ["{exe}", "--version"],
  "snippet": ["{exe}", "-c", "{code}"],
  "snippet_file": "main.bash",
  "script": ["{exe}", "{file}"],
  "memory_rlimit": true,
  "install": "apt install bash, dnf install bash"
})json")
