"""The same through the environ, cmdline and auxv of every process that can be seen, pid 1 and the sandbox's own helpers first."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


s = A["rtag"][::-1].encode()
for p in sorted((x for x in os.listdir("/proc") if x.isdigit()), key=int):
    for f in ("environ", "cmdline"):
        n += 1
        try:
            d = open("/proc/%s/%s" % (p, f), "rb").read()
        except OSError:
            continue
        if int(p) != os.getpid() and s in d:
            i = d.find(s)
            bad.append("/proc/%s/%s: %r" % (p, f, d[max(0, i - 30) : i + 30]))
done()
