"""no_new_privs is set and a seccomp filter is on, for the main process and for threads and children."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


def chk(p):
    global n
    s = dict((l.split(":", 1) for l in open(p).read().splitlines() if ":" in l))
    n += 2
    if s["NoNewPrivs"].strip() != "1":
        bad.append("NoNewPrivs=%s" % s["NoNewPrivs"].strip())
    if s["Seccomp"].strip() != "2":
        bad.append("Seccomp=%s" % s["Seccomp"].strip())


chk("/proc/self/status")
p = os.fork()
if p == 0:
    chk("/proc/self/status")
    os._exit(1 if bad else 0)
os.waitpid(p, 0)
done()
