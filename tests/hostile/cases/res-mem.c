/* Bounded memory bombs: how=malloc|shared|memfd|forks|shm, up to max= MiB; prints how far it got. BROKE if the bound is reached although the limit given to the sandbox is far lower. */
#include "hostile.h"

#include <sys/ipc.h>
#include <sys/shm.h>
static void rep(const char* k, long mib, long max) {
  if (mib >= max)
    printf("BROKE: %s got %ld MiB\n", k, mib);
  else
    printf("HELD: %s stopped at %ld MiB (%s)\n", k, mib, strerror(errno));
  fflush(stdout);
}
int main(int c, char** v) {
  const char* how = ARG(c, v, "how", "malloc");
  long max = atol(ARG(c, v, "max", "640")), n = 0;
  const long st = 16;
  if (!strcmp(how, "malloc") || !strcmp(how, "shared")) {
    int sh = how[0] == 's';
    for (; n < max; n += st) {
      char* p = mmap(0, st << 20, PROT_READ | PROT_WRITE, (sh ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
      if (p == MAP_FAILED) break;
      for (long i = 0; i < st << 20; i += 4096) p[i] = 1;
      printf("%ld\n", n + st);
      fflush(stdout);
    }
  } else if (!strcmp(how, "memfd")) {
    int fd = syscall(SYS_memfd_create, "hostile", 0);
    static char b[1 << 20];
    memset(b, 1, sizeof b);
    for (; fd >= 0 && n < max; n++) {
      long w = write(fd, b, sizeof b);
      if (w != sizeof b) break;
      if (!(n % 32)) {
        printf("%ld\n", n);
        fflush(stdout);
      }
    }
  } else if (!strcmp(how, "shm")) {
    for (; n < max; n += 64) {
      int id = shmget(IPC_PRIVATE, 64 << 20, 0600);
      if (id < 0) break;
      char* p = shmat(id, 0, 0);
      shmctl(id, IPC_RMID, 0);
      if (p == (void*)-1) break;
      for (long i = 0; i < 64 << 20; i += 4096) p[i] = 1;
      printf("%ld\n", n + 64);
      fflush(stdout);
    }
  } else if (!strcmp(how, "forks")) { /* 8 processes of max/8 each: escapes a limit that is per process */
    int pf[2];
    pipe(pf);
    long each = max / 8;
    for (int k = 0; k < 8; k++) {
      pid_t p = fork();
      if (p < 0) break;
      if (!p) {
        alarm(7);
        char* m = mmap(0, each << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m == MAP_FAILED) _exit(1);
        for (long i = 0; i < each << 20; i += 4096) m[i] = 1;
        write(pf[1], "x", 1);
        sleep(3);
        _exit(0);
      }
    }
    close(pf[1]);
    char ch;
    while (read(pf[0], &ch, 1) == 1) n += each;
    if (n >= max) errno = 0;
  }
  rep(how, n, max);
  return n >= max;
}
