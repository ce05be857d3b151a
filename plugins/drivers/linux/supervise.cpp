// Supervise: follows one sandbox from its clone to its end: output, input, limits, deadline, cancellation.
#include "supervise.hpp"

#include "kill_tree.hpp"
#include "pipes.hpp"
#include "sampler.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

namespace cocoon::linux_driver {
namespace {

constexpr Nanoseconds kill_patience = 90 * millisecond;
constexpr int pid_by_fd = 3;  // P_PIDFD, which this libc only has as a macro of a clashing header

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

class Supervisor {
 public:
  Supervisor(const Stage& stage, const Watch& watch, const RunCgroups& groups, long pid, Ends ends,
             const cocoon_run_io& io)
      : stage_(stage),
        watch_(watch),
        groups_(groups),
        pid_(pid),
        ends_(ends),
        io_(io),
        pipes_(ends.output, ends.input, io, stage.limits.output_bytes) {
    tmpfs_.assign(watch.tmpfs.size(), -1);
    ready_ = tmpfs_.empty() && !watch.has_proc && !watch.has_workspace;  // nothing will be handed over
  }

  ~Supervisor() {
    // Something was thrown: the guest must not outlive its supervision, nor the memory that its set-up runs in.
    if (!dead_ && !given_up_ && ends_.pid_fd >= 0) {
      ::syscall(SYS_pidfd_send_signal, ends_.pid_fd, SIGKILL, nullptr, 0);
      siginfo_t info = {};
      ::syscall(SYS_waitid, pid_by_fd, ends_.pid_fd, &info, WEXITED | __WALL, nullptr);
    }
    for (int* fd : {&ends_.pid_fd, &ends_.control, &proc_, &shm_, &workspace_, &shared_}) close_fd(*fd);
    for (int& fd : tmpfs_) close_fd(fd);
  }

  Ending run(const StageCopies& stage_copies) {
    start_ = now();
    deadline_ = start_ + static_cast<Nanoseconds>(stage_.limits.timeout_ms) * millisecond;
    // Set-up takes a part of it, and a short program has ended by then and costs no look at all.
    next_tick_ = start_ + time_to_next_look(0);
    while (!dead_) {
      wait();
      read_records(stage_copies);
      if (poll_cancel_ && !killed_by_us()) kill(KillReason::cancelled);
      pipes_.move();
      if (pipes_.too_much()) kill(KillReason::output);
      const Nanoseconds time = now();
      if (time >= next_tick_ && !dead_) tick(time);
      if (time >= deadline_ && ending_.killed == KillReason::none)
        kill(ready_ ? KillReason::timeout : KillReason::setup);
      if (poll_dead_) reap();
      if (killed_by_us() && !dead_ && time >= killed_at_ + kill_patience) break;
      if (ending_.exited && !dead_ && time >= exited_at_ + kill_patience) break;
    }
    given_up_ = !dead_;
    finish();
    ending_.shared = std::exchange(shared_, -1);
    return ending_;
  }

 private:
  bool killed_by_us() const { return ending_.killed != KillReason::none; }

  void kill(KillReason reason) {
    if (ending_.killed != KillReason::none) return;
    ending_.killed = reason;
    killed_at_ = now();
    if (sampler_) {  // the last look at what is about to vanish, and a short one: the call has to return
      const Sample last = sampler_->take();
      ending_.sampled_cpu_us = std::max(ending_.sampled_cpu_us, last.cpu_us);
      if (stage_.limits.memory_by != Enforcer::supervisor)
        ending_.sampled_peak_kib = std::max(ending_.sampled_peak_kib, last.resident_kib);
    }
    ::syscall(SYS_pidfd_send_signal, ends_.pid_fd, SIGKILL, nullptr, 0);
    // Its end brings that of all others, but init has to get the processor first, from whoever keeps it busy.
    kill_descendants(pid_);
  }

