"""What the copy contains: symlinks must have stayed symlinks, nothing of their targets may have come along."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import stat

d = A["copy"]
try:
    l = os.listdir(d)
except OSError as e:
    print("ERROR: copy not there:", e)
    sys.exit(2)
print("entries", sorted(l)[:20])
for dp, ds, fs in os.walk(d):
    for f in fs:
        n += 1
        p = os.path.join(dp, f)
        if stat.S_ISFIFO(os.lstat(p).st_mode):
            continue
        try:
            fd = os.open(p, os.O_RDONLY | os.O_NONBLOCK)
            x = os.read(fd, 4096)
            os.close(fd)
            if A["tag"].encode() in x:
                bad.append("%s: %r" % (p, x[:60]))
        except OSError:
            pass
n = n or 1
done()
