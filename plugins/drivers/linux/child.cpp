// The child's side: walks the prepared steps in memory it shares with its parent, then becomes init or reports the step that failed.
//
// From the clone to the execve the child shares every byte with a parent that may have many threads. So nothing here may
// touch errno, allocate, lock, or be instrumented; the stack is the child's own. The same goes for its helper, a process
// of the same sandbox that shares its memory and descriptors too: creating a network namespace takes the kernel longer
// than all mounts together, and a second processor can do it meanwhile.
#include "child.hpp"

#include "sys.hpp"
#include "wire.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>

#if defined(__clang__)
#define COCOON_PLAIN __attribute__((no_sanitize("address", "undefined", "thread"), noinline))
#else
#define COCOON_PLAIN __attribute__((no_sanitize_address, no_sanitize_undefined, no_sanitize_thread, noinline))
#endif

namespace cocoon::linux_driver {
namespace {

constexpr int failed_exit = 125;

// clone3 has no wrapper in libc, and a child on another stack cannot return through one: it calls the function and never returns.
COCOON_PLAIN long clone3_on_stack(clone_args* args, int (*run)(void*), void* given) {
#if defined(__x86_64__)
  long result;
  register int (*function)(void*) __asm__("r12") = run;
  register void* argument __asm__("r13") = given;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "hlt\n\t"
      "1:"
      : "=a"(result)
      : "a"(static_cast<long>(SYS_clone3)), "D"(args), "S"(sizeof *args), "r"(function), "r"(argument)
      : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = SYS_clone3;
  register long x0 __asm__("x0") = reinterpret_cast<long>(args);
  register long x1 __asm__("x1") = sizeof *args;
  register int (*function)(void*) __asm__("x19") = run;
  register void* argument __asm__("x20") = given;
  __asm__ volatile(
      "svc 0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, x20\n\t"
      "blr x19\n\t"
      "brk #0\n\t"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(function), "r"(argument)
      : "x30", "memory");
  return x0;
#endif
}

struct Walk {
  const ChildTask* task;
  long* slots;
  long helper;             // the one that takes steps aside; 0: there is none
  std::size_t begin, end;  // of the steps
};

COCOON_PLAIN int walk_aside(void* argument);

// False: the helper could not be started, and its steps are to be taken here.
COCOON_PLAIN bool start_aside(Walk* walk, Walk* helpers) {
  clone_args args = {};
  args.flags = CLONE_VM | CLONE_FILES;
  args.stack = reinterpret_cast<std::uint64_t>(walk->task->aside_stack);
  args.stack_size = walk->task->aside_stack_size;
  const long pid = clone3_on_stack(&args, walk_aside, helpers);
  if (pid > 0) walk->helper = pid;
  return pid > 0;
}

COCOON_PLAIN long join_aside(Walk* walk) {
  if (walk->helper == 0) return 0;
  int status = 0;
  long result;
  do {
    result = raw_syscall(SYS_wait4, walk->helper, reinterpret_cast<long>(&status), __WALL, 0, 0, 0);
  } while (result == -EINTR);
  walk->helper = 0;
  if (result > 0 && status == failed_exit << 8)
    raw_syscall(SYS_exit_group, failed_exit, 0, 0, 0, 0, 0);  // it has told why
  return result > 0 && status != 0 ? -EIO : result;
}

// False: a step failed, and was reported.
COCOON_PLAIN bool walk_steps(Walk* walk) {
  const ChildTask* task = walk->task;
  Walk helpers;
  for (std::size_t i = walk->begin; i < walk->end; ++i) {
    const Step* step = task->steps + i;
    long a[6];
    for (int k = 0; k < 6; ++k) {
      const long argument = step->args.data()[k];
      a[k] = (step->slot_arguments >> k & 1) != 0 ? walk->slots[argument] : argument;
    }
    if (step->number == Step::store_slot) {
      *reinterpret_cast<int*>(a[0]) = static_cast<int>(walk->slots[a[1]]);
      continue;
    }
    if (step->number == Step::aside) {
      const std::size_t end = i + 1 + static_cast<std::size_t>(a[0]);
      helpers = Walk{task, walk->slots, 0, i + 1, end};
      if (start_aside(walk, &helpers)) i = end - 1;
      continue;
    }
    long result;
    do {
      result =
          step->number == Step::join ? join_aside(walk) : raw_syscall(step->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    } while (result == -EINTR);
    const bool good = result >= 0 && (step->expected < 0 || result == step->expected);
    if (good) {
      if (step->result_slot >= 0) walk->slots[step->result_slot] = result;
      continue;
    }
    const int error = result < 0 ? static_cast<int>(-result) : EIO;
    const std::int16_t* tolerated = step->tolerated.data();
    if (tolerated[0] == error || tolerated[1] == error) continue;
    wire_record record = {};
    record.kind = WIRE_STEP_FAILED;
    record.value = static_cast<std::int32_t>(i);
    record.error = error;
    raw_syscall(SYS_sendto, task->control_fd, reinterpret_cast<long>(&record), sizeof record, MSG_NOSIGNAL, 0, 0);
    return false;
  }
  return true;
}

COCOON_PLAIN int walk_aside(void* argument) {
  const bool good = walk_steps(static_cast<Walk*>(argument));
  for (;;) raw_syscall(SYS_exit_group, good ? 0 : failed_exit, 0, 0, 0, 0, 0);
}

// The last step replaces the process: who comes back has failed.
COCOON_PLAIN int walk_all(void* argument) {
  const ChildTask* task = static_cast<const ChildTask*>(argument);
  long slots[Steps::max_slots];
  Walk walk{task, slots, 0, 0, task->count};
  walk_steps(&walk);
  for (;;) raw_syscall(SYS_exit_group, failed_exit, 0, 0, 0, 0, 0);
}

}  // namespace

long start_child(std::uint64_t flags, int cgroup_fd, void* stack, std::size_t stack_size, ChildTask* task,
                 int* pid_fd) {
  clone_args args = {};
  args.flags = flags | CLONE_VM | CLONE_PIDFD | CLONE_CLEAR_SIGHAND;
  args.pidfd = reinterpret_cast<std::uint64_t>(pid_fd);
  args.exit_signal = 0;  // no SIGCHLD before the execve: who waits for any child must not take one being set up
  args.stack = reinterpret_cast<std::uint64_t>(stack);
  args.stack_size = stack_size;
  if (cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(cgroup_fd);
  }
  long pid = clone3_on_stack(&args, walk_all, task);
  // Container runtimes hide clone3 from seccomp filters that cannot read its arguments; the older call does all but groups.
  if (pid == -ENOSYS && cgroup_fd < 0) {
    pid = ::clone(walk_all, static_cast<char*>(stack) + stack_size, static_cast<int>(flags | CLONE_VM | CLONE_PIDFD),
                  task, pid_fd);
    if (pid < 0) pid = -errno;
  }
  return pid;
}

}  // namespace cocoon::linux_driver
