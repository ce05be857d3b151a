// The guest's file system as a selection of the host: what the request names, the system's programs, and private places.
#include "plan/filesystem.hpp"
#include "plan/protect.hpp"
#include "plan/shown.hpp"
#include "plan/text.hpp"

#include <cocoon/lexical.hpp>

#include <algorithm>
#include <array>

namespace cocoon {
namespace {

// Made for the guest instead of shown; resolv.conf is of use with a network only.
constexpr std::array<std::string_view, 4> synthesized{"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/hostname"};

// Where an argument this long would not leave room for the rest, the code goes into a file.
constexpr std::size_t longest_snippet = 96U << 10U;

Unexpected<Error> refuse(std::string_view field, std::string_view given, Refusal refusal) {
  return fail("bad_path", std::move(refusal.message), std::string(field) + " " + std::string(given),
              std::move(refusal.hint));
}

class HostView {
 public:
  HostView(const Request& request, const Preset* preset, const Interpreter* interpreter, const Facts& facts,
           const Settings& settings)
      : request_(request),
        preset_(preset),
        interpreter_(interpreter),
        facts_(facts),
        settings_(settings),
        shown_(facts.driver.system) {}

  Result<View> build() {
    using Step = Result<void> (HostView::*)();
    for (const Step step : {&HostView::take_writable, &HostView::take_readonly, &HostView::take_copies,
                            &HostView::take_file, &HostView::take_interpreter, &HostView::choose_places})
      if (auto done = (this->*step)(); !done) return Unexpected<Error>{std::move(done.error())};
    add_system();
    add_identity();
    add_proc(view_.mounts, facts_.uid == 0);
    add_devices(view_.mounts, settings_);
    add_scratch();
    add_snippet();
    shown_.emit(view_.mounts);
    add_work_name();
    return std::move(view_);
  }

 private:
  // A path of the request, unless it lies in the work folder and leads out of it: an earlier run can have put that link
  // there, and what it points at was granted by nobody.
  Result<const PathFact*> granted(const std::string& given, std::string_view field) {
    auto fact = existing(facts_, given, field);
    if (!fact || work_.empty()) return fact;
    const PathFact& path = **fact;
    const bool inside = is_within(path.absolute, work_) || is_within(path.absolute, work_as_given_);
    if (!inside || is_within(path.real, work_)) return fact;
    return refuse(field, given,
                  {"leads out of the work folder by a symbolic link", "name the place itself: " + path.real});
  }

  Result<void> take_writable_folder(const std::string& given, std::string_view field, std::string& place) {
    if (given.empty()) return {};
    PathFact folder;
    if (const PathFact* missing = facts_.path(given);
        missing != nullptr && missing->kind == PathKind::missing && !missing->real.empty()) {
      folder = *missing;  // made when the run starts, as a shell's redirection makes its file
      view_.create_folders.push_back(folder.real);
    } else {
      auto fact = granted(given, field);
      if (!fact) return Unexpected<Error>{std::move(fact.error())};
      folder = **fact;
      if (folder.kind != PathKind::directory) return refuse(field, given, {"is not a folder", ""});
    }
    if (auto refusal = refuse_to_write(folder.real, facts_.driver.system)) return refuse(field, given, *refusal);
    if (!folder.writable) return refuse(field, given, {"can't be written to by you", "choose a folder of your own"});
    shown_.add(folder, true);
    place = folder.real;
    if (field == "work") work_as_given_ = folder.absolute;
    return {};
  }

  Result<void> take_writable() {
    if (auto taken = take_writable_folder(request_.work, "work", work_); !taken) return taken;
    return take_writable_folder(request_.temp, "temp", temp_);
  }

  Result<void> take_readonly() {
    for (const std::string& given : request_.ro) {
      auto fact = granted(given, "ro");
      if (!fact) return Unexpected<Error>{std::move(fact.error())};
      const PathFact& path = **fact;
      if (auto refusal = refuse_to_show(path.real)) return refuse("ro", given, *refusal);
      if (path.kind == PathKind::other) return refuse("ro", given, {"is neither a file nor a folder", ""});
      if (path.real == work_ || path.real == temp_)
        return fail("conflict", "is asked for read-only and writable at once", "ro " + given,
                    std::string("leave out one of ro and ") + (path.real == work_ ? "work" : "temp"));
      shown_.add(path, false);
      if (first_ro_ == nullptr) first_ro_ = &path;
    }
    // Nothing is asked for: the current directory, unless it is no place to be shown unasked.
    if (request_.ro.empty() && may_show_unasked(facts_.cwd)) {
      PathFact current;
      current.absolute = current.real = facts_.cwd;
      shown_.add(current, false);
    }
    if (!work_.empty() && !request_.allow_protected) {
      Protection protection = protect(work_, facts_, shown_);
      view_.protected_paths = std::move(protection.watched);
      view_.protected_kept = std::move(protection.kept);
    }
    return {};
  }

