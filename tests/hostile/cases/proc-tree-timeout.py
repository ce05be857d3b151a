"""A tree of 40 processes, each in its own session, ignoring signals and using the CPU, when the time limit strikes."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time, signal


def leaf():
    os.setsid()
    for s in range(1, 32):
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    t = time.time()
    while time.time() - t < 8:
        sum(range(1000))
        time.sleep(0.01)
    os._exit(0)


for i in range(8):
    if os.fork() == 0:
        for j in range(4):
            if os.fork() == 0:
                leaf()
        leaf()
print("HELD: waiting for the limit", flush=True)
time.sleep(9)
print("BROKE: ran to the end")
