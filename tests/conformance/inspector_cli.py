"""The official inspector's command line as a client: what it thinks of the list of tools, and a call, over each transport."""
import json
import os
import subprocess

CALL = {"runtime": "python", "code": "print(6 * 7)"}


def inspect(node, folder, home, server, *options):
    cli = os.path.join(folder, "node_modules", ".bin", "mcp-inspector")
    env = {**os.environ, "HOME": home}
    return subprocess.run([node, cli, "--cli", *server, "--format", "json", *options], cwd=home, env=env, capture_output=True,
                          text=True, timeout=120)


def check(node, folder, home, cocoon, url):
    failed = []

    def case(name, good, run):
        print("%-5s inspector, %s" % ("ok" if good else "WRONG", name))
        if not good:
            failed.append("inspector " + name)
            print("exit code %d\n%s%s" % (run.returncode, run.stdout[-3000:], run.stderr[-3000:]))

    for transport, server in (("stdio", [cocoon, "mcp"]), ("http", [url])):
        for era in ("legacy", "modern"):
            where = "%s, %s" % (transport, era)
            # --strict: exit code 6 if a schema is of a kind that some clients drop; what it merely warns of goes to stderr.
            run = inspect(node, folder, home, [*server, "--protocol-era", era], "--method", "tools/list", "--strict")
            names = [tool["name"] for tool in json.loads(run.stdout)["result"]["tools"]] if run.returncode == 0 else []
            case("%s: the tools are portable" % where,
                 names == ["run_in_sandbox", "run_pipeline", "read_output", "sandbox_info"] and "Warning" not in run.stderr, run)
            run = inspect(node, folder, home, [*server, "--protocol-era", era], "--method", "tools/call", "--tool-name",
                          "run_in_sandbox", "--tool-args-json", json.dumps(CALL))
            case("%s: a call" % where, run.returncode == 0 and
                 json.loads(run.stdout)["result"]["structuredContent"]["stdout"] == "42\n", run)
    run = inspect(node, folder, home, [cocoon, "mcp"], "--method", "tools/call", "--tool-name", "run_in_sandbox",
                  "--tool-args-json", '{"nonsense": 1}')
    case("a call that makes no sense", run.returncode == 5 and "nonsense" in run.stdout, run)
    return failed
