#!/usr/bin/env python3
"""mcp.py COCOON [CALLS]: what the MCP server costs on stdio, as one line of JSON: from the start to the first list of tools, one
ping, and one run beyond the run itself (medians, in milliseconds)."""
import json
import statistics
import subprocess
import sys
import time


def main():
    cocoon, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    starts = []

    def start():
        begin = time.perf_counter()
        server = subprocess.Popen([cocoon, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def call(id, method, params):
            message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())["result"]

        call(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
        call(1, "tools/list", {})
        starts.append((time.perf_counter() - begin) * 1000)
        return server, call

    def end(server):
        server.stdin.close()
        server.wait()

    for _ in range(9):
        end(start()[0])
    server, call = start()
    pings, beyond = [], []
    for n in range(calls):
        begin = time.perf_counter()
        call(10 + n, "ping", {})
        pings.append((time.perf_counter() - begin) * 1000)
    for n in range(calls):
        begin = time.perf_counter()
        result = call(10_000 + n, "tools/call", {"name": "run_in_sandbox", "arguments": {"command": ["true"]}})
        beyond.append((time.perf_counter() - begin) * 1000 - result["structuredContent"]["duration_ms"])
    end(server)
    print(json.dumps({"start_to_tools_ms": round(statistics.median(starts), 2), "ping_ms": round(statistics.median(pings), 3),
                      "call_beyond_run_ms": round(statistics.median(beyond), 3)}))


if __name__ == "__main__":
    main()
