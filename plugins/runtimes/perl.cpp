// Runtime preset: Perl.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("perl", R"json({
  "name": "perl",
  "title": "Perl",
  "aliases": ["pl"],
  "find": ["perl"],
  "discover": ["{exe}", "-MConfig", "-e", "printf qq({\"executable\": \"%s\", \"version\": \"%vd\", \"directories\": [\"%s\"]}\\n), $Config{perlpath}, $^V, $Config{prefix}"],
  "discover_env": ["PLENV_VERSION", "PLENV_ROOT"],
  "discover_files": [".perl-version", ".tool-versions", "~/.plenv/version", "~/.tool-versions"],
  "prefix": true,
  "needs": ["/etc/perl"],
  "version": ["{exe}", "--version"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.pl",
  "script": ["{exe}", "{file}"],
  "memory_rlimit": true,
  "install": "apt install perl, dnf install perl, or see https://www.perl.org"
})json")
