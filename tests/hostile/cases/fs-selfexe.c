/* runc CVE-2019-5736: rewrite the binary that is being executed, through /proc/self/exe, and the sandbox's own through /proc/1/exe or the parent's.
 * The last step keeps an O_PATH descriptor, gives up the process image (exec of a shell), and writes to the binary once it is no longer busy. */
#include "hostile.h"
static int one(void) {
  if (getpid() == 1) return 0;
  int fd = open("/proc/1/exe", O_WRONLY | O_APPEND);
  return fd >= 0 || errno == ETXTBSY;
}
static int par(void) {
  char p[64];
  snprintf(p, sizeof p, "/proc/%d/exe", getppid());
  int fd = open(p, O_WRONLY | O_APPEND);
  return fd >= 0;
}
static int chm(void) {
  int fd = open("/proc/self/exe", O_RDONLY);
  return fd >= 0 && fchmod(fd, 0777) == 0;
}
int main(void) {
  ATTACK("/proc/1/exe", one);
  ATTACK("parent's exe", par);
  ATTACK("chmod of own binary", chm);
  fflush(stdout);
  int fd = open("/proc/self/exe", O_PATH);
  if (fd < 0) return VERDICT();
  char n[16];
  snprintf(n, sizeof n, "%d", fd);
  execl("/bin/sh", "sh", "-c",
        "if (printf X >>/proc/self/fd/$0) 2>/dev/null; then echo \"BROKE: own binary rewritten; $1\"; elif [ -n \"$1\" "
        "]; then echo \"BROKE: $1\"; else echo 'HELD: 4 attempts refused'; fi",
        n, hs_why, (char*)0);
  return VERDICT();
}
