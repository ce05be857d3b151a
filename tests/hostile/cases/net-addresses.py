"""Learn the host's addresses, listeners and sockets from /proc/net and netlink."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


for f in ("tcp", "udp", "unix", "fib_trie", "arp", "route", "dev"):
    n += 1
    try:
        d = open("/proc/net/" + f).read()
    except OSError:
        continue
    for m in (A["mark"], "10.77.0.1", "%04X" % int(A["port"]) + " 00000000:0000 0A"):
        if m in d:
            bad.append("/proc/net/%s shows %s" % (f, m))
done()
