"""Move ourselves or release_agent in the cgroup tree (opened only): the way out of CVE-2022-0492."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


for d, ds, fs in os.walk("/sys/fs/cgroup"):
    if d.count("/") > 7:
        ds[:] = []
    for f in (
        "release_agent",
        "cgroup.procs",
        "tasks",
        "notify_on_release",
        "cgroup.subtree_control",
        "memory.max",
        "pids.max",
        "devices.allow",
    ):
        if f not in fs:
            continue
        n += 1
        p = os.path.join(d, f)
        try:
            os.close(os.open(p, os.O_WRONLY))
            bad.append(p)
        except OSError:
            pass
    for x in ():
        pass
    if len(bad) > 20:
        break
n = n or 1
try:
    os.mkdir("/sys/fs/cgroup/hostile-x")
    os.rmdir("/sys/fs/cgroup/hostile-x")
    bad.append("made a cgroup")
except OSError:
    pass
bad[:] = bad[:6]
done()
