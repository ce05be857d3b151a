"""Orphans must be reaped: make 300 orphans that end at once and count the zombies."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import time

for i in range(300):
    p = os.fork()
    if p == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(p, 0)
time.sleep(0.5)
z = 0
for p in os.listdir("/proc"):
    if p.isdigit():
        try:
            s = open("/proc/%s/stat" % p).read().rsplit(")", 1)[1].split()
            if s[0] == "Z" and int(s[1]) == 1:
                z += 1
        except OSError:
            pass
n = 300
if z > 50:
    bad.append("%d zombies left under pid 1" % z)
done()
