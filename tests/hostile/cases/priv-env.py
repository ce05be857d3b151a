"""Credentials in the environment of the program that started the sandbox."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


s = A["rtag"][::-1]
for k, v in os.environ.items():
    n += 1
    if s in v or k in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        bad.append("%s=%s" % (k, v[:60]))
done()
