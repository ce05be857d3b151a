"""AF_VSOCK is not namespaced: it reaches the hypervisor or host from any network namespace. Only made, never connected."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import socket

for t in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    n += 1
    try:
        socket.socket(40, t).close()
        bad.append("socket(AF_VSOCK,%d)" % t)
    except OSError as e:
        print("  ", e.strerror)
n += 1
try:
    os.close(os.open("/dev/vsock", os.O_RDONLY))
    bad.append("/dev/vsock opens")
except OSError as e:
    print("  ", e.strerror)
done()
