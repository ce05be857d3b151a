"""A service on the host's loopback, by every spelling of the address."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


import socket


def tcp(addr, port, fam=None):
    global n
    n += 1
    try:
        s = socket.socket(fam or socket.AF_INET, socket.SOCK_STREAM)
        s.settimeout(2)
        s.connect((addr, port))
        s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        d = s.recv(100)
        bad.append("tcp %s:%s answered %r" % (addr, port, d[:60]))
    except OSError as e:
        print("  ", addr, port, e)


def udp(addr, port, msg=b"hello", fam=None):
    global n
    n += 1
    try:
        s = socket.socket(fam or socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(1)
        s.sendto(msg, (addr, port))
        d = s.recv(200)
        bad.append("udp %s:%s answered %r" % (addr, port, d[:60]))
    except OSError as e:
        print("  ", addr, port, e)


def unix(path, typ=socket.SOCK_STREAM):
    global n
    n += 1
    try:
        s = socket.socket(socket.AF_UNIX, typ)
        s.settimeout(2)
        s.connect(path)
        if typ != socket.SOCK_STREAM:
            s.send(b"x")
            bad.append("unix %r reached" % path)
            return
        s.sendall(b"hi\n")
        bad.append("unix %r answered %r" % (path, s.recv(100)[:60]))
    except OSError as e:
        print("  ", path, e)


p = int(A["port"])
for a in ("127.0.0.1", "localhost", "0.0.0.0", "127.1.2.3", "10.77.0.1"):
    tcp(a, p)
done()
