/* Read and write the memory of a process outside: process_vm_readv/writev and /proc/PID/mem. */
#include "hostile.h"
static pid_t v_;
static unsigned long at;
static int rd(void) {
  char b[64] = {0};
  struct iovec l = {b, 63}, r = {(void*)at, 63};
  if (process_vm_readv(v_, &l, 1, &r, 1, 0) < 10) return 0;
  printf("read: %s\n", b);
  return 1;
}
static int wr(void) {
  char b[2] = "X";
  struct iovec l = {b, 1}, r = {(void*)(at + 2000), 1};
  return process_vm_writev(v_, &l, 1, &r, 1, 0) == 1;
}
static int mem(void) {
  char p[64], b[64] = {0};
  snprintf(p, sizeof p, "/proc/%d/mem", v_);
  int fd = open(p, O_RDWR);
  if (fd < 0) return 0;
  if (pread(fd, b, 63, at) < 10) return 0;
  printf("read: %s\n", b);
  return 1;
}
int main(int c, char** v) {
  v_ = atoi(ARG(c, v, "pid", "0"));
  at = strtoul(ARG(c, v, "addr", "0"), 0, 10);
  ATTACK("process_vm_readv", rd);
  ATTACK("process_vm_writev", wr);
  ATTACK("/proc/PID/mem", mem);
  return VERDICT();
}
