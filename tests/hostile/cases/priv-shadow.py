"""System secrets that only root may read."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


for p in ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_ed25519_key", "/root/.bashrc"):
    n += 1
    try:
        os.close(os.open(p, os.O_RDONLY))
        bad.append("opened " + p)
    except OSError as e:
        print("  ", p, e.strerror)
done()