  void wait() {
    PollSet set;
    const int dead = set.add(ends_.pid_fd, POLLIN);
    set.add(ends_.control, POLLIN);
    const int cancel = killed_by_us() ? -1 : set.add(io_.cancel_fd, POLLIN);
    Nanoseconds until = deadline_;
    if (killed_by_us()) until = killed_at_ + kill_patience;
    if (ending_.exited) until = std::min(until, exited_at_ + kill_patience);
    until = std::min(until, std::max(next_tick_, now()));
    if (!pipes_.add_to(set)) until = std::min(until, now() + 10 * millisecond);
    const timespec timeout = as_timespec(std::max<Nanoseconds>(0, until - now()));
    if (::ppoll(set.fds, set.count, &timeout, nullptr) <= 0) return;
    poll_dead_ = set.answered(dead);
    poll_cancel_ = set.answered(cancel);
  }

  void read_records(const StageCopies& stage_copies) {
    while (ends_.control >= 0) {
      wire_record record;
      iovec data{&record, sizeof record};
      alignas(cmsghdr) unsigned char control[CMSG_SPACE(sizeof(int) * 16)];
      msghdr message = {};
      message.msg_iov = &data;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      const ssize_t length = ::recvmsg(ends_.control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (length < 0 && errno == EINTR) continue;
      if (length < 0) return;
      if (length != sizeof record)
        return close_fd(ends_.control);  // end of the channel: init is gone or is the payload
      switch (record.kind) {
        case WIRE_DESCRIPTORS:
          if (!take_descriptors(message, record.value)) {
            kill(KillReason::blind);
            break;
          }
          ready_ = true;
          if (watch_.wait_for_copies) {
            if (auto copied = stage_copies(workspace_, [this] { return staging_must_stop(); }); !copied) {
              ending_.copy_error = copied.error();
              kill(KillReason::setup);
            } else {
              start_ = now();  // staging is ours, not the guest's time
              deadline_ = start_ + static_cast<Nanoseconds>(stage_.limits.timeout_ms) * millisecond;
              ::send(ends_.control, "", 1, MSG_NOSIGNAL);
            }
          }
          break;
        case WIRE_STEP_FAILED:
          ending_.failed = record;
          break;
        case WIRE_EXEC_FAILED:
          ending_.exec_failed = record;
          break;
        case WIRE_STARTED:
          started_ns_ = static_cast<Nanoseconds>(record.start_ns);
          setup_cpu_us_ = record.cpu_us;
          next_tick_ = now() + millisecond / 4;  // its own peak is only to be had while it lives: look early
          ending_.started = true;
          break;
        case WIRE_EXITED:
          ending_.exited = record;
          exited_at_ = now();
          ending_.started = true;
          break;
        default:
          break;
      }
    }
  }

  // False: not all of them arrived (no descriptors are left here), and limits would go unwatched.
  bool take_descriptors(msghdr& message, std::int32_t sent) {
    std::vector<int> received;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      const auto* numbers = reinterpret_cast<const int*>(CMSG_DATA(header));
      const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      received.assign(numbers, numbers + count);
    }
    if (received.size() != static_cast<std::size_t>(sent)) {
      for (const int fd : received) ::close(fd);
      return false;
    }
    std::size_t next = 0;
    const auto take = [&](bool wanted) { return wanted && next < received.size() ? received[next++] : -1; };
    proc_ = take(watch_.has_proc);
    shm_ = take(watch_.has_sysv_shm);
    workspace_ = take(watch_.has_workspace);
    shared_ = take(!watch_.hand_on.empty());
    for (int& fd : tmpfs_) fd = take(true);
    if (proc_ >= 0) sampler_.emplace(proc_, shm_, stage_.init);
    return true;
  }

  bool staging_must_stop() const {
    pollfd cancel{io_.cancel_fd, POLLIN, 0};
    return (io_.cancel_fd >= 0 && ::poll(&cancel, 1, 0) > 0) || now() >= deadline_;
  }

  bool sampled_limits() const {
    return stage_.limits.memory_by == Enforcer::supervisor || stage_.limits.pids_by == Enforcer::supervisor ||
           stage_.limits.pids_by == Enforcer::rlimit;
  }

  void tick(Nanoseconds time) {
    sample(time);
    if (!stage_.init && started_ns_)
      interval_ = std::min(interval_, std::max(millisecond / 2, (time - started_ns_) / 2));
    next_tick_ = time + interval_;
  }

