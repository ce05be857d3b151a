/* clone3 with CLONE_NEWUSER, and with CLONE_INTO_CGROUP: seccomp cannot look behind the pointer. */
#include "hostile.h"

#include <linux/sched.h>
static int c3(void) {
  struct clone_args a;
  memset(&a, 0, sizeof a);
  a.flags = CLONE_NEWUSER;
  a.exit_signal = SIGCHLD;
  long p = syscall(435, &a, sizeof a);
  if (p == 0) _exit(0);
  if (p > 0) {
    waitpid(p, 0, 0);
    return 1;
  }
  return 0;
}
static int c3all(void) {
  struct clone_args a;
  memset(&a, 0, sizeof a);
  a.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID;
  a.exit_signal = SIGCHLD;
  long p = syscall(435, &a, sizeof a);
  if (p == 0) _exit(0);
  if (p > 0) {
    waitpid(p, 0, 0);
    return 1;
  }
  return 0;
}
int main(void) {
  ATTACK("clone3(NEWUSER)", c3);
  ATTACK("clone3(all ns)", c3all);
  return VERDICT();
}
