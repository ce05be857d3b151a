/* Change the limits of a process outside, and raise our own hard limits. */
#include "hostile.h"
static pid_t v_;
static int host(void) {
  struct rlimit o;
  if (prlimit(v_, RLIMIT_NOFILE, 0, &o)) return 0;
  struct rlimit n = {o.rlim_cur, o.rlim_max};
  return prlimit(v_, RLIMIT_NOFILE, &n, 0) == 0;
}
static int own(void) {
  int r[] = {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_AS, RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_FSIZE};
  for (unsigned i = 0; i < 6; i++) {
    struct rlimit l;
    getrlimit(r[i], &l);
    if (l.rlim_max == RLIM_INFINITY) continue;
    l.rlim_max++;
    if (!setrlimit(r[i], &l)) {
      printf("raised %d\n", r[i]);
      return 1;
    }
  }
  return 0;
}
static int userns(void) {
  if (unshare(CLONE_NEWUSER)) return 0;
  return own();
}
int main(int c, char** v) {
  v_ = atoi(ARG(c, v, "pid", "0"));
  ATTACK("prlimit of host process", host);
  ATTACK("raise own hard limit", own);
  ATTACK("userns raise", userns);
  return VERDICT();
}
