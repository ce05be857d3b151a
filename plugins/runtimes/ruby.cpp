// Runtime preset: Ruby, from the system, rbenv, rvm and the like, with the gems that the user has installed.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("ruby", R"json({
  "name": "ruby",
  "title": "Ruby",
  "aliases": ["rb"],
  "find": ["ruby"],
  "discover": ["{exe}", "-rjson", "-rrbconfig", "-e", "gems = Gem.path.select { |d| File.directory?(d) }.map { |d| File.expand_path(d) }; puts JSON.generate({executable: RbConfig.ruby, version: RUBY_VERSION, directories: [File.expand_path(RbConfig::CONFIG['prefix']), *gems], env: {GEM_PATH: gems.join(':')}})"],
  "discover_env": ["RBENV_VERSION", "GEM_HOME", "GEM_PATH", "HOME"],
  "discover_files": [".ruby-version", ".tool-versions", "~/.rbenv/version", "~/.tool-versions"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.rb",
  "script": ["{exe}", "{file}"],
  "env": {"GEM_SPEC_CACHE": "{scratch}/gem", "BUNDLE_USER_HOME": "{scratch}/bundle"},
  "memory_rlimit": true,
  "install": "apt install ruby, dnf install ruby, brew install ruby, or see https://www.ruby-lang.org"
})json")
