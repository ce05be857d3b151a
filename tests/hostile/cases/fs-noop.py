"""Just says that it ran; the attack is in the paths given to the sandbox."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


print("ran in", os.getcwd())
for k in ("see", "see2"):
    if A.get(k):
        try:
            print(k, os.listdir(A[k])[:10])
        except OSError as e:
            print(k, e.strerror)
if A.get("mk"):
    try:
        open(A["mk"] + "/inside", "w").write("x")
        print("wrote", A["mk"])
    except OSError as e:
        print("mk", e.strerror)
print("HELD: the host side decides")
