"""Busy loop in native code on two threads: the limit must strike."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time

print("HELD: waiting for the limit", flush=True)
os.fork()
t = time.time()
while time.time() - t < 9:
    sum(range(100000))
print("BROKE: ran to the end")
