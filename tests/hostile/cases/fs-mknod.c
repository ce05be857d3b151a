/* Make device nodes (null, mem, the root disk) and use them. Numbers only; the disk node is made and removed, never opened for writing. */
#include "hostile.h"

#include <sys/sysmacros.h>
static const char* t;
static int mk(mode_t m, int ma, int mi) {
  char p[512];
  snprintf(p, sizeof p, "%s/dev-%d-%d", t, ma, getpid());
  if (mknod(p, m | 0600, makedev(ma, mi))) return 0;
  int fd = open(p, O_RDONLY | O_NONBLOCK);
  int e = errno;
  unlink(p);
  if (fd < 0) {
    errno = e;
    return 0;
  }
  return 1;
}
static int nul(void) { return mk(S_IFCHR, 1, 3); }
static int mem(void) { return mk(S_IFCHR, 1, 5); }
static int disk(void) { return mk(S_IFBLK, 7, 0); }
static int inns(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return 0;
  return mk(S_IFCHR, 1, 3);
}
int main(int c, char** v) {
  t = ARG(c, v, "tmp", "/tmp");
  ATTACK("mknod c 1 3", nul);
  ATTACK("mknod c 1 5", mem);
  ATTACK("mknod b 7 0", disk);
  ATTACK("userns mknod", inns);
  return VERDICT();
}
