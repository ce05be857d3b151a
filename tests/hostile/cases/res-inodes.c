/* Bounded inode bomb: max= empty files in dir=; cleans up after itself if it can. */
#include "hostile.h"
int main(int c, char** v) {
  const char* d = ARG(c, v, "dir", "/tmp");
  long max = atol(ARG(c, v, "max", "150000")), n = 0;
  char p[512];
  time_t t0 = time(0);
  int e = 0;
  snprintf(p, sizeof p, "%s/ino-%d", d, getpid());
  mkdir(p, 0700);
  if (chdir(p)) {
    printf("HELD: cannot write there (%s)\n", strerror(errno));
    return 0;
  }
  for (; n < max && time(0) - t0 < 6; n++) {
    snprintf(p, sizeof p, "%ld", n);
    int fd = open(p, O_CREAT | O_WRONLY, 0600);
    if (fd < 0) {
      e = errno;
      break;
    }
    close(fd);
  }
  if (n >= max || !e)
    printf("BROKE: %ld files, no limit met\n", n);
  else
    printf("HELD: stopped at %ld files (%s)\n", n, strerror(e));
  return 0;
}
