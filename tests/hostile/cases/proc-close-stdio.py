"""Closes all its descriptors, goes on for a second, then ends with 3: no early return, no lost exit code."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time

print("HELD: the result decides", flush=True)
for fd in range(3):
    os.close(fd)
time.sleep(1.0)
os._exit(3)
