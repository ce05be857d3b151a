"""SysV shared memory and POSIX message queues of the host."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import ctypes

c = ctypes.CDLL(None, use_errno=True)
c.shmat.restype = ctypes.c_void_p
i = c.shmget(int(A["key"]), 0, 0)
n += 1
for shmid in (i, int(A["id"])):
    if shmid < 0:
        continue
    p = c.shmat(shmid, None, 4096)
    n += 1
    if p and p != ctypes.c_void_p(-1).value:
        bad.append("shm: %r" % ctypes.string_at(p, 60).split(b"\x00")[0])
try:
    t = open("/proc/sysvipc/shm").read().splitlines()[1:]
    if any((x.split()[0] == str(int(A["key"])) for x in t)):
        bad.append("segment listed in /proc/sysvipc/shm")
except OSError:
    pass
done()
