"""The main process ends at once, a double-forked daemon keeps stdout and stderr open for 8 s: the caller must not wait for it."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for i in range(16):
            time.sleep(0.5)
        os._exit(0)
    os._exit(0)
print("HELD: main is done", flush=True)
