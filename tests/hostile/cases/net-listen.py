"""Listen inside; the runner tries to connect from the host meanwhile."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import socket

try:
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("0.0.0.0", int(A["port"])))
    s.listen(5)
    s.settimeout(2.5)
    print("listening", flush=True)
    c, a = s.accept()
    c.sendall(b"inside")
    bad.append("connection from %r" % (a,))
except OSError as e:
    print(e)
n = 1
done()
