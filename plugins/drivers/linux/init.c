/* The sandbox's pid 1: starts the payload, reaps orphans, reports how the payload ended, and by exiting ends all else.
 * Freestanding and tiny: it carries nothing of the host program's memory, and its own size does not blur the payload's
 * peak memory. It runs behind the finished wall: every restriction of the payload is already in force here. */
#include "wire.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/signal.h>
#include <linux/time.h>
#include <linux/wait.h>
#include <stddef.h>

#ifndef F_SETFD
#define F_SETFD 2
#endif
#ifndef FD_CLOEXEC
#define FD_CLOEXEC 1
#endif
enum { E_NOENT = 2, E_INTR = 4, E_ACCES = 13, E_NOTDIR = 20, E_NAMETOOLONG = 36 };

static long syscall6(long n, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long ret;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(ret)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return ret;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "init knows x86_64 and aarch64"
#endif
}

#define CALL(n, a, b, c, d, e) syscall6((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

struct payload {
  const char* executable;
  char** argv;
  char** envp;
  int error; /* written by the child that shares our memory, when its execve failed */
};

static uint64_t clock_ns(int clock) {
  struct __kernel_timespec t = {0, 0};
  CALL(__NR_clock_gettime, clock, &t, 0, 0, 0);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void report(const struct wire_record* record) {
  long r;
  do r = CALL(__NR_sendto, WIRE_FD, record, sizeof *record, 0x4000 /* MSG_NOSIGNAL */, 0);
  while (r == -E_INTR);
}

static __attribute__((noreturn)) void leave(int code) {
  for (;;) CALL(__NR_exit_group, code, 0, 0, 0, 0);
}

static const char* value_of(char** envp, const char* name) {
  for (; *envp; envp++) {
    const char *e = *envp, *n = name;
    while (*n && *e == *n) e++, n++;
    if (!*n && *e == '=') return e + 1;
  }
  return NULL;
}

/* execvp's search order and its choice of error, without its fallback to a shell. */
static int execute(const struct payload* p) {
  const char* name = *p->executable ? p->executable : p->argv[0];
  for (const char* c = name; *c; c++)
    if (*c == '/') return (int)-CALL(__NR_execve, name, p->argv, p->envp, 0, 0);
  if (!*name) return E_NOENT;
  const char* path = value_of(p->envp, "PATH");
  if (!path) path = "/usr/local/bin:/usr/bin:/bin";
  int error = E_NOENT;
  char full[4096];
  for (const char* start = path;; start++) {
    size_t len = 0;
    for (; start[len] && start[len] != ':'; len++)
      if (len < sizeof full) full[len] = start[len];
    size_t end = len;
    if (len && len < sizeof full - 1) {
      full[end++] = '/';
      for (const char* c = name; *c && end < sizeof full - 1; c++) full[end++] = *c;
      if (end < sizeof full - 1) {
        full[end] = 0;
        int e = (int)-CALL(__NR_execve, full, p->argv, p->envp, 0, 0);
        if (e == E_ACCES)
          error = e;
        else if (e != E_NOENT && e != E_NOTDIR && e != E_NAMETOOLONG)
          return e;
      }
    }
    start += len;
    if (!*start) return error;
  }
}

static __attribute__((noreturn, used)) void child_main(struct payload* p) {
  p->error = execute(p);
  leave(127);
}

static char child_stack[16384] __attribute__((aligned(16)));

/* clone(CLONE_VM | CLONE_VFORK): the child borrows our memory, on a stack of its own, until its execve. */
static long start_child(struct payload* p) {
  const long flags = 0x00000100 /* CLONE_VM */ | 0x00004000 /* CLONE_VFORK */ | SIGCHLD;
  char* top = child_stack + sizeof child_stack;
#if defined(__x86_64__)
  long ret;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  register void* r12 __asm__("r12") = p;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r12, %%rdi\n\t"
      "call child_main\n\t"
      "1:"
      : "=a"(ret)
      : "a"((long)__NR_clone), "D"(flags), "S"(top), "d"(0L), "r"(r10), "r"(r8), "r"(r12)
      : "rcx", "r11", "memory");
  return ret;
#else
  register long x8 __asm__("x8") = __NR_clone;
  register long x0 __asm__("x0") = flags;
  register void* x1 __asm__("x1") = top;
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  register void* x19 __asm__("x19") = p;
  __asm__ volatile(
      "svc 0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, x19\n\t"
      "bl child_main\n\t"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x19)
      : "memory");
  return x0;
#endif
}

struct usage {
  struct {
    long sec, usec;
  } user, system;
  long max_rss_kib;
  long rest[13];
};

static __attribute__((noreturn, used)) void init_main(long* stack) {
  long argc = stack[0];
  char** argv = (char**)(stack + 1);
  struct payload p = {argv[0] + 1, argv + 1, argv + argc + 1, 0};
  struct wire_record record = {0, 0, 0, 0, 0, 0, 0, 0};

  CALL(__NR_fcntl, WIRE_FD, F_SETFD, FD_CLOEXEC, 0, 0);
  CALL(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  uint64_t none = 0;
  CALL(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, &none, 0, sizeof none, 0);

  record.start_ns = clock_ns(CLOCK_MONOTONIC);
  if (argv[0][0] == WIRE_MODE_PAYLOAD_IS_PID1) {
    record.kind = WIRE_STARTED;
    record.cpu_us = clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
    report(&record);
    record.error = execute(&p);
    record.kind = WIRE_EXEC_FAILED;
    report(&record);
    leave(127);
  }

  long payload = start_child(&p);
  if (payload < 0 || p.error) {
    record.kind = WIRE_EXEC_FAILED;
    record.error = payload < 0 ? (int)-payload : p.error;
    report(&record);
    leave(127);
  }
  for (;;) {
    int status = 0;
    struct usage u;
    long pid = CALL(__NR_wait4, -1, &status, 0x40000000 /* __WALL */, &u, 0);
    if (pid == -E_INTR) continue;
    if (pid < 0) leave(1);
    record.cpu_us += (uint64_t)(u.user.sec + u.system.sec) * 1000000u + (uint64_t)(u.user.usec + u.system.usec);
    if ((uint64_t)u.max_rss_kib > record.max_rss_kib) record.max_rss_kib = (uint64_t)u.max_rss_kib;
    if (pid != payload) continue;
    record.end_ns = clock_ns(CLOCK_MONOTONIC);
    record.kind = WIRE_EXITED;
    record.value = status;
    report(&record);
    leave(0); /* the kernel kills and reaps whatever else lives in this pid namespace */
  }
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall init_main\n\thlt\n");
#else
__asm__(".globl _start\n_start:\n\tmov x29, xzr\n\tmov x0, sp\n\tbl init_main\n\tbrk #0\n");
#endif

/* Compilers may turn struct initialisation into calls to these. */
__attribute__((used)) void* memset(void* to, int value, size_t len) {
  volatile unsigned char* t = to;
  while (len--) *t++ = (unsigned char)value;
  return to;
}
__attribute__((used)) void* memcpy(void* restrict to, const void* restrict from, size_t len) {
  volatile unsigned char* t = to;
  const unsigned char* f = from;
  while (len--) *t++ = *f++;
  return to;
}
