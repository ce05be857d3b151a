"""No capabilities: effective, permitted, inheritable and ambient are empty, and so is the bounding set."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


for l in open("/proc/self/status"):
    if l.startswith("Cap"):
        k, v = l.split()
        n += 1
        if int(v, 16) and (k != "CapBnd:" or A.get("bnd") != "0"):
            bad.append(k + v)
done()
