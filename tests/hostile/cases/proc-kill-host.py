"""Signal a process outside by its number, our parent, and (only in a pid namespace of our own) everything."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import signal

v = int(A["pid"])
for s in (0, signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
    n += 1
    try:
        os.kill(v, s)
        bad.append("signal %d to host pid %d" % (s, v))
    except OSError as e:
        print("  ", s, e.strerror)
n += 1
try:
    if os.readlink("/proc/self/ns/pid") != A["pidns"]:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(-1, signal.SIGTERM)
        print("  kill(-1) inside done")
except OSError as e:
    print(e)
done()
