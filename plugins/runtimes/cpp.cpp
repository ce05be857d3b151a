// Runtime preset: C++. One source file is compiled and run; headers of the current folder are found.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("cpp", R"json({
  "name": "cpp",
  "title": "C++",
  "aliases": ["c++", "cxx", "g++"],
  "find": ["g++", "clang++", "c++"],
  "prefix": true,
  "version": ["{exe}", "-dumpfullversion", "-dumpversion"],
  "snippet_file": "main.cpp",
  "script": ["/bin/sh", "-c", "out=$(mktemp -d \"$2/cpp.XXXXXX\") && \"$1\" -std=gnu++20 -O1 -pthread -iquote . -o \"$out/main\" \"$3\" && shift 3 && exec \"$out/main\" \"$@\"", "sh", "{exe}", "{scratch}", "{file}"],
  "memory_rlimit": true,
  "least_memory_mib": 64,
  "install": "apt install g++, dnf install gcc-c++, or xcode-select --install"
})json")
