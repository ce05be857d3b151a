/* Kernel keyrings are only half namespaced: reach the session or user keyring, add or request keys. */
#include "hostile.h"
static int add(void) { return syscall(SYS_add_key, "user", "hostile:probe", "x", 1, -2 /*process keyring*/) > 0; }
static int ring(void) { return syscall(SYS_keyctl, 0, -4 /*user keyring*/, 1) > 0; }
static int req(void) {
  long r = syscall(SYS_request_key, "user", "hostile:none", 0, 0);
  return r > 0 || errno == ENOKEY;
}
static int join(void) { return syscall(SYS_keyctl, 1, 0) > 0; }
int main(void) {
  ATTACK("add_key", add);
  ATTACK("keyctl(user keyring)", ring);
  ATTACK("request_key", req);
  ATTACK("join session keyring", join);
  return VERDICT();
}
