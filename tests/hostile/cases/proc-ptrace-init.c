/* Take over the sandbox's own helper processes: ptrace / mem / fds of pid 1 and of our parent. Any process that outlives us or talks to the
 * supervisor must not be writable by the code it guards. Skipped where pid 1 is the code itself or the host's init (uid differs). */
#include "hostile.h"

#include <sys/ptrace.h>
static pid_t t;
static int att(void) {
  if (ptrace(PTRACE_SEIZE, t, 0, 0)) return 0;
  ptrace(PTRACE_DETACH, t, 0, 0);
  return 1;
}
static int mem(void) {
  char p[64];
  snprintf(p, sizeof p, "/proc/%d/mem", t);
  int fd = open(p, O_RDWR);
  if (fd < 0) return 0;
  close(fd);
  return 1;
}
static int fdw(void) {
  int hit = 0;
  for (int i = 0; i < 64; i++) {
    char p[64];
    snprintf(p, sizeof p, "/proc/%d/fd/%d", t, i);
    int fd = open(p, O_WRONLY | O_NONBLOCK);
    if (fd >= 0 && i > 2) {
      char l[256] = {0};
      readlink(p, l, 255);
      printf("writable fd %d of %d: %s\n", i, t, l);
      hit = 1;
    }
  }
  return hit;
}
int main(void) {
  pid_t me = getpid(), targets[2] = {1, getppid()};
  for (int i = 0; i < 2; i++) {
    t = targets[i];
    if (t < 1 || t == me || (i && t == 1)) continue;
    char n[3][40];
    const char* nm[3] = {"ptrace", "mem", "writable fds"};
    int (*f[3])(void) = {att, mem, fdw};
    for (int k = 0; k < 3; k++) {
      snprintf(n[k], 40, "%s of pid %d", nm[k], t);
      ATTACK(n[k], f[k]);
    }
  }
  if (!hs_try) {
    printf("NA: this code is pid 1\n");
    return 0;
  }
  return VERDICT();
}
