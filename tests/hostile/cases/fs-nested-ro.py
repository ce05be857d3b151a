"""A read-only grant inside a writable one stays read-only: write, replace, rename away, mount over by a new directory."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import shutil

w = A["work"]
p = w + "/protected"


def t(name, f):
    global n
    n += 1
    try:
        f()
        print("  did", name)
    except OSError as e:
        print("  ", name, e.strerror)


t("overwrite", lambda: open(p + "/file.txt", "w").write("pwned"))
t("create", lambda: open(p + "/new", "w").write("pwned"))
t("rename away", lambda: os.rename(p, w + "/gone"))
t("unlink inside", lambda: os.unlink(p + "/file.txt"))
t("rmtree", lambda: shutil.rmtree(p))
t(
    "rename parent trick",
    lambda: (os.mkdir(w + "/x"), os.rename(p, w + "/x/p"), open(w + "/x/p/file.txt", "w").write("pwned")),
)
print("HELD: the host side decides")
