"""Path traversal on writes out of the work directory."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


w = A["work"]
t = A["target"]
rel = os.path.relpath(t, w)
os.chdir(w) if os.path.isdir(w) else None
for p in (
    rel,
    w + "/" + rel,
    w + "/./" + rel,
    w + "//" + rel.replace("../", "..//"),
    "/proc/self/cwd/" + rel,
    "/dev/fd/../../" + t.lstrip("/"),
    "/proc/self/root/../" + t.lstrip("/"),
):
    n += 1
    try:
        open(p, "a").write("pwned\n")
        print("  wrote (inside)", p)
    except OSError as e:
        print("  ", p, e.strerror)
try:
    fd = os.open("..", os.O_RDONLY)
    for i in range(12):
        try:
            x = os.open(os.path.relpath(t, os.path.abspath("..")), os.O_WRONLY | os.O_APPEND, dir_fd=fd)
            os.write(x, b"pwned\n")
            break
        except OSError:
            fd = os.open("..", os.O_RDONLY, dir_fd=fd)
except OSError as e:
    print(e)
print("HELD: the host side decides")
