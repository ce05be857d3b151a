// Run: one stage of a plan, from prepared steps to a classified Outcome.
#include "run.hpp"

#include "child.hpp"
#include "classify.hpp"
#include "copies.hpp"
#include "init_program.hpp"
#include "isolate.hpp"
#include "supervise.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace cocoon::linux_driver {
namespace {

constexpr std::size_t child_stack_bytes = 65536, aside_stack_bytes = 16384;

Outcome setup_failed(Error error) {
  Outcome outcome;
  outcome.status = Status::setup_failed;
  outcome.exit_code = 125;
  outcome.error = std::move(error);
  return outcome;
}

Error system_error(const std::string& what) {
  const int error = errno;
  return {"setup_failed", what + ": " + std::strerror(error), "",
          error == EMFILE || error == ENFILE || error == EINVAL
              ? "raise the limit of open files (ulimit -n) or run less at once"
              : ""};
}

// Pairs of descriptors, the guest's ends numbered above 9 so that they are not in the way of its 0, 1, 2 and init's 3.
class Channels {
 public:
  Channels() = default;
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;
  ~Channels() {
    close_guest_ends();
    for (const int fd : {ends.control, ends.output[0], ends.output[1], ends.input})
      if (fd >= 0) ::close(fd);
  }

  Result<void> open(bool with_input) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return failed("make the record channel");
    ends.control = wiring.supervisor = pair[0];
    if (auto moved = move_up(pair[1], wiring.control); !moved) return moved;
    for (int stream = 0; stream < 2; ++stream) {
      if (::pipe2(pair, O_CLOEXEC) != 0) return failed("make an output pipe");
      ends.output[stream] = pair[0];
      if (auto moved = move_up(pair[1], stream == 0 ? wiring.stdout_write : wiring.stderr_write); !moved) return moved;
    }
    if (::pipe2(pair, O_CLOEXEC) != 0) return failed("make the input pipe");
    ends.input = pair[1];
    if (auto moved = move_up(pair[0], wiring.stdin_read); !moved) return moved;
    if (!with_input) {
      ::close(ends.input);  // the guest reads an end of file at once
      ends.input = -1;
    }
    return {};
  }

  void close_guest_ends() {
    for (int* fd : {&wiring.stdin_read, &wiring.stdout_write, &wiring.stderr_write, &wiring.control}) {
      if (*fd >= 0) ::close(*fd);
      *fd = -1;
    }
  }

  // The supervisor closes them from now on.
  Ends take_ends() {
    const Ends taken = ends;
    ends = Ends{};
    return taken;
  }

  Wiring wiring;
  Ends ends;

 private:
  static Unexpected<Error> failed(const char* what) { return {system_error(std::string("cannot ") + what)}; }

  static Result<void> move_up(int fd, int& place) {
    if (fd > 9) {
      place = fd;
      return {};
    }
    place = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
    const int error = errno;
    ::close(fd);
    errno = error;
    return place < 0 ? Result<void>(failed("move a descriptor")) : Result<void>();
  }
};

// The child's stack, and below it that of its helper; what runs over either meets a page that is not there.
class ChildStack {
 public:
  ChildStack() : base_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    if (base_ == MAP_FAILED) return;
    ::mprotect(base_, guard_bytes, PROT_NONE);
    ::mprotect(at(guard_bytes + aside_stack_bytes), guard_bytes, PROT_NONE);
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  ~ChildStack() {
    if (base_ != MAP_FAILED) ::munmap(base_, bytes);
  }
  void* child() const { return at(2 * guard_bytes + aside_stack_bytes); }
  void* aside() const { return at(guard_bytes); }
  bool good() const { return base_ != MAP_FAILED; }

 private:
  static constexpr std::size_t guard_bytes = 65536;  // a page, however large pages are
  static constexpr std::size_t bytes = 2 * guard_bytes + child_stack_bytes + aside_stack_bytes;
  void* at(std::size_t offset) const { return static_cast<char*>(base_) + offset; }
  void* base_;
};

// The work and temp folders that the caller named and that are not there yet. No link is followed on the way.
class CreatedFolders {
 public:
  CreatedFolders() = default;
  CreatedFolders(const CreatedFolders&) = delete;
  CreatedFolders& operator=(const CreatedFolders&) = delete;
  // Those that the run turned out not to need are taken away again, unless something is in them.
  ~CreatedFolders() {
    if (keep_) return;
    for (auto path = made_.rbegin(); path != made_.rend(); ++path) ::rmdir(path->c_str());
  }
  void keep() { keep_ = true; }

