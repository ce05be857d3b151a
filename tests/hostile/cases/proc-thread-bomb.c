/* Bounded thread bomb: max= threads by raw clone in one process. */
#include "hostile.h"
static int fn(void* a) {
  (void)a;
  for (int i = 0; i < 6; i++) {
    struct timespec t = {1, 0};
    syscall(SYS_nanosleep, &t, 0);
  }
  syscall(SYS_exit, 0);
  return 0;
}
int main(int c, char** v) {
  int max = atoi(ARG(c, v, "max", "2500")), n = 0, e = 0;
  time_t t0 = time(0);
  while (n < max && time(0) - t0 < 4) {
    char* s = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (s == MAP_FAILED) {
      e = errno;
      break;
    }
    if (clone(fn, s + 8192, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0) < 0) {
      e = errno;
      break;
    }
    n++;
  }
  char b[128];
  int k =
      snprintf(b, sizeof b,
               n >= max ? "BROKE: %d live threads, no limit met\n" : "HELD: stopped at %d threads (errno %d)\n", n, e);
  write(1, b, k);
  syscall(SYS_exit_group, n >= max);
}
