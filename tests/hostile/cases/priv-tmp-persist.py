"""What one run leaves in /tmp, /var/tmp, /dev/shm or $HOME must not be there for the next run. run=1 writes, run=2 looks."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


for d in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
    p = d + "/" + A["name"]
    if A["run"] == "1":
        try:
            open(p, "w").write("left behind")
            print("wrote", p)
        except OSError as e:
            print(p, e.strerror)
    else:
        n += 1
        if os.path.exists(p):
            bad.append("still there: " + p)
if A["run"] == "1":
    print("HELD: first run")
    sys.exit(0)
done()
