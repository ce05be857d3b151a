// Runtime preset: Java. One source file is compiled in memory and run; needs a JDK, 11 or later.
#include <cocoon/plugin.hpp>

// Options go on the command line: what is in JAVA_TOOL_OPTIONS is announced on everybody's standard error. The JVM would
// size its heap by the machine's memory, and leave a file in /tmp wherever it is started. Debian keeps its configuration in
// /etc.
COCOON_RUNTIME("java", R"json({
  "name": "java",
  "title": "Java",
  "find": ["java"],
  "discover": ["/bin/sh", "-c", "home=$(\"$1\" -XX:-UsePerfData -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\\.home = //p') && [ -x \"$home/bin/java\" ] || { echo 'it names no java.home' >&2; exit 1; }; printf '{\"executable\": \"%s/bin/java\", \"directories\": [\"%s\"]}\\n' \"$home\" \"$home\"", "sh", "{exe}"],
  "discover_env": ["JAVA_HOME", "JENV_VERSION", "JENV_ROOT"],
  "discover_files": [".java-version", ".tool-versions", "~/.jenv/version", "~/.tool-versions"],
  "prefix": true,
  "needs": ["/etc/java-*", "/etc/java"],
  "version": ["{exe}", "-XX:-UsePerfData", "-version"],
  "snippet_file": "Main.java",
  "script": ["{exe}", "-Xmx{heap_mib}m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Djava.io.tmpdir={scratch}", "{file}"],
  "heap_percent": 60,
  "least_memory_mib": 48,
  "install": "apt install default-jdk-headless, dnf install java-latest-openjdk-devel, brew install openjdk, or see https://adoptium.net"
})json")
