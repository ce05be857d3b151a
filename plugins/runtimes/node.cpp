// Runtime preset: Node.js, from the system, nvm, fnm, volta, asdf and the like.
#include <cocoon/plugin.hpp>

// The heap's bound goes into NODE_OPTIONS: programs that the guest starts, npm's scripts above all, have to keep it too.
COCOON_RUNTIME("node", R"json({
  "name": "node",
  "title": "Node.js",
  "aliases": ["nodejs", "javascript", "js"],
  "find": ["node", "nodejs"],
  "discover": ["{exe}", "-p", "JSON.stringify({executable: process.execPath, version: process.versions.node, directories: [path.dirname(path.dirname(process.execPath))]})"],
  "discover_env": ["NODENV_VERSION", "NODENV_ROOT", "NODE_VERSION", "ASDF_NODEJS_VERSION", "VOLTA_HOME"],
  "discover_files": [".node-version", ".nvmrc", ".tool-versions", "~/.tool-versions"],
  "prefix": true,
  "version": ["{exe}", "--version"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.js",
  "script": ["{exe}", "{file}"],
  "env": {
    "NODE_OPTIONS": "--max-old-space-size={heap_mib}",
    "npm_config_cache": "{scratch}/npm",
    "npm_config_update_notifier": "false"
  },
  "least_memory_mib": 24,
  "install": "apt install nodejs, dnf install nodejs, brew install node, or see https://nodejs.org"
})json")
