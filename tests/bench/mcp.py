#!/usr/bin/env python3
"""mcp.py COCOON [CALLS]: what the MCP server costs on stdio: from its start to the first list of tools; a ping; a call that is
refused before anything runs, which is what the protocol adds to each run; and a call that runs `true`, beside the command line
that does the same. Medians and the slowest hundredth, in milliseconds."""
import json
import statistics
import subprocess
import sys
import time


class Server:
    def __init__(self, cocoon):
        self.process = subprocess.Popen([cocoon, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
        self.ask("tools/list", {})

    def ask(self, method, params):
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def run(self, status, **arguments):
        result = self.ask("tools/call", {"name": "run_in_sandbox", "arguments": arguments})
        assert result["structuredContent"]["status"] == status, result

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def row(what, times, action):
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        action()
        taken.append((time.perf_counter() - begin) * 1000)
    print("%-36s %10.3f %10.3f" % (what, statistics.median(taken), sorted(taken)[len(taken) * 99 // 100]))


def main():
    cocoon, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    print("%-36s %10s %10s" % ("MCP on stdio, milliseconds", "p50", "p99"))
    started = []
    row("start to the first list of tools", min(calls, 30), lambda: started.append(Server(cocoon)))
    for server in started[1:]:
        server.end()
    server = started[0]
    row("ping", calls, lambda: server.ask("ping", {}))
    row("call that is refused", calls, lambda: server.run("setup_failed", nonsense=True))
    row("call that runs true", calls, lambda: server.run("exited", command=["true"]))
    server.end()
    command = [cocoon, "run", "--json", "--", "true"]
    row("the same by cocoon run", calls, lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))


if __name__ == "__main__":
    main()
