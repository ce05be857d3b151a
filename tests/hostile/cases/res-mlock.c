/* Pin memory: mlock of max= MiB. */
#include "hostile.h"
int main(int c, char** v) {
  long max = atol(ARG(c, v, "max", "128"));
  char* p = mmap(0, max << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    printf("HELD: no memory\n");
    return 0;
  }
  struct rlimit r = {(rlim_t)max << 20, (rlim_t)max << 20};
  setrlimit(RLIMIT_MEMLOCK, &r);
  if (mlock(p, max << 20) == 0) {
    printf("BROKE: locked %ld MiB\n", max);
    return 1;
  }
  printf("HELD: %s\n", strerror(errno));
  return 0;
}
