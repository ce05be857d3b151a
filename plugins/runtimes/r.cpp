// Runtime preset: R, with the packages that the user has installed.
#include <cocoon/plugin.hpp>

// Code always goes into a file: R's own start script mangles some characters of an argument. Asked without any profile and without the
// packages that R loads by itself, which it would take from the user's library first.
COCOON_RUNTIME("r", R"json({
  "name": "r",
  "title": "R",
  "aliases": ["rscript"],
  "find": ["Rscript"],
  "discover": ["{exe}", "--vanilla", "--default-packages=NULL", "-e", "q <- function(x) encodeString(x, quote = '\"'); user <- Filter(dir.exists, path.expand(strsplit(Sys.getenv('R_LIBS_USER'), ':')[[1]])); cat('{\"executable\": ', q(file.path(R.home('bin'), 'Rscript')), ', \"version\": ', q(as.character(getRversion())), ', \"directories\": [', paste(q(c(R.home(), user)), collapse = ', '), ']', if (length(user)) paste0(', \"env\": {\"R_LIBS_USER\": ', q(paste(user, collapse = ':')), '}'), '}\\n', sep = '')"],
  "discover_env": ["R_LIBS_USER", "R_HOME", "HOME"],
  "needs": ["/etc/R"],
  "snippet_file": "main.R",
  "script": ["{exe}", "{file}"],
  "memory_rlimit": true,
  "least_memory_mib": 40,
  "install": "apt install r-base-core, dnf install R-core, brew install r, or see https://www.r-project.org"
})json")
