// Runtime preset: Cargo. FILE is a Cargo.toml or the folder of a package; other code becomes a package of its own.
#include <cocoon/plugin.hpp>

// What it builds, fetches and locks goes into the private scratch folder. Asked in the root folder, as rust is.
COCOON_RUNTIME("cargo", R"json({
  "name": "cargo",
  "title": "Cargo",
  "find": ["cargo"],
  "discover": ["/bin/sh", "-c", "cd / && export RUSTUP_AUTO_INSTALL=0 && real=$(readlink -f \"$1\") && case ${real##*/} in rustup*) real=$(\"$real\" which cargo) || exit 1;; esac && [ -x \"$real\" ] && root=${real%/bin/*} && printf '{\"executable\": \"%s\", \"directories\": [\"%s\"]}\\n' \"$real\" \"$root\"", "sh", "{exe}"],
  "discover_env": ["RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "CARGO_HOME"],
  "discover_files": ["~/.rustup/settings.toml", "$RUSTUP_HOME/settings.toml"],
  "version": ["{exe}", "--version"],
  "snippet_file": "main.rs",
  "script": ["/bin/sh", "-c", "exe=$1 scratch=$2 file=$3 && shift 3 && case $file in *.toml) manifest=$file;; *) manifest=$file/Cargo.toml; if [ ! -d \"$file\" ]; then package=$(mktemp -d \"$scratch/cargo.XXXXXX\") && mkdir \"$package/src\" && cp \"$file\" \"$package/src/main.rs\" && printf '[package]\\nname = \"snippet\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n' >\"$package/Cargo.toml\" && manifest=$package/Cargo.toml || exit 125; fi;; esac && exec \"$exe\" run --quiet --manifest-path \"$manifest\" -- \"$@\"", "sh", "{exe}", "{scratch}", "{file}"],
  "env": {
    "CARGO_HOME": "{scratch}/cargo",
    "CARGO_TARGET_DIR": "{scratch}/cargo-target",
    "CARGO_NET_RETRY": "0"
  },
  "least_memory_mib": 64,
  "install": "apt install cargo, dnf install cargo, brew install rust, or see https://rustup.rs"
})json")
