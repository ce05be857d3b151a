#!/usr/bin/env python3
"""Prints the table of docs/runtimes.md: each runtime's version here, and what its shortest program takes, from the start
of the command to its end. Cold: its files are not in the kernel's cache (only root can empty that); warm: they are, the
fastest of several. CPU: what the guest used of it then, which depends less on what else the machine does.

    python3 tests/bench/runtimes.py build/release/bin/cocoon [ROUNDS]
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = "/opt/cocoon-tests/bin:/usr/local/bin:/usr/bin:/bin"


def program(name):
    alias = {"cargo": "rust", "bash": "sh"}.get(name, name)
    with open(os.path.join(HERE, "..", "integration", "languages", alias + ".txt"), encoding="utf-8") as f:
        return re.split(r"^== .*\n", f.read(), flags=re.MULTILINE)[1]


def main():
    cocoon, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        env = {"PATH": PATH, "HOME": folder, "XDG_CACHE_HOME": folder, "LANG": "C.UTF-8"}
        found = json.loads(subprocess.run([cocoon, "info", "--json"], env=env, capture_output=True).stdout)["runtimes"]

        def measure(name, code):
            begin = time.monotonic()
            run = subprocess.run([cocoon, "run", "--mem", "256", "--json", "--runtime", name, "-c", code], env=env, cwd=folder,
                                 capture_output=True, text=True)
            taken = 1000 * (time.monotonic() - begin)
            outcome = json.loads(run.stdout)
            if outcome.get("stdout") != "grüße 世界\n":
                sys.exit("%s: %s" % (name, outcome))
            return taken, outcome["cpu_ms"]

        print("| runtime | version | cold, ms | warm, ms | CPU, ms |\n|---|---|---|---|---|")
        for runtime in found:
            name = runtime["name"]
            if not runtime["available"]:
                print("| %s | not installed | | | |" % name)
                continue
            code, cold = program(name), "not measured"
            measure(name, code)  # where the interpreter lives is asked once and remembered
            if os.geteuid() == 0:
                os.sync()
                with open("/proc/sys/vm/drop_caches", "w") as f:
                    f.write("3\n")
                cold = "%.0f" % measure(name, code)[0]
            warm, cpu = map(min, zip(*(measure(name, code) for _ in range(rounds))))
            print("| %s | %s | %s | %.0f | %.0f |" % (name, runtime.get("version", ""), cold, warm, cpu), flush=True)


main()
