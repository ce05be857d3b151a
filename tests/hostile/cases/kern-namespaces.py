"""Own user, mnt, pid, net, ipc and uts namespaces (and cgroup)."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


for k, v in A.items():
    n += 1
    try:
        x = os.readlink("/proc/self/ns/" + k)
    except OSError as e:
        print(k, e)
        continue
    if x == v:
        bad.append("shares %s namespace with the host" % k)
done()
