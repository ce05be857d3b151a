/* Lets User-Mode Linux run on processors whose extended register state is larger than it knows of (AMX and later).
 *
 * Preloaded into linux.uml. It asks ptrace for an XSAVE area of a fixed size; the kernel takes back only whole areas of the
 * processor's own size, so every guest would die at its start. This keeps the area whole: UML gets and gives its part,
 * and what it doesn't know of stays in its initial state, in which nothing in the guest can change it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

typedef long (*ptrace_call)(int, int, void*, void*);

long ptrace(enum __ptrace_request request, ...) {
  static ptrace_call real;
  static size_t whole_size; /* of the processor's area; 0 until it was asked for once */
  static char area[32 << 10];
  if (!real) real = (ptrace_call)dlsym(RTLD_NEXT, "ptrace");

  va_list arguments;
  va_start(arguments, request);
  int pid = va_arg(arguments, int);
  void* address = va_arg(arguments, void*);
  void* data = va_arg(arguments, void*);
  va_end(arguments);

  int get = request == PTRACE_GETREGSET, set = request == PTRACE_SETREGSET;
  if (!(get || set) || address != (void*)NT_X86_XSTATE) return real((int)request, pid, address, data);

  struct iovec* part = data;
  if (get || whole_size == 0) {
    struct iovec whole = {area, sizeof area};
    long result = real(PTRACE_GETREGSET, pid, address, &whole);
    if (result < 0) return result;
    whole_size = whole.iov_len;
  }
  size_t known = part->iov_len < whole_size ? part->iov_len : whole_size;
  if (get) {
    memcpy(part->iov_base, area, known);
    part->iov_len = known;
    return 0;
  }
  memcpy(area, part->iov_base, known);
  memset(area + known, 0, whole_size - known);
  struct iovec whole = {area, whole_size};
  return real(PTRACE_SETREGSET, pid, address, &whole);
}
