"""A crash must not leave a core file in the work directory nor start the host's core handler: the hard core limit is 0."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import resource

s, h = resource.getrlimit(resource.RLIMIT_CORE)
print("core", s, h)
try:
    resource.setrlimit(resource.RLIMIT_CORE, (h if h != 0 else 1 << 20, h if h != 0 else 1 << 20))
    bad.append("core limit can be raised to %s" % h)
except (OSError, ValueError) as e:
    print(e)
n = 1
done()
