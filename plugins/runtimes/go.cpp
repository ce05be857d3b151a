// Runtime preset: Go. A program is compiled and run inside; --temp keeps the build cache for the next run.
#include <cocoon/plugin.hpp>

// Not by "go run": that ends with 1, whatever the program ends with. The modules that the user has downloaded are
// shown. No other toolchain is fetched because a project asks for one.
COCOON_RUNTIME("go", R"json({
  "name": "go",
  "title": "Go",
  "aliases": ["golang"],
  "find": ["go"],
  "discover": ["/bin/sh", "-c", "cd / && GOTOOLCHAIN=local \"$1\" env GOROOT GOVERSION GOMODCACHE | { IFS= read -r root && IFS= read -r version && IFS= read -r cache && [ -x \"$root/bin/go\" ] || { echo 'go env names no GOROOT' >&2; exit 1; }; modules= variable=; [ -d \"$cache\" ] && modules=\", \\\"$cache\\\"\" variable=\", \\\"env\\\": {\\\"GOMODCACHE\\\": \\\"$cache\\\"}\"; printf '{\"executable\": \"%s/bin/go\", \"version\": \"%s\", \"directories\": [\"%s\"%s]%s}\\n' \"$root\" \"${version#go}\" \"$root\" \"$modules\" \"$variable\"; }", "sh", "{exe}"],
  "discover_env": ["GOROOT", "GOPATH", "GOMODCACHE", "GOENV_VERSION", "HOME"],
  "snippet_file": "main.go",
  "script": ["/bin/sh", "-c", "out=$(mktemp -d \"$2/go.XXXXXX\") && \"$1\" build -o \"$out/main\" \"$3\" && shift 3 && exec \"$out/main\" \"$@\"", "sh", "{exe}", "{scratch}", "{file}"],
  "env": {
    "GOCACHE": "{scratch}/go-build",
    "GOPATH": "{scratch}/go",
    "GOTMPDIR": "{scratch}",
    "GOTOOLCHAIN": "local",
    "GOTELEMETRY": "off",
    "GOMEMLIMIT": "{heap_mib}MiB"
  },
  "least_memory_mib": 32,
  "install": "apt install golang-go, dnf install golang, brew install go, or see https://go.dev/dl"
})json")
