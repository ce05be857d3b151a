"""Read the credentials that live in a developer's home."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


def rd(p, flags=os.O_RDONLY):
    global n
    n += 1
    try:
        fd = os.open(p, flags | os.O_NONBLOCK)
        d = os.read(fd, 200)
        os.close(fd)
        if d.strip():
            bad.append("read %s: %r" % (p, d[:60]))
        return True
    except OSError as e:
        print("  ", p, e.strerror)
        return False


h = A["home"]
for p in (
    ".ssh/id_ed25519",
    ".ssh/config",
    ".aws/credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".docker/config.json",
    ".kube/config",
    ".config/gh/hosts.yml",
    ".config/gcloud/credentials.db",
    ".bash_history",
    ".gnupg/private-keys-v1.d/k",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".env",
):
    rd(os.path.join(h, p))
    rd(os.path.join(os.path.expanduser("~"), p))
try:
    l = [x for x in os.listdir(h) if x.startswith(".")]
    if ".ssh" in l:
        bad.append("listed %s: %s" % (h, l[:5]))
except OSError:
    pass
done()
