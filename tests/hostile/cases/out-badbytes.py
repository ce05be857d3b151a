"""Invalid UTF-8, lone surrogates, overlong forms, NUL, ANSI and OSC escapes, bidi controls, U+2028, BOM, C1, on both streams."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


b = b'start\x00mid\xff\xfe\xc0\xaf\xed\xa0\x80\xed\xbf\xbf\xf5\x90\x80\x80\xe2\x82 \x1b[2J\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x07 \x9b31m \xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf \x7f \x08\x08\r"\\}\n</script>\x85 end-marker\n'
os.write(1, b)
os.write(2, b)
os._exit(9)
