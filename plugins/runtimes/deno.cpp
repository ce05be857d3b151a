// Runtime preset: Deno.
#include <cocoon/plugin.hpp>

// All of its permissions are given: the sandbox is the boundary, and a second one would only ask questions.
COCOON_RUNTIME("deno", R"json({
  "name": "deno",
  "title": "Deno",
  "find": ["deno"],
  "discover": ["{exe}", "eval", "console.log(JSON.stringify({executable: Deno.execPath(), version: Deno.version.deno}))"],
  "prefix": true,
  "version": ["{exe}", "--version"],
  "snippet": ["{exe}", "eval", "--quiet", "--ext=ts", "--v8-flags=--max-old-space-size={heap_mib}", "{code}"],
  "snippet_file": "main.ts",
  "script": ["{exe}", "run", "--quiet", "--allow-all", "--v8-flags=--max-old-space-size={heap_mib}", "{file}"],
  "env": {
    "DENO_DIR": "{scratch}/deno",
    "DENO_NO_UPDATE_CHECK": "1",
    "DENO_NO_PROMPT": "1",
    "NO_COLOR": "1"
  },
  "heap_percent": 65,
  "least_memory_mib": 24,
  "install": "npm install -g deno, brew install deno, or see https://deno.com"
})json")
