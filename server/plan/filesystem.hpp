// What the guest sees: the mounts of a plan, in order, and the places that other parts of the plan need to name.
#pragma once

#include "plan/facts.hpp"
#include "plan/preset.hpp"
#include "plan/profile.hpp"
#include "plan/request.hpp"

#include <cocoon/plan.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

// The guest's file system and the paths in it. All paths are absolute and inside.
struct View {
  Root root;
  std::vector<Mount> mounts;
  std::string cwd;
  std::string scratch;    // temporary files and caches
  std::string home;       // HOME
  std::string workspace;  // empty: there is none
  std::string file;       // the script to execute, or the snippet where it is put into a file; empty: none
  std::vector<Copy> copies;
  std::vector<std::string> protected_paths;
  std::vector<std::string> protected_kept;
  std::vector<std::string> create_folders;
};

// A selection of the host, assembled on a private root (host_view.cpp), and a bundle's rootfs (bundle_view.cpp).
// interpreter: the preset's; NULL where that is.
Result<View> host_view(const Request& request, const Preset* preset, const Interpreter* interpreter, const Facts& facts,
                       const Settings& settings);
Result<View> bundle_view(const Request& request, const Facts& facts, const Settings& settings);

// Whether the runtime gets its code in a file instead of an argument.
bool needs_snippet_file(const Request& request, const Preset& preset);

// Places in Stage::mounts and in an assembled root that belong to the sandbox itself.
inline constexpr std::string_view own_folder = "/run/cocoon";

// Steps that both views share (mounts.cpp).
Mount make_directory(std::string target, std::uint32_t mode);
Mount make_symlink(std::string target, std::string text);
Mount make_file(std::string target, std::string content);
Mount make_bind(std::string source, std::string target, bool writable);
Mount make_tmpfs(std::string target, std::uint32_t mode, std::uint64_t size_kib, std::uint64_t inodes);
void add_proc(std::vector<Mount>& mounts, bool root_outside);
void add_devices(std::vector<Mount>& mounts, const Settings& settings);

// A file system path of the request, as the host resolved it; refused where it does not exist or can't be reached.
Result<const PathFact*> existing(const Facts& facts, std::string_view given, std::string_view field);

// Paths that the second wall must leave writable.
std::vector<std::string> writable_places(const View& view);

}  // namespace cocoon
