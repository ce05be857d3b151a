/* Endless output on fd 1 and/or 2 for secs= seconds or max= MiB; nl=0 leaves out newlines. */
#include "hostile.h"
int main(int c, char** v) {
  static char b[1 << 16];
  memset(b, 'A', sizeof b);
  int nl = atoi(ARG(c, v, "nl", "1"));
  if (nl)
    for (unsigned i = 79; i < sizeof b; i += 80) b[i] = '\n';
  const char* fds = ARG(c, v, "fds", "1");
  long max = atol(ARG(c, v, "max", "300")), n = 0;
  time_t t0 = time(0), secs = atol(ARG(c, v, "secs", "6"));
  while (n < max << 20 && time(0) - t0 < secs) {
    for (const char* f = fds; *f; f++) {
      long w = write(*f - '0', b, sizeof b);
      if (w < 0 && errno != EAGAIN) return 3;
      if (w > 0) n += w;
    }
  }
  return 0;
}