  Result<void> create(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const std::size_t slash = path.rfind('/');
      const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
      open_how how = {};
      how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
      how.resolve = RESOLVE_NO_SYMLINKS;
      const int folder = static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, parent.c_str(), &how, sizeof how));
      const bool made = folder >= 0 && ::mkdirat(folder, path.c_str() + slash + 1, 0755) == 0;
      if (made) made_.push_back(path);
      const int error = errno;
      if (folder >= 0) ::close(folder);
      if (!made && error != EEXIST)
        return fail("setup_failed", std::string("cannot make the folder: ") + std::strerror(error), path);
    }
    return {};
  }

 private:
  std::vector<std::string> made_;
  bool keep_ = false;
};

// Everything the child reads until its execve. Never freed for a child that the kernel could not kill in time.
struct Shared {
  Isolation isolation;
  ChildStack stack;
  ChildTask task;
};

// Children that were killed but had not died when their run had to return; reaped at the next run.
class Unreaped {
 public:
  void add(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.push_back(pid);
  }
  void reap() {
    const std::lock_guard lock(mutex_);
    std::erase_if(pids_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG | __WALL) != 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};

Unreaped& unreaped() {
  static Unreaped instance;
  return instance;
}

}  // namespace

Outcome run_stage(const Stage& stage, const cocoon_run_io& io, const std::function<void(Steps&)>& edit, Baton* baton) {
  unreaped().reap();
  if (stage.argv.empty()) return setup_failed({"bad_plan", "there is no command", "stages[].argv", ""});
  if (stage.identity.uid_outside != ::geteuid() || stage.identity.gid_outside != ::getegid())
    return setup_failed({"bad_plan", "the plan was made for another user", "stages[].identity",
                         "make the plan as the user who runs it"});

  Channels channels;
  if (auto opened = channels.open(stage.stdin_open && io.stdin_fd >= 0); !opened) return setup_failed(opened.error());
  const Result<int> init = init_program();
  if (!init) return setup_failed(init.error());
  channels.wiring.init = *init;
  if (baton) channels.wiring.shared = baton->shared;
  Result<RunCgroups> groups = RunCgroups::create(stage.limits);
  if (!groups) return setup_failed(groups.error());

  auto shared = std::make_unique<Shared>();
  Isolation& isolation = shared->isolation;
  if (!shared->stack.good()) return setup_failed(system_error("cannot map the child's stack"));
  CreatedFolders folders;
  if (auto made = folders.create(stage.create_folders); !made) return setup_failed(made.error());
  if (auto prepared = prepare_isolation(isolation, stage, channels.wiring, *groups, baton && baton->hand_on); !prepared)
    return setup_failed(prepared.error());
  if (edit) edit(isolation.steps);
  shared->task = {isolation.steps.list().data(), isolation.steps.list().size(), channels.wiring.control,
                  shared->stack.aside(), aside_stack_bytes};

  // A signal handler of the host program must never run in the child, on memory that is not its own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int pid_fd = -1;
  const long pid = start_child(isolation.clone_flags, groups->clone_into(), shared->stack.child(), child_stack_bytes,
                               &shared->task, &pid_fd);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return setup_failed(explain_clone_failure(static_cast<int>(-pid)));
  channels.close_guest_ends();
  channels.ends.pid_fd = pid_fd;

  const Ending ending = supervise(stage, isolation.watch, *groups, pid, channels.take_ends(), io,
                                  [&](int workspace, const std::function<bool()>& stop) -> Result<void> {
                                    for (const Copy& copy : stage.copies)
                                      if (auto copied = copy_into(copy, workspace, stop); !copied) return copied;
                                    return {};
                                  });
  if (baton) baton->shared = ending.shared;
  Outcome outcome = classify(stage, ending, *groups, isolation.steps);
  if (outcome.status != Status::setup_failed) folders.keep();
  if (!ending.reaped) {
    groups->abandon();
    unreaped().add(static_cast<pid_t>(pid));
    (void)shared.release();
  }
  return outcome;
}

}  // namespace cocoon::linux_driver
