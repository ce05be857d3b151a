"""Only one directory was granted: its siblings and parents must stay unreadable, by name, by '..' and by walking."""
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


ro = A["ro"]
s = A["secret"]
rel = os.path.relpath(s, ro)
for p in (
    s,
    ro + "/" + rel,
    ro + "/./../" + os.path.relpath(s, os.path.dirname(ro)),
    "/proc/self/cwd/" + os.path.relpath(s, os.getcwd()),
    "//" + s,
    os.path.join(ro, "..", "..", "..", "..", "..", "..", s.lstrip("/")),
):
    rd(p)
try:
    os.chdir(ro)
    rd(rel)
    os.chdir("..")
    for d, ds, fs in os.walk("."):
        if os.path.basename(s) in fs:
            rd(os.path.join(d, os.path.basename(s)))
        if len(ds) > 200:
            break
except OSError as e:
    print(e)
done()
