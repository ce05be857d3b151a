#!/usr/bin/env python3
"""Runs the attacks of cases.json against a sandbox and prints what held.

  run_hostile.py --cocoon PATH                the program under test; exit 1 if a case of level "must" broke
  run_hostile.py --cocoon PATH --only proc-   cases whose id starts with proc- (-v shows their output)
  run_hostile.py --prove                      the same attacks against nothing, a home-made sandbox and bubblewrap:
                                              exit 1 if an attack was never seen to work, since such a test proves nothing

Each case gets a folder tree of its own: B/home ($HOME, with false credentials), B/home/proj/{work,ro,copy,sibling},
B/host (never granted) and B/case (the case's code, granted read-only). The runner works in a network namespace of its
own, in which false metadata, DNS and LAN services live. As root it starts the sandboxes as an ordinary user (--uid);
--as-root starts them as root. Only processes that descend from the runner are ever ended, by their pid.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import runner
from sandboxes import HERE, SANDBOXES

PROVERS = ("bare", "bare-root", "weak", "bwrap")
BASELINE = (("plain run", None, [], {}, "ran in"),
            ("ro and work", None, ["see={WORK}", "see2={RO}"], {"work": "{WORK}", "ro": ["{RO}"]}, "see .*file.txt(.|\n)*see2 .*file.txt"),
            ("timeout", "timeout", [], {"timeout_s": 5}, "ran in"), ("mem", "mem", [], {"mem_mib": 256}, "ran in"),
            ("copy", "copy", ["see={COPY}"], {"copy": ["{COPY}"]}, "see .*file.txt"),
            ("temp", "temp", ["mk={WORK}/scratch"], {"work": "{WORK}", "temp": ["{WORK}/scratch"]}, "wrote .*scratch"))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cocoon", default=os.environ.get("COCOON"), help="the program under test")
    parser.add_argument("--prove", action="store_true", help="show that the attacks are real")
    parser.add_argument("--only", default="", help="prefixes of case ids, separated by commas")
    parser.add_argument("--uid", type=int, default=4242, help="whom the sandboxes are started as, by root")
    parser.add_argument("--as-root", action="store_true", help="start the sandboxes as root")
    parser.add_argument("--base", help="where the folder trees are made")
    parser.add_argument("--shared-net", action="store_true", help="don't make a network namespace")
    parser.add_argument("--in-private-net", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-v", "--verbose", action="store_true")
    return parser.parse_args()


def into_private_network(chosen):
    """Unprivileged: a user namespace that keeps our uid gives the network namespace. Starts this program over in it."""
    launcher = ["unshare", "-U", "-n", "--map-current-user", "--keep-caps"]
    if subprocess.run(launcher + ["true"], stderr=subprocess.DEVNULL).returncode:
        chosen.shared_net = True
        return
    code = ("import os, sys; sys.path.insert(0, %r); import world; world.LIBC.unshare = lambda flags: 0; "
            "made = world.private_network(); world.LIBC.prctl(47, 4, 0, 0, 0); "  # PR_CAP_AMBIENT_CLEAR_ALL
            "os.execv(sys.executable, [sys.executable, %r, *%r, '--in-private-net' if made else '--shared-net'])"
            % (HERE, os.path.abspath(__file__), sys.argv[1:]))
    os.execvp(launcher[0], launcher + [sys.executable, "-c", code])


def files_of(case):
    """The case's code, and what else has to lie beside it."""
    found = [os.path.join(HERE, "weak_sandbox.sh")]
    names = [case["run"].get("py") or case["run"].get("bin")]
    if "first" in case.get("harness", {}):
        names.append(case["harness"]["first"][0] + ".py")
    for name in filter(None, names):
        folder = "cases" if name.endswith(".py") else "bin"
        found.append(os.path.join(HERE, folder, name))
    return found


def works(run, sandbox):
    """What an honest program may do has to work, or a refusal to start would look like protection."""
    for name, need, args, flags, text in BASELINE:
        if need and need not in sandbox.features:
            continue
        case = {"id": "baseline", "kind": "baseline", "run": {"py": "fs-noop.py", "args": args}, "flags": flags, "bare": "yes",
                "setup": [{"dir": "{WORK}/scratch"}], "expect": {"verdict": "host", "max_wall_s": 9, "stdout_has": text}}
        case["files"] = files_of(case)
        state, why = run.once(sandbox, case)
        if state not in ("held", "n.a."):
            print("%s: an ordinary run (%s) does not work, so nothing can be said: %s" % (sandbox.name, name, why[:300]))
            return False
    return True


def attack(run, sandbox, cases):
    """Case id -> state, or None if the sandbox can't be judged."""
    why = sandbox.missing()
    if why:
        print("%s: %s" % (sandbox.name, why))
        return None
    if sandbox.name != "bare-root" and not works(run, sandbox):
        return None
    states, begin = {}, time.time()
    for case in cases:
        state, why = run.run(sandbox, case)
        states[case["id"]] = state
        if run.options.verbose or (sandbox.name == "cocoon" and state != "held"):
            print("%-8s %-22s %-6s %-6s %s" % (sandbox.name, case["id"], case["level"], state, why[:300]), flush=True)
    count = {s: list(states.values()).count(s) for s in ("held", "BROKE", "n.a.", "err")}
    print("%s: %s in %.0f s" % (sandbox.name, ", ".join("%d %s" % (n, s) for s, n in count.items()), time.time() - begin), flush=True)
    return states


def prove(run, cases):
    seen, used = set(), []
    for name in PROVERS:
        states = attack(run, SANDBOXES[name](run.options), cases)
        if states is not None:
            used.append(name)
            seen |= {case for case, state in states.items() if state == "BROKE"}
    # Cases with "attack": false ask for correct behaviour, which even no sandbox at all may show.
    never = [c["id"] for c in cases if c.get("attack", True) and c["id"] not in seen and (run.root or c["bare"] != "root")]
    print("%d of %d attacks were seen to work, in: %s" % (len(seen), len(cases), ", ".join(used)))
    if never:
        print("never seen to work: " + ", ".join(never))
    return 1 if never else 0


def main():
    chosen = options()
    if os.geteuid() != 0 and not chosen.shared_net and not chosen.in_private_net:
        into_private_network(chosen)
    with open(os.path.join(HERE, "cases.json")) as f:
        cases = [c for c in json.load(f)["cases"] if any(c["id"].startswith(p) for p in chosen.only.split(","))]
    for case in cases:
        case["files"] = files_of(case)
    run = runner.Runner(chosen)
    print("sandboxes run as uid %d, in a network namespace of the runner's own: %s" % (run.uid, run.private))
    if chosen.prove:
        return prove(run, cases)
    states = attack(run, SANDBOXES["cocoon"](chosen), cases)
    if states is None:
        return 1
    broken = [c["id"] for c in cases if c["level"] == "must" and states[c["id"]] in ("BROKE", "err")]
    skipped = [c["id"] for c in cases if states[c["id"]] == "n.a."]
    if skipped and os.environ.get("COCOON_MUST_WORK") == "1":
        print("not run, though this host must be able to: " + ", ".join(skipped))
        return 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
