// Runtime preset: Rust. One source file is compiled with rustc and run; see cargo for packages.
#include <cocoon/plugin.hpp>

// Asked in the root folder: in a project, rustup would obey a rust-toolchain file, which may name any program on the
// host. Nor may it download a toolchain. RUSTUP_TOOLCHAIN chooses another one.
COCOON_RUNTIME("rust", R"json({
  "name": "rust",
  "title": "Rust",
  "aliases": ["rustc", "rs"],
  "find": ["rustc"],
  "discover": ["/bin/sh", "-c", "cd / && export RUSTUP_AUTO_INSTALL=0 && root=$(\"$1\" --print sysroot) && version=$(\"$1\" --version) && version=${version#rustc } && printf '{\"executable\": \"%s/bin/rustc\", \"version\": \"%s\", \"directories\": [\"%s\"]}\\n' \"$root\" \"${version%% *}\" \"$root\"", "sh", "{exe}"],
  "discover_env": ["RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "CARGO_HOME"],
  "discover_files": ["~/.rustup/settings.toml", "$RUSTUP_HOME/settings.toml"],
  "snippet_file": "main.rs",
  "script": ["/bin/sh", "-c", "out=$(mktemp -d \"$2/rust.XXXXXX\") && \"$1\" --edition 2021 -C opt-level=1 -C debug-assertions=on --crate-name main -o \"$out/main\" \"$3\" && shift 3 && exec \"$out/main\" \"$@\"", "sh", "{exe}", "{scratch}", "{file}"],
  "least_memory_mib": 64,
  "install": "apt install rustc, dnf install rust, brew install rust, or see https://rustup.rs"
})json")
