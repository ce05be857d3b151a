"""Fill the scratch place up to max= MiB: a tmpfs without a size is memory without a limit, a disk without one is a full disk."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


d = A["dir"]
mx = int(A["max"])
b = b"x" * (1 << 20)
got = 0
p = d + "/fill-%d" % os.getpid()
try:
    fd = os.open(p, os.O_CREAT | os.O_WRONLY, 384)
    os.unlink(p)
    while got < mx:
        if os.write(fd, b) != len(b):
            break
        got += 1
        if got % 32 == 0:
            print(got, flush=True)
except OSError as e:
    print(e.strerror)
print("BROKE: wrote %d MiB to %s" % (got, d) if got >= mx else "HELD: stopped at %d MiB" % got)
