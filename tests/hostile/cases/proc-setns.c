/* Join namespaces of processes outside or of pid 1 through /proc/PID/ns or a pidfd. */
#include "hostile.h"
static pid_t v_;
static int join(pid_t p) {
  const char* n[] = {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"};
  for (unsigned i = 0; i < 7; i++) {
    char f[64];
    snprintf(f, sizeof f, "/proc/%d/ns/%s", p, n[i]);
    int fd = open(f, O_RDONLY);
    if (fd < 0) continue;
    if (setns(fd, 0) == 0) {
      printf("joined %s of %d\n", n[i], p);
      return 1;
    }
    close(fd);
  }
  return 0;
}
static int host(void) { return join(v_); }
static int one(void) { return join(1); }
static int pidfd(void) {
  int p = syscall(SYS_pidfd_open, v_, 0);
  return p >= 0 && setns(p, CLONE_NEWNS | CLONE_NEWNET) == 0;
}
static int own(void) { return join(getpid()); }
int main(int c, char** v) {
  v_ = atoi(ARG(c, v, "pid", "0"));
  ATTACK("setns host process", host);
  ATTACK("setns pid 1", one);
  ATTACK("setns by pidfd", pidfd);
  ATTACK("setns own (cap kept?)", own);
  return VERDICT();
}