  bool may_show_unasked(std::string_view folder) const {
    return settings_.show_current_folder && cocoon::may_show_unasked(folder, facts_.home);
  }

  Result<void> take_copies() {
    for (const std::string& given : request_.copy) {
      auto fact = granted(given, "copy");
      if (!fact) return Unexpected<Error>{std::move(fact.error())};
      const PathFact& path = **fact;
      if (path.kind == PathKind::other) return refuse("copy", given, {"is neither a file nor a folder", ""});
      if (path.real == "/" || path.absolute == "/" || is_kernel_path(path.real))
        return refuse("copy", given, {"can't be copied", "name the folder that you need"});
      if (!work_.empty() && is_within(work_, path.real))
        return refuse("copy", given, {"holds the work folder, into which it is to be copied", ""});
      const std::string name(base_name_of(path.absolute));
      if (path.real == work_ + "/" + name)
        return refuse("copy", given, {"is in the work folder already", "leave it out: the guest works on it there"});
      for (const Copy& other : view_.copies)
        if (other.name == name)
          return refuse("copy", given, {"has the same name in the work folder as " + quoted(other.source), ""});
      view_.copies.push_back({path.real, name});
      // What we put there ourselves was not created by the run.
      const auto copied = [&](const std::string& protected_path) { return is_within(protected_path, name); };
      std::erase_if(view_.protected_paths, copied);
      std::erase_if(view_.protected_kept, copied);
    }
    return {};
  }

  Result<void> take_file() {
    if (request_.file.empty()) return {};
    auto fact = granted(request_.file, "file");
    if (!fact) return Unexpected<Error>{std::move(fact.error())};
    const PathFact& path = **fact;
    if (auto refusal = refuse_to_show(path.real)) return refuse("file", request_.file, *refusal);
    if (path.kind == PathKind::other) return refuse("file", request_.file, {"is neither a file nor a folder", ""});
    view_.file = path.real;
    show_unless_covered(path.real);
    return {};
  }

  Result<void> take_interpreter() {
    if (preset_ == nullptr) return {};
    const Interpreter& interpreter = *interpreter_;
    for (const std::string& directory : interpreter.directories) {
      if (auto refusal = refuse_to_show(directory)) return refuse("runtime " + preset_->name, directory, *refusal);
      show_unless_covered(directory);
    }
    for (const Interpreter::Link& link : interpreter.links) {
      if (auto refusal = refuse_to_show(link.real)) return refuse("runtime " + preset_->name, link.real, *refusal);
      PathFact fact;
      fact.absolute = link.path;
      fact.real = link.real;
      shown_.add(fact, false);
    }
    if (shown_.reaches(interpreter.executable)) return {};
    return fail("runtime_hidden", interpreter.executable + " lies outside of what the guest sees",
                "runtime " + preset_->name, "show its folder with ro, or install the runtime below /usr");
  }

  void show_unless_covered(const std::string& path) {
    if (shown_.covers(path)) return;
    PathFact fact;
    fact.absolute = fact.real = path;
    shown_.add(fact, false);
  }

  // The sandbox's own places make way for what the request shows at the same path.
  Result<void> choose_places() {
    const std::string own(own_folder);
    private_tmp_ = shown_.occupies("/tmp") ? own + "/tmp" : "/tmp";
    view_.scratch = temp_.empty() ? private_tmp_ : temp_;
    view_.home = temp_.empty() ? private_tmp_ + "/home" : temp_;
    while (temp_.empty() && shown_.occupies(view_.home)) view_.home += "_";
    if (!work_.empty()) {
      view_.workspace = work_;
    } else if (!view_.copies.empty() || settings_.shared_work_kib != 0) {
      view_.workspace = shown_.occupies_below("/work") ? own + "/work" : "/work";
    }
    return choose_cwd();
  }

  Result<void> choose_cwd() {
    if (!request_.cwd.empty()) {
      view_.cwd = request_.cwd;
      const auto own = [&](const std::string& place) { return !place.empty() && is_within(view_.cwd, place); };
      if (shown_.reaches(view_.cwd) || own(private_tmp_) || own(view_.workspace) || view_.cwd == "/work") return {};
      return fail("bad_path", "is not among what the guest sees", "cwd " + request_.cwd,
                  "show the folder with ro or work");
    }
    if (!view_.workspace.empty()) {
      view_.cwd = view_.workspace;
    } else if (first_ro_ != nullptr && first_ro_->kind == PathKind::directory) {
      view_.cwd = first_ro_->real;
    } else {
      view_.cwd = "/";
      if (shown_.covers(facts_.cwd) || (shown_.reaches(facts_.cwd) && may_show_unasked(facts_.cwd)))
        view_.cwd = facts_.cwd;
    }
    return {};
  }

