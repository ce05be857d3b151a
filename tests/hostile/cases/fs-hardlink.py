"""Hard links out of the work directory: to a read-only granted file, to a host file, by /proc/self/fd and AT_EMPTY_PATH; then write through them."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import ctypes

w = A["work"]
c = ctypes.CDLL(None, use_errno=True)
for i, p in enumerate(A["targets"].split(",")):
    for how in ("link", "procfd", "empty", "symlink-follow"):
        n += 1
        dst = "%s/hl-%d-%s" % (w, i, how)
        try:
            if how == "link":
                os.link(p, dst)
            elif how == "procfd":
                fd = os.open(p, os.O_RDONLY)
                os.link("/proc/self/fd/%d" % fd, dst, follow_symlinks=True)
            elif how == "empty":
                fd = os.open(p, os.O_PATH)
                if c.linkat(fd, b"", -100, dst.encode(), 4096):
                    raise OSError(ctypes.get_errno(), "linkat")
            else:
                s = dst + ".s"
                os.symlink(p, s)
                os.link(s, dst, follow_symlinks=True)
            if os.path.islink(dst):
                continue
            with open(dst, "a") as f:
                f.write("pwned")
            bad.append("hard link to %s by %s" % (p, how))
        except OSError as e:
            print("  ", p, how, e.strerror)
done()