  void sample(Nanoseconds time) {
    const Limits& limits = stage_.limits;
    interval_ = sampled_limits() ? 10 * millisecond : 25 * millisecond;
    if (sampler_) {
      const Sample sample = sampler_->take();
      blind_looks_ = sample.blind ? blind_looks_ + 1 : 0;
      if (blind_looks_ >= 3) kill(KillReason::blind);
      ending_.sampled_cpu_us = std::max(ending_.sampled_cpu_us, sample.cpu_us);
      if (limits.pids && limits.pids_by != Enforcer::cgroup1 && limits.pids_by != Enforcer::cgroup2 &&
          sample.tasks > limits.pids) {
        ending_.pids_over = true;
        kill(KillReason::pids);
      }
      if (limits.cpu_ms && sample.cpu_us > limits.cpu_ms * 1000) kill(KillReason::cpu);
      watch_memory(sample);
    }
    if (!killed_by_us() && time - last_slow_look_ >= 20 * millisecond) {
      last_slow_look_ = time;
      look_at_disk();
      look_at_cgroups();
    }
  }

  // Private memory is looked at every time (a program can use much that is not resident: page tables, swap). From half
  // the limit on, where several processes may share pages, those are counted once: exactly when processes have come or
  // gone, and by adding growth to that figure in between.
  void watch_memory(const Sample& sample) {
    const Limits& limits = stage_.limits;
    std::uint64_t used = sample.resident_kib;
    // The first look may still meet init's image instead of the payload's.
    if (!stage_.init && ++looks_ > 1) used = std::max(used, sampler_->peak_of_first_kib());
    if (!stage_.init && looks_ <= 1) return;
    ending_.sampled_peak_kib =
        std::max(ending_.sampled_peak_kib, std::min(used, limits.memory_kib ? limits.memory_kib : used));
    if (limits.memory_by != Enforcer::supervisor || !limits.memory_kib) return;
    const std::uint64_t sysv_kib = sampler_->sysv_shm_kib();
    const auto sum = [&](const Sampler::Private& memory) {
      return memory.own_kib + std::max(memory.shared_kib, sysv_kib);
    };
    used = sum(sampler_->private_memory());
    if (used > limits.memory_kib / 2 && sample.processes > 1) {
      if (sample.processes != exact_processes_ || used < exact_base_kib_ || ++since_exact_ >= 200) {
        exact_base_kib_ = used;
        exact_kib_ = sum(sampler_->exact_memory());
        exact_processes_ = sample.processes;
        since_exact_ = 0;
      }
      used = exact_kib_ + (used - exact_base_kib_);
    }
    if (used > limits.memory_kib) {
      ending_.sampled_peak_kib = std::max(ending_.sampled_peak_kib, used);
      kill(KillReason::memory);
    }
    interval_ = time_to_next_look(used);
  }

  // Memory grows by a few GB/s at most: the nearer the limit, the sooner the next look.
  Nanoseconds time_to_next_look(std::uint64_t used_kib) const {
    const Limits& limits = stage_.limits;
    if (limits.memory_by != Enforcer::supervisor || !limits.memory_kib) return 10 * millisecond;
    const auto headroom_kib = static_cast<Nanoseconds>(limits.memory_kib - std::min(limits.memory_kib, used_kib));
    const Nanoseconds fill_time = headroom_kib * 120;  // at 8 GiB/s
    return std::clamp(fill_time / 2, millisecond, 10 * millisecond);
  }

  void look_at_disk() {
    for (const int fd : tmpfs_) {
      struct statfs info;
      if (fd < 0 || ::fstatfs(fd, &info) != 0) continue;
      const bool no_space = info.f_blocks != 0 && info.f_bavail == 0;
      const bool no_inodes = info.f_files != 0 && info.f_ffree == 0;
      if (no_space || no_inodes) ending_.disk_full = true;
    }
  }

  void look_at_cgroups() {
    if (stage_.limits.pids_by == Enforcer::cgroup1 || stage_.limits.pids_by == Enforcer::cgroup2) {
      if (groups_.refused_forks() > 0) {
        ending_.pids_over = true;
        kill(KillReason::pids);
      }
    }
    // The kernel killed one process of the tree: the run is over as a whole, not limping on with a part missing.
    if (groups_.oom_kills() > 0) kill(KillReason::memory);
  }

