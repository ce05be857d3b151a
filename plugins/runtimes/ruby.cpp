// Runtime preset: Ruby, from the system, rbenv, rvm and the like, with the gems that the user has installed.
#include <cocoon/plugin.hpp>

// Asked where gems lie without loading one, not even those that Ruby loads by itself: a guest may have installed them. Of
// each place only the parts that a program uses are shown; beside them lie the user's credentials.
COCOON_RUNTIME("ruby", R"json({
  "name": "ruby",
  "title": "Ruby",
  "aliases": ["rb"],
  "find": ["ruby"],
  "discover": ["{exe}", "--disable=all", "-e", "require 'rubygems'; q = ->(s) { 34.chr + s.b.gsub(/[\\x00-\\x1f\"\\\\]/n) { |c| format('\\\\u%04x', c.ord) } + 34.chr }; gems = Gem.path.map { |d| File.expand_path(d) }.select { |d| File.directory?(d) }; parts = gems.product(%w[gems specifications extensions bin build_info plugins]).map { |d, n| File.join(d, n) }.select { |d| File.directory?(d) }; puts %Q({\"executable\": #{q[RbConfig.ruby]}, \"version\": #{q[RUBY_VERSION]}, \"directories\": [#{[File.expand_path(RbConfig::CONFIG['prefix']), *parts].map(&q).join(', ')}], \"env\": {\"GEM_PATH\": #{q[gems.join(':')]}}})"],
  "discover_env": ["RBENV_VERSION", "RBENV_ROOT", "GEM_HOME", "GEM_PATH", "HOME"],
  "discover_files": [".ruby-version", ".tool-versions", "~/.rbenv/version", "~/.tool-versions"],
  "snippet": ["{exe}", "-e", "{code}"],
  "snippet_file": "main.rb",
  "script": ["{exe}", "{file}"],
  "env": {"GEM_SPEC_CACHE": "{scratch}/gem", "BUNDLE_USER_HOME": "{scratch}/bundle"},
  "memory_rlimit": true,
  "install": "apt install ruby, dnf install ruby, brew install ruby, or see https://www.ruby-lang.org"
})json")
