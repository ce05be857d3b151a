"""Ignores every signal that can be ignored and runs on: the time limit must end it all the same."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time, signal

for s in range(1, 65):
    try:
        signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print("HELD: waiting for the limit", flush=True)
t = time.time()
while time.time() - t < 9:
    time.sleep(0.05)
print("BROKE: ran to the end")