  void reap() {
    siginfo_t info = {};
    rusage usage = {};
    if (::syscall(SYS_waitid, pid_by_fd, ends_.pid_fd, &info, WEXITED | __WALL | WNOHANG, &usage) != 0) {
      // Somebody else reaped it: the kernel, where the host program ignores SIGCHLD (after an execve the signal is back,
      // whatever the clone asked for), or a host program that waits for any child. Waiting on would never end.
      if (errno == ECHILD) dead_ = ending_.reaped = ending_.status_lost = true;
      return;
    }
    if (info.si_pid == 0) return;
    dead_ = true;
    ending_.reaped = true;
    ending_.init_status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
    if (stage_.init) return;
    const std::uint64_t cpu_us = static_cast<std::uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 +
                                 static_cast<std::uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    ending_.waited_cpu_us = cpu_us - std::min(cpu_us, setup_cpu_us_);
    // The payload is the process that was cloned from us, and the kernel carries the peak of the memory it left with its
    // first execve along. Up to our own size the figure is therefore ours.
    rusage own = {};
    ::getrusage(RUSAGE_SELF, &own);
    ending_.max_rss_kib = static_cast<std::uint64_t>(usage.ru_maxrss);
    ending_.max_rss_is_ours = usage.ru_maxrss <= own.ru_maxrss;
  }

  // The sandbox is gone: what is left in the pipes, in the channel and in the scratch is all there will ever be.
  void finish() {
    const Nanoseconds end = now();
    read_records([](int, const std::function<bool()>&) { return Result<void>{}; });
    Nanoseconds begin = started_ns_ ? started_ns_ : start_;
    Nanoseconds finish_time = end;
    if (ending_.exited) {
      begin = static_cast<Nanoseconds>(ending_.exited->start_ns);
      finish_time = static_cast<Nanoseconds>(ending_.exited->end_ns);
      ending_.max_rss_kib = std::max(ending_.max_rss_kib, ending_.exited->max_rss_kib);
      ending_.waited_cpu_us = std::max(ending_.waited_cpu_us, ending_.exited->cpu_us);
    }
    ending_.duration_ms = static_cast<double>(std::max<Nanoseconds>(0, finish_time - begin)) / 1e6;
    if (ready_ && !ending_.failed && !ending_.copy_error && ending_.killed != KillReason::setup) ending_.started = true;
    look_at_disk();
    if (groups_.refused_forks() > 0) ending_.pids_over = true;
    ending_.planted = planted_files(stage_, workspace_, watch_.kept);
    // A reader that is slow may take until the deadline; after a kill only what the call may still last.
    pipes_.drain(killed_by_us() ? end + 5 * millisecond : std::max(deadline_, end + 5 * millisecond));
    if (pipes_.too_much() && !killed_by_us()) ending_.killed = KillReason::output;
    for (int stream = 0; stream < 2; ++stream) ending_.output_bytes[stream] = pipes_.bytes(stream);
  }

  const Stage& stage_;
  const Watch& watch_;
  const RunCgroups& groups_;
  long pid_;
  Ends ends_;
  const cocoon_run_io& io_;
  Pipes pipes_;

  Ending ending_;
  std::uint64_t setup_cpu_us_ = 0;
  Nanoseconds start_ = 0, deadline_ = 0, next_tick_ = 0, killed_at_ = 0, exited_at_ = 0, started_ns_ = 0,
              last_slow_look_ = 0;
  Nanoseconds interval_ = 10 * millisecond;
  unsigned since_exact_ = 0, looks_ = 0, blind_looks_ = 0;
  std::uint64_t exact_kib_ = 0, exact_base_kib_ = 0, exact_processes_ = 0;
  bool ready_ = false, dead_ = false, given_up_ = false, poll_dead_ = false, poll_cancel_ = false;
  int proc_ = -1, shm_ = -1, workspace_ = -1, shared_ = -1;
  std::vector<int> tmpfs_;
  std::optional<Sampler> sampler_;
};

}  // namespace

Ending supervise(const Stage& stage, const Watch& watch, const RunCgroups& groups, long pid, Ends ends,
                 const cocoon_run_io& io, const StageCopies& stage_copies) {
  // Not on the stack: callers may have a small one.
  return std::make_unique<Supervisor>(stage, watch, groups, pid, ends, io)->run(stage_copies);
}

}  // namespace cocoon::linux_driver
