"""Every way to change a file or directory that was granted read-only."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import mmap

d = A["ro"]
f = d + "/file.txt"


def t(name, fn):
    global n
    n += 1
    try:
        r = fn()
        if r is not False:
            bad.append(name)
    except (OSError, ValueError) as e:
        print("  ", name, e)


t("overwrite", lambda: open(f, "r+").write("pwned"))
t("append", lambda: open(f, "a").write("pwned"))
t("truncate", lambda: os.truncate(f, 0))
t("create", lambda: open(d + "/new", "w"))
t("mkdir", lambda: os.mkdir(d + "/newdir"))
t("unlink", lambda: os.unlink(d + "/other.txt"))
t("rename", lambda: os.rename(f, d + "/moved"))
t("rename over", lambda: os.rename(d + "/other.txt", f))
t("symlink", lambda: os.symlink("/etc/passwd", d + "/ln"))
t("link", lambda: os.link(f, d + "/hl"))
t("chmod", lambda: os.chmod(f, 511))
t("utime", lambda: os.utime(f, (1, 1)))
t("setxattr", lambda: os.setxattr(f, "user.x", b"1"))
t("mkfifo", lambda: os.mkfifo(d + "/fifo"))


def mm():
    fd = os.open(f, os.O_RDWR)
    m = mmap.mmap(fd, 5, mmap.MAP_SHARED)
    m[:5] = b"pwned"
    m.flush()


t("mmap shared", mm)


def procfd():
    fd = os.open(f, os.O_RDONLY)
    open("/proc/self/fd/%d" % fd, "r+").write("pwned")


t("reopen by /proc/self/fd", procfd)
t("O_TMPFILE", lambda: os.open(d, os.O_TMPFILE | os.O_RDWR, 384))
done()
