// Runtime preset: Lua.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("lua", R"json({
  "name": "lua",
  "title": "Lua",
  "find": ["lua", "lua5.4", "lua5.3", "luajit"],
  "prefix": true,
  "version": ["{exe}", "-v"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.lua",
  "script": ["{exe}", "{file}"],
  "memory_rlimit": true,
  "install": "apt install lua5.4, dnf install lua, brew install lua, or see https://www.lua.org"
})json")
