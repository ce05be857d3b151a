"""Everything that /proc shows of a host process of the same user: environ, cwd, root, fd, maps, mem."""
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


v = A["pid"]
b = "/proc/" + v + "/"
if os.path.isdir(b):
    try:
        c = open(b + "cmdline", "rb").read()
        if b"victim" in c:
            bad.append("host process %s is visible" % v)
    except OSError as e:
        print(e)
    for f in ("environ", "cwd/" + A["file"], "root" + A["path"], "fd/" + A["fd"], "maps"):
        rd(b + f)
else:
    n = 1
others = [p for p in os.listdir("/proc") if p.isdigit()]
if len(others) > 60:
    bad.append("%d processes visible" % len(others))
done()
