/* Any new mount from inside, through the old mount(2): tmpfs, proc, sysfs, bind of /, overlay, cgroup, devpts. */
#include "hostile.h"
static const char* t;
static int m(const char* s, const char* ty, unsigned long fl, const char* d) {
  if (mount(s, t, ty, fl, d)) return 0;
  umount2(t, MNT_DETACH);
  return 1;
}
static int tmpfs_(void) { return m("t", "tmpfs", 0, 0); }
static int proc_(void) { return m("p", "proc", 0, 0); }
static int sys_(void) { return m("s", "sysfs", 0, 0); }
static int bind_(void) { return m("/", 0, MS_BIND | MS_REC, 0); }
static int cg_(void) { return m("c", "cgroup2", 0, 0); }
static int cg1_(void) { return m("c", "cgroup", 0, "rdma"); }
static int ov_(void) {
  char o[512];
  snprintf(o, sizeof o, "lowerdir=/usr:/etc");
  return m("o", "overlay", 0, o);
}
static int pts_(void) { return m("d", "devpts", 0, "newinstance"); }
static int prop_(void) { return mount(0, "/", 0, MS_REC | MS_SHARED, 0) == 0; }
int main(int c, char** v) {
  static char d[512];
  snprintf(d, sizeof d, "%s/mnt-%d", ARG(c, v, "tmp", "/tmp"), getpid());
  mkdir(d, 0700);
  t = d;
  ATTACK("tmpfs", tmpfs_);
  ATTACK("proc", proc_);
  ATTACK("sysfs", sys_);
  ATTACK("bind /", bind_);
  ATTACK("overlay", ov_);
  ATTACK("cgroup2", cg_);
  ATTACK("cgroup v1", cg1_);
  ATTACK("devpts", pts_);
  ATTACK("make / shared", prop_);
  rmdir(d);
  return VERDICT();
}
