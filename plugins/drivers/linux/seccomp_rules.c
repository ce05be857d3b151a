/* Build-time tool: writes the driver's seccomp filters as C arrays, so that no run pays for compiling them.
 *
 * A deny-list over a default of "allow": the name spaces and the mount table are the first wall, this one takes away the
 * kernel surface that sandboxed programs do not need and that has a history of faults. Denied calls fail with EPERM;
 * those that libraries probe and have a fallback for fail with ENOSYS, so that the fallback is taken. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK(call)                                                     \
  do {                                                                  \
    int r_ = (call);                                                    \
    if (r_ < 0) {                                                       \
      fprintf(stderr, "seccomp_rules: %s: %s\n", #call, strerror(-r_)); \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

/* Refused outright. Numbers stand in for names that libseccomp 2.5 does not know yet. */
static const char* const refused[] = {
    /* mounts, old and new interface: a read-only mount must not be opened again from inside */
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "move_mount",
    "open_tree",
    "mount_setattr",
    /* other name spaces and other processes */
    "setns",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "kcmp",
    "pidfd_getfd",
    "move_pages",
    "migrate_pages",
    /* keyrings are not name-spaced */
    "keyctl",
    "add_key",
    "request_key",
    /* kernel subsystems with a large surface */
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "fanotify_init",
    "fanotify_mark",
    "vmsplice",
    "lookup_dcookie",
    "nfsservctl",
    "quotactl",
    "quotactl_fd",
    "open_by_handle_at",
    "name_to_handle_at",
    "acct",
    "modify_ldt",
    "vm86",
    "vm86old",
    "uselib",
    "sysfs",
    "_sysctl",
    "create_module",
    "get_kernel_syms",
    "query_module",
    /* the machine */
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "swapon",
    "swapoff",
    "reboot",
    "syslog",
    "vhangup",
    "iopl",
    "ioperm",
    "sethostname",
    "setdomainname",
    /* the clock */
    "clock_settime",
    "clock_settime64",
    "settimeofday",
    "stime",
    "adjtimex",
    "clock_adjtime",
    "clock_adjtime64",
};
static const int refused_numbers[] = {467 /* open_tree_attr, Linux 6.15 */};

/* Not there: libc and libuv fall back. clone3 passes its flags in memory, where no filter can look. */
static const char* const absent[] = {"clone3",       "io_uring_setup", "io_uring_enter", "io_uring_register",
                                     "memfd_secret", "openat2" /* its mode is in memory: see set_user_id */};

/* Demoting pid 1 would keep it from the processor when it has to end everything else. The other forms of setpriority
 * (by group, by user) reach it too. Arguments are 32 bits: compare just those. */
static void keep_init_scheduled(scmp_filter_ctx ctx) {
  static const char* const by_pid[] = {"sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity"};
  for (size_t i = 0; i < sizeof by_pid / sizeof *by_pid; i++)
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(by_pid[i]), 1,
                           SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, 1)));
  static const char* const by_kind[] = {"setpriority", "ioprio_set"};
  for (size_t i = 0; i < sizeof by_kind / sizeof *by_kind; i++) {
    int nr = seccomp_syscall_resolve_name(by_kind[i]);
    uint64_t process = i == 0 ? 0 /* PRIO_PROCESS */ : 1 /* IOPRIO_WHO_PROCESS */;
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 1, SCMP_A0(SCMP_CMP_NE, process)));
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 2, SCMP_A0(SCMP_CMP_EQ, process),
                           SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, 1)));
  }
}

/* A set-user-ID file in a writable host folder would lend the caller's rights to every other user of the host. */
static void set_user_id(scmp_filter_ctx ctx) {
  static const struct {
    const char* name;
    unsigned mode_argument;
    int flags_before_it; /* the mode counts with O_CREAT or O_TMPFILE alone, and is garbage otherwise */
  } calls[] = {{"chmod", 1, 0}, {"fchmod", 1, 0},  {"fchmodat", 2, 0}, {"creat", 1, 0},
               {"mknod", 1, 0}, {"mknodat", 2, 0}, {"open", 2, 1},     {"openat", 3, 1}};
  static const uint64_t bits[] = {04000, 02000};
  static const uint64_t creating[] = {O_CREAT, 020000000 /* __O_TMPFILE */};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    int nr = seccomp_syscall_resolve_name(calls[i].name);
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
      struct scmp_arg_cmp mode = SCMP_CMP(calls[i].mode_argument, SCMP_CMP_MASKED_EQ, bits[b], bits[b]);
      if (!calls[i].flags_before_it) CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 1, mode));
      for (size_t c = 0; calls[i].flags_before_it && c < sizeof creating / sizeof *creating; c++)
        CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 2,
                               SCMP_CMP(calls[i].mode_argument - 1, SCMP_CMP_MASKED_EQ, creating[c], creating[c]),
                               mode));
    }
  }
  for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) /* fchmodat2, Linux 6.6 */
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), 452, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, bits[b], bits[b])));
}

