/* The host's session keyring is inherited through exec: look for the key that the runner put there. */
#include "hostile.h"
static const char* d;
static int rd(long ring) {
  char b[128] = {0};
  long k = syscall(SYS_keyctl, 10 /*SEARCH*/, ring, "user", d, 0);
  if (k <= 0) return 0;
  if (syscall(SYS_keyctl, 11 /*READ*/, k, b, 127) <= 0) return 0;
  printf("read key: %s\n", b);
  return 1;
}
static int ses(void) { return rd(-3); }
static int usr(void) { return rd(-4); }
static int uss(void) { return rd(-5); }
static int req(void) {
  long k = syscall(SYS_request_key, "user", d, 0, 0);
  char b[128] = {0};
  if (k <= 0 || syscall(SYS_keyctl, 11, k, b, 127) <= 0) return 0;
  printf("read key: %s\n", b);
  return 1;
}
int main(int c, char** v) {
  d = ARG(c, v, "key", "none");
  ATTACK("session keyring", ses);
  ATTACK("user keyring", usr);
  ATTACK("user session keyring", uss);
  ATTACK("request_key", req);
  return VERDICT();
}
