"""Exit code 124 of the program is not a time-out (and 137 not an out-of-memory)."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


print("HELD: the result decides", flush=True)
os._exit(int(A["code"]))
