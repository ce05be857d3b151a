#!/usr/bin/env python3
"""run.py COCOON FOLDER: the official clients and the official conformance suites against the real program. FOLDER is where the
pinned packages are put (npm ci), once. Skipped (77) where there is no npm or no registry, and failed where
COCOON_MUST_WORK=1."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MUST_WORK = os.environ.get("COCOON_MUST_WORK") == "1"

# The suites are made for a server with test fixtures (tools, resources and prompts of given names). These scenarios ask for
# none of them; "caching" does by listing prompts, of which we have none.
LEGACY = ["server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "server-sse-multiple-streams",
          "dns-rebinding-protection"]
NEXT = {
    "2025-11-25": ["server-initialize", "ping", "logging-set-level", "tools-list", "resources-list",
                   "server-sse-multiple-streams", "server-session-lifecycle", "dns-rebinding-protection"],
    "2026-07-28": ["tools-list", "resources-list", "server-sse-multiple-streams", "dns-rebinding-protection",
                   "sep-2164-resource-not-found", "http-header-validation"],
}


def cannot(reason):
    print("conformance: " + reason)
    sys.exit(1 if MUST_WORK else 77)


def install(folder):
    """The packages of the lock file; again only where that has changed."""
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
    def __init__(self, cocoon, folder):
        self.process = subprocess.Popen([cocoon, "serve", "--listen", "127.0.0.1:0"], cwd=folder, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.url = re.search(r"serving at (\S+)", self.process.stderr.readline()).group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)


def scenarios(node, folder, package, url, names, more):
    failed = []
    for name in names:
        cli = os.path.join(folder, "node_modules", "@modelcontextprotocol", package, "dist", "index.js")
        run = subprocess.run([node, cli, "server", "--url", url, "--scenario", name, *more], cwd=folder, capture_output=True,
                             text=True, timeout=300)
        passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", run.stdout)
        good = run.returncode == 0 and passed and passed.group(1) != "0" and passed.group(3) == "0"
        print("%-5s %s %s %s" % ("ok" if good else "WRONG", package, " ".join(more), name))
        if not good:
            failed.append(name)
            print(run.stdout[-3000:] + run.stderr[-3000:])
    return failed


def main():
    cocoon, folder = (os.path.abspath(path) for path in sys.argv[1:3])
    install(folder)
    node = os.path.join(folder, "node_modules", ".bin", "node")
    script = shutil.copy(os.path.join(HERE, "clients.mjs"), folder)
    failed = []
    with tempfile.TemporaryDirectory(prefix="cocoon-test-", dir="/var/tmp") as project, Server(cocoon, project) as server:
        url = server.url.replace("127.0.0.1", "localhost")
        if subprocess.run([node, script, cocoon, server.url], cwd=project, timeout=900).returncode:
            failed.append("clients")
        failed += scenarios(node, folder, "conformance", url, LEGACY, [])
        for version, names in NEXT.items():
            failed += scenarios(node, folder, "conformance-next", url, names, ["--spec-version", version])
    print("conformance: %s" % ("wrong: " + ", ".join(failed) if failed else "all right"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
