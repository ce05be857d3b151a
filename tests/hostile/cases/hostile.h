/* Shared by the C cases; compiled statically, so that each binary stands alone.
 * ATTACK(name, fn): runs fn in a forked child. fn returns 1 = the attack worked, 0 = refused.
 * A child killed by a signal (for instance SIGSYS from a seccomp filter) counts as refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int hs_bad, hs_try, hs_err;
static char hs_why[4096];
static const char* ARG(int argc, char** argv, const char* k, const char* def) {
  size_t n = strlen(k);
  for (int i = 1; i < argc; i++)
    if (!strncmp(argv[i], k, n) && argv[i][n] == '=') return argv[i] + n + 1;
  return def;
}
static void ATTACK(const char* name, int (*fn)(void)) {
  hs_try++;
  fflush(stdout);
  pid_t p = fork();
  if (p < 0) {
    hs_err++;
    printf("  %-26s fork failed: %s\n", name, strerror(errno));
    return;
  }
  if (!p) {
    alarm(5);
    errno = 0;
    int r = fn();
    if (r != 1) printf("  %-26s errno %d %s\n", name, errno, strerror(errno));
    fflush(stdout);
    _exit(r == 1 ? 42 : 43);
  }
  int st = 0;
  waitpid(p, &st, 0);
  int ok = WIFEXITED(st) && WEXITSTATUS(st) == 42;
  if (ok) {
    printf("  %-26s SUCCEEDED\n", name);
    hs_bad++;
    if (strlen(hs_why) < 3900) {
      strcat(hs_why, name);
      strcat(hs_why, "; ");
    }
  } else if (WIFSIGNALED(st))
    printf("  %-26s killed by signal %d\n", name, WTERMSIG(st));
  fflush(stdout);
}
static int VERDICT(void) {
  if (hs_bad)
    printf("BROKE: %s\n", hs_why);
  else if (hs_err)
    printf("ERROR: could not fork\n");
  else
    printf("HELD: %d attempts refused\n", hs_try);
  fflush(stdout);
  return hs_bad ? 1 : hs_err ? 2 : 0;
}