  void add_system() {
    for (const SystemEntry& entry : facts_.driver.system) {
      if (contains(synthesized, entry.path)) continue;
      if (entry.path == "/etc/resolv.conf" && settings_.net != Network::host) continue;
      if (is_kernel_path(entry.path)) continue;  // add_proc and add_devices make them
      if (entry.path == "/etc/resolv.conf" && !entry.symlink.empty()) {
        // It leads to where a service keeps the file (/run), which is not there inside; the driver says where that is.
        view_.mounts.push_back(make_bind(entry.symlink, entry.path, false));
        view_.mounts.back().optional = true;
      } else if (!entry.symlink.empty()) {
        view_.mounts.push_back(make_symlink(entry.path, entry.symlink));
      } else if (entry.kind == PathKind::directory || entry.kind == PathKind::file) {
        view_.mounts.push_back(make_bind(entry.path, entry.path, false));
      }
    }
  }

  // Programs look up who they run as and where they are; the host's own files would tell who else is there.
  void add_identity() {
    const std::string uid = std::to_string(facts_.uid);
    const std::string gid = std::to_string(facts_.gid);
    std::string passwd = "cocoon:x:" + uid + ":" + gid + ":cocoon:" + view_.home + ":/bin/sh\n";
    if (facts_.uid != 0) passwd += "root:x:0:0:root:/:/bin/sh\n";
    if (facts_.uid != 65534) passwd += "nobody:x:65534:65534:nobody:/:/bin/sh\n";
    std::string group = "cocoon:x:" + gid + ":\n";
    if (facts_.gid != 0) group += "root:x:0:\n";
    if (facts_.gid != 65534) group += "nogroup:x:65534:\n";
    const std::string name = request_.hostname.empty() ? "cocoon" : request_.hostname;
    view_.mounts.push_back(make_file("/etc/passwd", passwd));
    view_.mounts.push_back(make_file("/etc/group", group));
    view_.mounts.push_back(
        make_file("/etc/hosts", "127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 " + name + "\n"));
    view_.mounts.push_back(make_file("/etc/hostname", name + "\n"));
  }

  void add_scratch() {
    if (private_tmp_ == "/tmp" || temp_.empty())
      view_.mounts.push_back(make_tmpfs(private_tmp_, 01777, settings_.disk_kib, settings_.inodes));
    if (temp_.empty()) view_.mounts.push_back(make_directory(view_.home, 0700));
    if (view_.workspace.empty() || !work_.empty()) return;
    const bool shared = settings_.shared_work_kib != 0;
    const std::uint64_t size_kib = shared ? settings_.shared_work_kib : settings_.disk_kib;
    view_.mounts.push_back(make_tmpfs(view_.workspace, 0755, size_kib, settings_.inodes));
    view_.mounts.back().shared = shared;
  }

  void add_snippet() {
    if (preset_ == nullptr || !needs_snippet_file(request_, *preset_)) return;
    view_.file = std::string(own_folder) + "/" + preset_->snippet_file;
    const std::string& start = preset_->snippet_start;
    // PHP's may come after a page's text, and be shorter: what holds any of its kind is left as it is.
    const bool starts = request_.code->starts_with(trim(start)) ||
                        (start.starts_with("<?") && request_.code->find("<?") != std::string::npos);
    view_.mounts.push_back(make_file(view_.file, starts ? *request_.code : start + *request_.code));
  }

  // The work folder's second name is a link and no second mount: what is read-only in the folder has to stay so.
  void add_work_name() {
    if (!work_.empty() && !shown_.occupies_below("/work")) view_.mounts.push_back(make_symlink("/work", work_));
  }

  const Request& request_;
  const Preset* preset_;
  const Interpreter* interpreter_;
  const Facts& facts_;
  const Settings& settings_;
  Shown shown_;
  View view_;
  std::string work_;
  std::string temp_;
  std::string work_as_given_;  // absolute, with its symbolic links
  std::string private_tmp_;
  const PathFact* first_ro_ = nullptr;
};

}  // namespace

bool needs_snippet_file(const Request& request, const Preset& preset) {
  // What begins with a dash would be taken for an option by some.
  return request.code &&
         (preset.snippet.empty() || request.code->size() > longest_snippet || request.code->starts_with('-'));
}

Result<View> host_view(const Request& request, const Preset* preset, const Interpreter* interpreter, const Facts& facts,
                       const Settings& settings) {
  return HostView(request, preset, interpreter, facts, settings).build();
}

}  // namespace cocoon
