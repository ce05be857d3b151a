#include "hostile.h"
/* perf_event_open: a long list of kernel bugs, and a side channel. */
static int ev(unsigned type, uint64_t cfg, int excl) {
  struct {
    unsigned type, size;
    uint64_t config, period, sample, read, flags, rest[10];
  } a;
  memset(&a, 0, sizeof a);
  a.type = type;
  a.size = 112;
  a.config = cfg;
  a.flags = 1 | (excl ? 0x60 : 0);
  return syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) >= 0;
}
static int sw(void) { return ev(1, 0, 1); }
static int hw(void) { return ev(0, 0, 1); }
static int kern(void) { return ev(1, 0, 0); }
static int tp(void) { return ev(2, 1, 0); }
int main(void) {
  ATTACK("software event", sw);
  ATTACK("hardware cycles", hw);
  ATTACK("kernel event", kern);
  ATTACK("tracepoint", tp);
  return VERDICT();
}
