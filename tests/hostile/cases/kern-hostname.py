"""Change the host name as seen by the host (to the same name, where the namespace is shared)."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import ctypes

c = ctypes.CDLL(None, use_errno=True)
h = os.uname().nodename.encode()
n = 1
same = os.readlink("/proc/self/ns/uts") == A["uts"]
if c.sethostname(h if same else b"hostile", len(h) if same else 7) == 0 and same:
    bad.append("sethostname in the host's uts namespace")
if same and (not bad):
    print("shares the uts namespace, but may not set it")
done()
