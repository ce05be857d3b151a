// The child's side: walks the prepared steps in memory it shares with its parent, then becomes init or reports the step that failed.
//
// From the clone to the execve the child shares every byte with a parent that may have many threads. So nothing here may
// touch errno, allocate, lock, or be instrumented; the stack is the child's own.
#include "child.hpp"

#include "sys.hpp"
#include "wire.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>

#if defined(__clang__)
#define COCOON_PLAIN __attribute__((no_sanitize("address", "undefined", "thread"), noinline))
#else
#define COCOON_PLAIN __attribute__((no_sanitize_address, no_sanitize_undefined, no_sanitize_thread, noinline))
#endif

namespace cocoon::linux_driver {
namespace {

COCOON_PLAIN int walk(void* argument) {
  const ChildTask* task = static_cast<const ChildTask*>(argument);
  long slots[Steps::max_slots];
  for (std::size_t i = 0; i < task->count; ++i) {
    const Step* step = task->steps + i;
    long a[6];
    for (int k = 0; k < 6; ++k) {
      const Argument* arg = step->args.data() + k;
      a[k] = arg->is_slot ? slots[arg->value] : arg->value;
    }
    if (step->number == Step::store_slot) {
      *reinterpret_cast<int*>(a[0]) = static_cast<int>(slots[a[1]]);
      continue;
    }
    long result;
    do {
      result = raw_syscall(step->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    } while (result == -EINTR);
    const bool good = result >= 0 && (step->expected < 0 || result == step->expected);
    if (good) {
      if (step->result_slot >= 0) slots[step->result_slot] = result;
      continue;
    }
    const int error = result < 0 ? static_cast<int>(-result) : EIO;
    const int* tolerated = step->tolerated.data();
    if (tolerated[0] == error || tolerated[1] == error) continue;
    wire_record record = {};
    record.kind = WIRE_STEP_FAILED;
    record.value = static_cast<std::int32_t>(i);
    record.error = error;
    raw_syscall(SYS_sendto, task->control_fd, reinterpret_cast<long>(&record), sizeof record, MSG_NOSIGNAL, 0, 0);
    break;
  }
  for (;;) raw_syscall(SYS_exit_group, 125, 0, 0, 0, 0, 0);
}

// clone3 has no wrapper in libc, and a child on another stack cannot return through one: it calls walk and never returns.
COCOON_PLAIN long clone3_on_stack(clone_args* args, ChildTask* task) {
#if defined(__x86_64__)
  long result;
  register int (*function)(void*) __asm__("r12") = walk;
  register ChildTask* argument __asm__("r13") = task;
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
  register int (*function)(void*) __asm__("x19") = walk;
  register ChildTask* argument __asm__("x20") = task;
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
  long pid = clone3_on_stack(&args, task);
  // Container runtimes hide clone3 from seccomp filters that cannot read its arguments; the older call does all but groups.
  if (pid == -ENOSYS && cgroup_fd < 0) {
    pid = ::clone(walk, static_cast<char*>(stack) + stack_size, static_cast<int>(flags | CLONE_VM | CLONE_PIDFD), task,
                  pid_fd);
    if (pid < 0) pid = -errno;
  }
  return pid;
}

}  // namespace cocoon::linux_driver
