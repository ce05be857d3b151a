// Runtime preset: Bun.
#include <cocoon/plugin.hpp>

// JavaScriptCore sizes its heap by the machine's memory: it is told the limit instead. Without the cache of what it
// transpiled, which would only be written and thrown away. No file of the project takes part in finding it: a bunfig.toml
// there names code that Bun runs first.
COCOON_RUNTIME("bun", R"json({
  "name": "bun",
  "title": "Bun",
  "find": ["bun"],
  "discover": ["{exe}", "-e", "console.log(JSON.stringify({executable: process.execPath, version: Bun.version}))"],
  "prefix": true,
  "version": ["{exe}", "--version"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.ts",
  "script": ["{exe}", "{file}"],
  "env": {
    "BUN_JSC_forceRAMSize": "{heap_bytes}",
    "BUN_RUNTIME_TRANSPILER_CACHE_PATH": "0",
    "BUN_INSTALL_CACHE_DIR": "{scratch}/bun",
    "DO_NOT_TRACK": "1"
  },
  "least_memory_mib": 24,
  "install": "npm install -g bun, brew install oven-sh/bun/bun, or see https://bun.sh"
})json")
