"""The caller's working directory is outside every grant: it must not come along as cwd (runc CVE-2024-21626)."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


def rd(p, flags=os.O_RDONLY):
    global n
    n += 1
    try:
        fd = os.open(p, flags | os.O_NONBLOCK)
        d = os.read(fd, 200)
        os.close(fd)
        if d.strip():
            bad.append("read %s: %r" % (p, d[:60]))
        return True
    except OSError as e:
        print("  ", p, e.strerror)
        return False


f = A["file"]
for p in (f, "./" + f, "/proc/self/cwd/" + f, "../" + A["dir"] + "/" + f):
    rd(p)
try:
    print("cwd", os.getcwd())
except OSError as e:
    print("cwd", e)
done()
