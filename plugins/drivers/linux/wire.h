/* The records that the isolated side sends to the supervisor over a SOCK_SEQPACKET pair; shared with the freestanding init. */
#ifndef COCOON_LINUX_WIRE_H
#define COCOON_LINUX_WIRE_H

#include <stdint.h>

enum {
  WIRE_DESCRIPTORS = 1, /* with SCM_RIGHTS: what the supervisor watches, in the order it asked for */
  WIRE_STEP_FAILED = 2, /* value: index of the step; error: errno */
  WIRE_EXEC_FAILED = 3, /* error: errno of the payload's execve */
  WIRE_STARTED = 4,     /* the payload, being pid 1 itself, is about to be executed; start_ns, and cpu_us used so far */
  WIRE_EXITED = 5       /* value: wait status of the payload; the numbers below are set */
};

struct wire_record {
  uint32_t kind;
  int32_t value;
  int32_t error;
  uint32_t reserved;
  uint64_t start_ns; /* CLOCK_MONOTONIC */
  uint64_t end_ns;
  uint64_t max_rss_kib; /* of the largest single process */
  uint64_t cpu_us;      /* user + system of every process that was reaped */
};

/* The control descriptor of init; 0, 1 and 2 are the guest's. */
enum { WIRE_FD = 3 };

/* First byte of init's argv[0]; the rest of it is the executable (empty: look argv[1] up in PATH), and argv[1] is the
 * payload's argv[0]. */
enum { WIRE_MODE_INIT = 'i', WIRE_MODE_PAYLOAD_IS_PID1 = 'p' };

#endif
