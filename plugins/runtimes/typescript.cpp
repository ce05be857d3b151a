// Runtime preset: TypeScript, by whichever of Bun, Deno and a Node.js that knows it is installed.
#include <cocoon/plugin.hpp>

// Node.js strips types since 22.6; an older one is refused at once, with its version, instead of a syntax error later.
COCOON_RUNTIME("typescript", R"json({
  "name": "typescript",
  "title": "TypeScript",
  "aliases": ["ts"],
  "find": ["bun", "deno", "node"],
  "discover": ["/bin/sh", "-c", "real=$(readlink -f \"$1\") && version=$(\"$1\" --version | head -n 1) && case $version in v[0-9].*|v1[0-9].*|v2[01].*|v22.[0-5].*) echo \"Node.js $version does not know TypeScript: 22.6 and later do, and so do Bun and Deno\" >&2; exit 1;; esac && case ${real##*/} in node*|bun*|deno*) ;; *) real=$1;; esac && printf '{\"executable\": \"%s\", \"version\": \"%s\"}\\n' \"$real\" \"$version\"", "sh", "{exe}"],
  "discover_env": ["NODENV_VERSION", "NODENV_ROOT", "NODE_VERSION", "ASDF_NODEJS_VERSION", "VOLTA_HOME"],
  "discover_files": [".node-version", ".nvmrc", ".tool-versions", "~/.tool-versions"],
  "snippet": ["/bin/sh", "-c", "case ${1##*/} in bun*) exec \"$1\" -e \"$3\";; deno*) exec \"$1\" eval --quiet --ext=ts --v8-flags=--max-old-space-size=\"$2\" \"$3\";; *) exec \"$1\" --experimental-strip-types --no-warnings --input-type=module-typescript --max-old-space-size=\"$2\" -e \"$3\";; esac", "sh", "{exe}", "{heap_mib}", "{code}"],
  "snippet_file": "main.ts",
  "script": ["/bin/sh", "-c", "exe=$1 heap=$2 && shift 2 && case ${exe##*/} in bun*) exec \"$exe\" \"$@\";; deno*) exec \"$exe\" run --quiet --allow-all --v8-flags=--max-old-space-size=\"$heap\" \"$@\";; *) exec \"$exe\" --experimental-strip-types --no-warnings --max-old-space-size=\"$heap\" \"$@\";; esac", "sh", "{exe}", "{heap_mib}", "{file}"],
  "env": {
    "BUN_JSC_forceRAMSize": "{heap_bytes}",
    "BUN_RUNTIME_TRANSPILER_CACHE_PATH": "0",
    "BUN_INSTALL_CACHE_DIR": "{scratch}/bun",
    "DO_NOT_TRACK": "1",
    "DENO_DIR": "{scratch}/deno",
    "DENO_NO_UPDATE_CHECK": "1",
    "DENO_NO_PROMPT": "1",
    "NO_COLOR": "1",
    "npm_config_cache": "{scratch}/npm",
    "npm_config_update_notifier": "false"
  },
  "heap_percent": 65,
  "least_memory_mib": 24,
  "install": "npm install -g bun, npm install -g deno, or Node.js 22.6 and later from https://nodejs.org"
})json")
