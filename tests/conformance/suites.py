"""The official conformance suites: all of them against our protocol with their fixtures behind it, and against the product
those that need none. What is left out, and why, is in exclusions.json alone."""
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# Of the product: what asks for no tool, resource or prompt of a given name ("caching" does, by listing prompts).
PRODUCT = {
    "0.1.16": ["server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "server-sse-multiple-streams",
               "dns-rebinding-protection"],
    "2025-11-25": ["server-initialize", "ping", "logging-set-level", "tools-list", "resources-list",
                   "server-sse-multiple-streams", "server-session-lifecycle", "dns-rebinding-protection"],
    "2026-07-28": ["tools-list", "resources-list", "server-sse-multiple-streams", "dns-rebinding-protection",
                   "sep-2164-resource-not-found", "http-header-validation"],
}


def suite(node, folder, run, url, *options):
    """Output of one run: of the released suite (0.1.16), or of its successor at the revision that run names."""
    package = "conformance" if run == "0.1.16" else "conformance-next"
    cli = os.path.join(folder, "node_modules", "@modelcontextprotocol", package, "dist", "index.js")
    return subprocess.run([node, cli, "server", "--url", url, *options], cwd=folder, capture_output=True, text=True, timeout=300)


def of_product(node, folder, url):
    failed = []
    for run, names in PRODUCT.items():
        for name in names:
            done = suite(node, folder, run, url, "--scenario", name, *([] if run == "0.1.16" else ["--spec-version", run]))
            passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", done.stdout)
            good = done.returncode == 0 and passed and passed.group(1) != "0" and passed.group(3) == "0"
            print("%-5s product, %s: %s" % ("ok" if good else "WRONG", run, name))
            if not good:
                failed.append("product %s %s" % (run, name))
                print(done.stdout[-3000:] + done.stderr[-3000:])
    return failed


def results(folder):
    """scenario -> its checks, of a run that kept them in folder."""
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name, "checks.json"), encoding="utf-8") as f:
            scenario = re.fullmatch(r"server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z", name).group(1)
            found[scenario] = [check for check in json.load(f) if check["status"] != "INFO"]
    return found


def of_fixtures(node, folder, scratch, url):
    """Every check of every scenario passes, or is excluded; and what is excluded is there and does not pass."""
    with open(os.path.join(HERE, "exclusions.json"), encoding="utf-8") as f:
        exclusions = json.load(f)
    failed = []
    for run, scenarios in (("0.1.16", 32), ("2025-11-25", 33), ("2026-07-28", 50)):
        excluded = {name for entry in exclusions if run in entry["runs"] for name in entry["excluded"]}
        options = ["--suite", "all"] if run == "0.1.16" else ["--requirements", run]
        kept = os.path.join(scratch, "results-" + run)
        done = suite(node, folder, run, url, *options, "--output-dir", kept)
        passed, wrong, used = [], [], set()
        found = results(kept) if os.path.isdir(kept) else {}
        for scenario, checks in sorted(found.items()):
            bad = [check for check in checks if check["status"] != "SUCCESS"]
            if checks and not bad:
                passed.append(scenario)
            elif scenario in excluded:
                used.add(scenario)
            elif not checks:
                wrong.append("%s: checks nothing" % scenario)
            else:
                used |= {check["id"] for check in bad} & excluded
                wrong += ["%s: %s %s: %s" % (scenario, check["id"], check["status"], check.get("errorMessage"))
                          for check in bad if check["id"] not in excluded]
        wrong += ["%s is excluded for nothing" % name for name in sorted(excluded - used)]
        if len(found) != scenarios:
            wrong.append("%d scenarios ran, of %d\n%s" % (len(found), scenarios, done.stdout[-2000:] + done.stderr[-2000:]))
        print("%-5s fixtures, %s: %d scenarios pass, %d are excluded" % ("WRONG" if wrong else "ok", run, len(passed), len(used)))
        failed += ["fixtures %s %s" % (run, one) for one in wrong]
    return failed
