/* io_uring does file and socket work that seccomp never sees (firejail #7058, codex/cortex reports). */
#include "hostile.h"
static int setup(void) {
  unsigned p[30];
  memset(p, 0, sizeof p);
  int fd = syscall(425, 4, p);
  return fd >= 0;
}
static int sqpoll(void) {
  unsigned p[30];
  memset(p, 0, sizeof p);
  p[2] = 2;
  int fd = syscall(425, 4, p);
  return fd >= 0;
}
static int reg(void) {
  long r = syscall(427, -1, 0, 0, 0);
  return r < 0 && errno == EBADF;
}
int main(void) {
  ATTACK("io_uring_setup", setup);
  ATTACK("io_uring_setup(SQPOLL)", sqpoll);
  ATTACK("io_uring_register reachable", reg);
  return VERDICT();
}
