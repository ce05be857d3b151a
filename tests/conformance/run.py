#!/usr/bin/env python3
"""run.py COCOON FIXTURES FOLDER: the official clients, conformance suites, inspector and bundle tool against the installed
program COCOON, and the suites against FIXTURES (cocoon_mcp_fixtures). FOLDER is where the pinned packages are put (npm ci),
once. Skipped (77) where there is no npm or no registry, and failed where COCOON_MUST_WORK=1."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import bundle
import inspector_cli
import suites

HERE = os.path.dirname(os.path.abspath(__file__))
MUST_WORK = os.environ.get("COCOON_MUST_WORK") == "1"


def cannot(reason):
    print("conformance: " + reason)
    sys.exit(1 if MUST_WORK else 77)


def install(folder):
    """The packages of the lock file; again only where that has changed. (package.json overrides vite, which the inspector's pages
    use and its command line does not: later ones name an optional package that the registry does not have, and npm ci
    stops there.)"""
    os.makedirs(folder, exist_ok=True)
    lock = open(os.path.join(HERE, "package-lock.json"), "rb").read()
    mark = os.path.join(folder, "installed")
    if os.path.exists(mark) and open(mark, "rb").read() == lock:
        return
    if not shutil.which("npm"):
        cannot("npm is missing")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(HERE, name), folder)
    run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        cannot("npm ci: " + (run.stderr or run.stdout)[-2000:])
    with open(mark, "wb") as f:
        f.write(lock)


class Server:
    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # The suites take a server only by this name.
        self.url = re.search(r"serving at (\S+)", self.process.stderr.readline()).group(1).replace("127.0.0.1", "localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)


def main():
    cocoon, fixtures, folder = (os.path.abspath(path) for path in sys.argv[1:4])
    install(folder)
    node = os.path.join(folder, "node_modules", ".bin", "node")
    script = shutil.copy(os.path.join(HERE, "clients.mjs"), folder)
    failed = []
    with tempfile.TemporaryDirectory(prefix="cocoon-test-", dir="/var/tmp") as project:
        with Server([cocoon, "serve", "--listen", "127.0.0.1:0"], project) as server:
            if subprocess.run([node, script, cocoon, server.url], cwd=project, timeout=900).returncode:
                failed.append("clients")
            failed += suites.of_product(node, folder, server.url)
            failed += inspector_cli.check(node, folder, project, cocoon, server.url)
        with Server([fixtures], project) as server:
            failed += suites.of_fixtures(node, folder, project, server.url)
        failed += bundle.check(node, folder, project, cocoon)
    print("conformance: %s" % ("wrong: " + ", ".join(failed) if failed else "all right"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
