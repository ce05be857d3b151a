// The host's files and folders that a guest is shown, each at its own path.
#pragma once

#include "plan/facts.hpp"

#include <cocoon/plan.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon {

// Collects what is to be shown, then turns it into mounts: parents before children, so that the deepest mention of a
// path decides about it, and nothing that its surroundings show already.
//
// Everything is mounted at the path that it really has on the host. Two mounts can then never show one file at two
// places with different rights, and a mount point always exists in the folder that is mounted above it: nothing is
// created on the host. Spellings that lead there through symbolic links become symbolic links inside.
class Shown {
 public:
  explicit Shown(const std::vector<SystemEntry>& system) : system_(system) {}

  // Shows fact.real; once writable, a path stays so.
  void add(const PathFact& fact, bool writable);
  // Shows path, which is real, although what is around it has the same rights: a mount point can't be moved away.
  // movable: a folder above it can, so that a later step of a pipeline may not find it any more.
  void pin(const std::string& path, bool writable, bool movable = false);

  bool covers(std::string_view path) const;          // it is visible in something added, or in the system tree
  bool reaches(std::string_view path) const;         // likewise, through links too, or on the way to something
  bool occupies(std::string_view path) const;        // something is, or a link will be, at path
  bool occupies_below(std::string_view path) const;  // likewise, or below it

  void emit(std::vector<Mount>& mounts) const;

 private:
  struct Entry {
    std::string path;
    bool writable = false;
    bool pinned = false;
    bool movable = false;
  };
  struct Link {
    std::string spelling;
    std::string real;
  };

  bool in_system(std::string_view path, bool through_links) const;
  bool is_redundant(const Entry& entry) const;
  bool is_needed(const Link& link) const;

  const std::vector<SystemEntry>& system_;
  std::vector<Entry> entries_;
  std::vector<Link> links_;
};

// Why a path can't be shown to the guest at all, or not be given to it to write; empty: it can.
struct Refusal {
  std::string message;
  std::string hint;
};
std::optional<Refusal> refuse_to_show(std::string_view path);
std::optional<Refusal> refuse_to_write(std::string_view path, const std::vector<SystemEntry>& system);

// Whether a folder is one that may be shown because the caller happens to stand in it, and not because it was named.
// home: the caller's home folder; empty: none.
bool may_show_unasked(std::string_view folder, std::string_view home);

// The kernel's own file systems: nothing in them is a file that one could show, copy or keep.
bool is_kernel_path(std::string_view path);

}  // namespace cocoon
