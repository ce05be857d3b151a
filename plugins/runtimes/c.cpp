// Runtime preset: C. One source file is compiled and run; headers of the current folder are found.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("c", R"json({
  "name": "c",
  "title": "C",
  "aliases": ["gcc"],
  "find": ["gcc", "clang", "cc"],
  "prefix": true,
  "version": ["{exe}", "-dumpfullversion", "-dumpversion"],
  "snippet_file": "main.c",
  "script": ["/bin/sh", "-c", "out=$(mktemp -d \"$2/c.XXXXXX\") && \"$1\" -O1 -pthread -iquote . -o \"$out/main\" \"$3\" -lm && shift 3 && exec \"$out/main\" \"$@\"", "sh", "{exe}", "{scratch}", "{file}"],
  "memory_rlimit": true,
  "install": "apt install gcc libc6-dev, dnf install gcc, or xcode-select --install"
})json")
