// Runtime preset: PHP on the command line.
#include <cocoon/plugin.hpp>

// Memory is bounded from outside, for all processes together. Errors go where a program's errors go, once.
COCOON_RUNTIME("php", R"json({
  "name": "php",
  "title": "PHP",
  "find": ["php"],
  "discover": ["{exe}", "-n", "-r", "echo json_encode(['executable' => PHP_BINARY, 'version' => PHP_VERSION, 'directories' => [dirname(PHP_BINARY, 2)]]), PHP_EOL;"],
  "discover_env": ["PHPENV_VERSION", "PHPENV_ROOT"],
  "discover_files": [".php-version", ".tool-versions", "~/.phpenv/version", "~/.tool-versions"],
  "prefix": true,
  "needs": ["/etc/php/*/cli", "/etc/php/*/mods-available", "/etc/php.ini", "/etc/php.d"],
  "version": ["{exe}", "--version"],
  "snippet_file": "main.php",
  "snippet_start": "<?php ",
  "script": ["{exe}", "-d", "memory_limit=-1", "-d", "display_errors=stderr", "-d", "log_errors=0", "{file}"],
  "env": {"COMPOSER_HOME": "{scratch}/composer"},
  "memory_rlimit": true,
  "install": "apt install php-cli, dnf install php-cli, brew install php, or see https://www.php.net"
})json")