static void add(scmp_filter_ctx ctx, int error, const char* name) {
  int nr = seccomp_syscall_resolve_name(name);
  if (nr == __NR_SCMP_ERROR) {
    fprintf(stderr, "seccomp_rules: libseccomp does not know '%s'\n", name);
    exit(1);
  }
  int r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO((uint32_t)error), nr, 0);
  if (r < 0 && r != -EDOM) CHECK(r); /* EDOM: not a call of this architecture */
}

static scmp_filter_ctx make(int without_memfd) {
  scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
  if (!ctx) exit(1);
  CHECK(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS))); /* i386 and x32 calls */
  CHECK(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2));                     /* binary tree */

  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) add(ctx, EPERM, refused[i]);
  for (size_t i = 0; i < sizeof refused_numbers / sizeof *refused_numbers; i++)
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), refused_numbers[i], 0));
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) add(ctx, ENOSYS, absent[i]);
  /* Its pages belong to no process that maps them not, so a sampler of processes would never see them. */
  if (without_memfd) {
    add(ctx, ENOSYS, "memfd_create");
    add(ctx, ENOSYS, "msgget"); /* nor what waits in a message queue */
  }
  keep_init_scheduled(ctx);
  set_user_id(ctx);

  static const uint64_t namespaces[] = {CLONE_NEWNS,  CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET,
                                        CLONE_NEWUTS, CLONE_NEWIPC,  CLONE_NEWCGROUP, 0x80 /* CLONE_NEWTIME */};
  for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1,
                           SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i])));
    if (namespaces[i] != 0x80) /* for clone these bits are the exit signal */
      CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i])));
  }

  /* The kernel takes the request as 32 bits: compare just those, or a high bit would slip past. */
  static const uint64_t terminal[] = {0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x5423 /* TIOCSETD */};
  for (size_t i = 0; i < sizeof terminal / sizeof *terminal; i++)
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                           SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, terminal[i])));

  /* Asking for the personality is harmless, changing it is not needed. */
  CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1, SCMP_A0(SCMP_CMP_NE, 0xffffffffu)));

  /* Families: unix, inet, inet6, and of netlink just the routing protocol (0), by which libc lists interfaces. The rest
   * (vsock, alg, packet, bluetooth, can, tipc ...) reaches past the network namespace or into rarely tested code. */
  const int calls[] = {SCMP_SYS(socket), SCMP_SYS(socketpair)};
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), calls[c], 1, SCMP_A0(SCMP_CMP_GT, AF_NETLINK)));
    for (uint64_t family = 0; family < AF_NETLINK; family++)
      if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
        CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), calls[c], 1, SCMP_A0(SCMP_CMP_EQ, family)));
    CHECK(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), calls[c], 2, SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
                           SCMP_A2(SCMP_CMP_NE, 0)));
  }
  return ctx;
}

static void write_array(const char* name, scmp_filter_ctx ctx) {
  FILE* program = tmpfile();
  if (!program) exit(1);
  CHECK(seccomp_export_bpf(ctx, fileno(program)));
  if (fseek(program, 0, SEEK_SET) != 0) exit(1);
  struct {
    uint16_t code;
    uint8_t jt, jf;
    uint32_t k;
  } insn;
  printf("static const struct sock_filter %s[] = {\n", name);
  while (fread(&insn, sizeof insn, 1, program) == 1)
    printf("    {0x%x, %u, %u, 0x%x},\n", insn.code, insn.jt, insn.jf, insn.k);
  printf("};\n");
  fclose(program);
  seccomp_release(ctx);
}

int main(void) {
  printf("// Generated by seccomp_rules.c; included by seccomp.cpp.\n");
  write_array("filter_default", make(0));
  write_array("filter_no_memfd", make(1));
  return 0;
}
