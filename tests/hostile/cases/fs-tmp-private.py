"""/tmp is private: what is written there must not show up in the host's /tmp while we run or after."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time

for d in ("/tmp", "/var/tmp", "/dev/shm"):
    try:
        open(d + "/" + A["name"], "w").write("from inside")
        print("wrote", d)
    except OSError as e:
        print(d, e.strerror)
time.sleep(0.8)
print("HELD: the host side decides")
