#!/usr/bin/env python3
"""cocoon serve over real sockets: both eras, sessions, the older transport, who is let in, bounds, slow and silent clients."""
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
import unittest

from cocoon_test import SLACK_S, descendants, main
from mcp_test import MODERN, McpTest, modern_meta

TOKEN = "0123456789abcdef0123456789abcdef"
ACCEPT = "application/json, text/event-stream"


class Server:
    def __init__(self, test, *flags, **kw):
        self.test = test
        self.process = test.start("serve", "--listen", "127.0.0.1:0", *flags, **kw)
        line = self.process.stderr.readline().decode()
        test.assertIn("serving at http://127.0.0.1:", line)
        self.port = int(line.strip().rsplit(":", 1)[1].split("/")[0])

    def connect(self, timeout_s=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)

    def request(self, method, path, body=None, headers=None, connection=None):
        """(status, headers, body) of one request; a body that is no text is sent as JSON."""
        own = connection or self.connect()
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        own.request(method, path, body, headers or {})
        response = own.getresponse()
        data = response.read()
        if connection is None:
            own.close()
        return response.status, response.headers, data

    def post(self, message, headers=None, **kw):
        given = {"Content-Type": "application/json", "Accept": ACCEPT}
        given.update(headers or {})
        return self.request("POST", "/mcp", message, {k: v for k, v in given.items() if v is not None}, **kw)

    def modern(self, method, params=None, id=1, headers=None, **kw):
        params = dict(params or {}, _meta=modern_meta())
        given = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        for key in ("name", "uri"):
            if key in params:
                given["Mcp-Name"] = params[key]
        given.update(headers or {})
        return self.post({"jsonrpc": "2.0", "id": id, "method": method, "params": params}, given, **kw)

    def run(self, connection=None, **arguments):
        status, headers, data = self.modern("tools/call", {"name": "run_in_sandbox", "arguments": arguments}, connection=connection)
        self.test.assertEqual(status, 200, data)
        return answer_in(headers, data)["result"]["structuredContent"]

    def open(self, version="2025-11-25", **headers):
        status, answered, data = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}, headers)
        self.test.assertEqual(status, 200, data)
        return {"Mcp-Session-Id": answered["Mcp-Session-Id"], "MCP-Protocol-Version": version, **headers}

    def end(self, within_s=20.0):
        begin = time.monotonic()
        self.process.terminate()
        self.process.wait(within_s)
        self.test.helpers.discard(self.process.pid)
        return time.monotonic() - begin


def events_of(data):
    """The messages of a text/event-stream."""
    found = []
    for block in data.decode().split("\n\n"):
        lines = [line[6:] for line in block.split("\n") if line.startswith("data: ")]
        if lines:
            found.append(json.loads("\n".join(lines)))
    return found


def answer_in(headers, data):
    if headers["Content-Type"] == "text/event-stream":
        return events_of(data)[-1]
    return json.loads(data)


class HttpTest(McpTest):
    def server(self, *flags, **kw):
        return Server(self, *flags, **kw)


class Modern(HttpTest):
    def test_requests_stand_alone(self):
        server = self.server()
        connection = server.connect()
        status, headers, data = server.modern("server/discover", connection=connection)
        self.assertEqual((status, json.loads(data)["result"]["supportedVersions"]), (200, [MODERN]))
        self.assertNotIn("Mcp-Session-Id", headers)
        self.assertEqual(server.run(connection, command=["echo", "hi"])["stdout"], "hi\n")
        listed = json.loads(server.modern("tools/list", connection=connection)[2])["result"]
        self.assertEqual([t["name"] for t in listed["tools"]], ["run_in_sandbox", "run_pipeline", "read_output", "sandbox_info"])
        connection.close()
        server.end()

    def test_statuses_and_codes(self):
        server = self.server()
        cases = [
            (server.modern("no/such"), 404, -32601), (server.modern("ping"), 404, -32601),
            (server.modern("tools/call", {"name": "none"}), 200, -32602),
            (server.modern("tools/list", headers={"MCP-Protocol-Version": "2025-11-25"}), 400, -32020),
            (server.modern("tools/list", headers={"Mcp-Method": "tools/call"}), 400, -32020),
            (server.modern("tools/call", {"name": "none"}, headers={"Mcp-Name": "other"}), 400, -32020),
            (server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"MCP-Protocol-Version": MODERN}), 400, -32602),
            (server.post({"jsonrpc": "2.0", "id": 1, "method": "initialize"}, {"MCP-Protocol-Version": MODERN}), 400, -32020),
            (server.post("{"), 400, -32700), (server.post("[" * 100000), 400, -32700), (server.post("[]"), 400, -32600),
        ]
        for (status, _, data), wanted, code in cases:
            self.assertEqual((status, json.loads(data)["error"]["code"]), (wanted, code), data)
        for method in ("GET", "DELETE", "PUT"):
            self.assertEqual(server.request(method, "/mcp", headers={"Accept": ACCEPT})[0], 405)
        self.assertEqual(server.post({}, {"Content-Type": "text/plain"})[0], 415)
        self.assertEqual(server.post({}, {"Accept": "application/json"})[0], 406)
        self.assertEqual(server.request("GET", "/other")[0], 404)
        note = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"_meta": modern_meta()}}
        status, _, data = server.post(note, {"MCP-Protocol-Version": MODERN, "Mcp-Method": "notifications/x"})
        self.assertEqual((status, data), (202, b""))
        server.end()

    def test_progress_streams_and_a_lost_connection_ends_the_run(self):
        server = self.server()
        connection = server.connect()
        params = {"name": "run_in_sandbox", "arguments": {"command": "while :; do echo tick; sleep 0.3; done"},
                  "_meta": modern_meta(progressToken="p")}
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}),
                           {"Content-Type": "application/json", "Accept": ACCEPT, "MCP-Protocol-Version": MODERN,
                            "Mcp-Method": "tools/call", "Mcp-Name": "run_in_sandbox"})
        response = connection.getresponse()
        self.assertEqual(response.headers["Content-Type"], "text/event-stream")
        text = b""
        while text.count(b"tick") < 2:
            text += response.readline()
        self.assertEqual(events_of(text)[0]["params"]["progressToken"], "p")
        self.assertTrue(descendants(server.process.pid))
        response.close()
        connection.close()
        self.wait_for("the run has ended", lambda: not descendants(server.process.pid))
        server.end()


class Legacy(HttpTest):
    def test_a_session_from_its_beginning_to_its_end(self):
        server = self.server()
        session = server.open()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)[0], 202)
        self.assertEqual(json.loads(server.post(ping, session)[2])["result"], {})
        self.assertEqual(server.post(ping)[0], 400)
        self.assertEqual(server.post(ping, {"Mcp-Session-Id": "none"})[0], 404)
        self.assertEqual(server.post(ping, dict(session, **{"MCP-Protocol-Version": "1999-01-01"}))[0], 400)
        status, _, data = server.post({"jsonrpc": "2.0", "id": 1, "method": "no/such"}, session)
        self.assertEqual((status, json.loads(data)["error"]["code"]), (200, -32601))
        self.assertEqual(server.request("DELETE", "/mcp", headers=session)[0], 204)
        self.assertEqual(server.post(ping, session)[0], 404)
        self.assertEqual(server.request("DELETE", "/mcp", headers=session)[0], 404)
        server.end()

    def test_a_lost_connection_does_not_end_the_run_but_a_notification_does(self):
        server = self.server()
        session = server.open()
        call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call",
                "params": {"name": "run_in_sandbox", "arguments": {"command": ["sleep", "100"]}}}
        connection = server.connect()
        connection.request("POST", "/mcp", json.dumps(call), {"Content-Type": "application/json", "Accept": ACCEPT, **session})
        self.wait_for("it runs", lambda: "sleep" in descendants(server.process.pid).values())
        connection.close()
        time.sleep(0.5)
        self.assertIn("sleep", descendants(server.process.pid).values())
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
        self.assertEqual(server.post(note, session)[0], 202)
        self.wait_for("the run has ended", lambda: not descendants(server.process.pid))
        # The end of a session is an end of its runs.
        threading.Thread(target=lambda: server.post(call, session), daemon=True).start()
        self.wait_for("it runs", lambda: "sleep" in descendants(server.process.pid).values())
        server.request("DELETE", "/mcp", headers=session)
        self.wait_for("the run has ended", lambda: not descendants(server.process.pid))
        server.end()

    def test_a_second_stream_takes_over(self):
        server = self.server()
        session = server.open()
        streams = []
        for _ in range(2):
            connection = server.connect()
            connection.request("GET", "/mcp", headers={"Accept": "text/event-stream", **session})
            response = connection.getresponse()
            self.assertEqual((response.status, response.headers["Content-Type"]), (200, "text/event-stream"))
            streams.append((connection, response))
        self.assertEqual(streams[0][1].read(), b"")
        for connection, response in streams:
            response.close()
            connection.close()
        server.end()

    def test_batches(self):
        server = self.server()
        batch = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in (1, 2)]
        status, headers, data = server.post(batch, server.open("2025-03-26"))
        self.assertEqual((status, sorted(m["id"] for m in events_of(data))), (200, [1, 2]))
        self.assertEqual(server.post(batch, server.open("2025-11-25"))[0], 400)
        server.end()

    def test_the_older_transport(self):
        server = self.server()
        connection = server.connect()
        connection.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        stream = connection.getresponse()
        self.assertEqual(stream.readline(), b"event: endpoint\n")
        path = stream.readline().decode()[6:].strip()
        self.assertTrue(path.startswith("/messages?sessionId="))
        post = lambda message: server.request("POST", path, message, {"Content-Type": "application/json"})
        self.assertEqual(post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}})[0], 202)
        self.assertEqual(post({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "run_in_sandbox", "arguments": {"command": ["echo", "old"]}}})[0], 202)
        seen = []
        while len(seen) < 2:
            line = stream.readline()
            if line.startswith(b"data: "):
                seen.append(json.loads(line[6:]))
        self.assertEqual(seen[0]["result"]["protocolVersion"], "2024-11-05")
        self.assertIn("old", seen[1]["result"]["content"][0]["text"])
        post({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "run_in_sandbox",
                                                                            "arguments": {"command": ["sleep", "100"]}}})
        self.wait_for("it runs", lambda: "sleep" in descendants(server.process.pid).values())
        stream.close()
        connection.close()
        self.wait_for("the run has ended", lambda: not descendants(server.process.pid))
        self.wait_for("the session has ended", lambda: post({"jsonrpc": "2.0", "id": 4, "method": "ping"})[0] == 404)
        server.end()


class Gate(HttpTest):
    def test_names_and_origins(self):
        server = self.server("--allow-origin", "https://app.example", "--allow-host", "box.example")
        for headers, status in (({"Host": "evil.example.com"}, 403), ({"Host": "localhost:1"}, 200), ({"Host": "box.example"}, 200),
                                ({"Origin": "http://evil.example.com"}, 403), ({"Origin": "null"}, 403),
                                ({"Origin": "https://app.example"}, 200), ({"Origin": "http://localhost:3000"}, 200)):
            self.assertEqual(server.modern("server/discover", headers=headers)[0], status, headers)
        server.end()

    def test_tokens(self):
        path = self.write("free/tokens", "ann %s\n" % TOKEN, 0o600)
        audit = self.base + "/free/audit"
        server = self.server("--token-file", path, "--audit", audit, env={"COCOON_TOKEN": "f" * 32})
        for token, status in ((None, 401), ("Bearer x", 401), ("Bearer " + TOKEN + "0", 401), ("Basic " + TOKEN, 401),
                              ("Bearer " + TOKEN, 200), ("bearer " + "f" * 32, 200)):
            found = server.modern("server/discover", headers={} if token is None else {"Authorization": token})
            self.assertEqual(found[0], status, token)
            self.assertEqual("WWW-Authenticate" in found[1], status == 401)
        self.assertEqual(server.request("GET", "/metrics")[0], 401)
        self.assertEqual(server.request("GET", "/healthz")[0], 200)
        server.modern("tools/call", {"name": "run_in_sandbox", "arguments": {"command": ["true"]}},
                      headers={"Authorization": "Bearer " + TOKEN})
        lines = [json.loads(line) for line in self.read("free/audit").splitlines()]
        self.assertEqual([(line["event"], line["caller"]) for line in lines], [("begin", "http:ann"), ("end", "http:ann")])
        # A session belongs to whoever opened it.
        session = server.open(Authorization="Bearer " + TOKEN)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(server.post(ping, session)[0], 200)
        self.assertEqual(server.post(ping, dict(session, Authorization="Bearer " + "f" * 32))[0], 404)
        server.end()

    def test_without_tokens_it_stays_on_this_machine(self):
        self.assertIn("token", self.refused("serve", "--listen", "0.0.0.0:0", code=2)["message"])
        self.refused("serve", "--listen", "nonsense", code=2)
        self.refused("serve", "--listen", "1.2.3.4.5:80", code=2)
        open_file = self.write("free/tokens", TOKEN, 0o644)
        os.chmod(open_file, 0o666)
        self.assertIn("free/tokens", self.refused("serve", "--token-file", open_file)["message"])
        self.refused("serve", "--token-file", self.write("free/short", "short", 0o600))


class Bounds(HttpTest):
    def raw(self, server, data, within_s=60):
        with socket.create_connection(("127.0.0.1", server.port), within_s) as s:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            answer = b""
            while True:
                piece = s.recv(65536)
                if not piece:
                    return answer
                answer += piece

    def test_what_is_too_large_or_ambiguous(self):
        server = self.server()
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for data, status in (
                (head + b"Content-Length: 99999999\r\n\r\n", b"413"),
                (head + b"X: " + b"x" * 20000 + b"\r\n\r\n", b"431"),
                (head + b"".join(b"X%d: y\r\n" % n for n in range(5000)) + b"\r\n", b"431"),
                (head + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", b"400"),
                (head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", b"400"),
                (head + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", b"415"),
                (b"NONSENSE\r\n\r\n", b"400"), (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"400")):
            self.assertIn(b"HTTP/1.1 " + status, self.raw(server, data)[:12], data[:200])
        chunks = head + b"Transfer-Encoding: chunked\r\n\r\n" + b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        chunks += (b"100000\r\n" + b"x" * 0x100000 + b"\r\n") * 5
        try:
            self.assertIn(b"413", self.raw(server, chunks)[:12])
        except ConnectionError:
            pass  # cut while more was coming
        self.assertEqual(server.request("GET", "/healthz")[0], 200)
        self.assertLess(self.resident_kib(server.process.pid), 120 * 1024)
        server.end()

    def test_silent_clients_delay_nobody(self):
        server = self.server()
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(64)]
        for s in silent[:32]:
            s.sendall(b"POST /mcp HTTP/1.1\r\nHo")
        self.assertEqual(server.run(command=["echo", "hi"])["stdout"], "hi\n")
        for s in silent:
            s.close()
        server.end()

    def test_200_clients_at_once(self):
        server = self.server()
        results, failures = {}, []

        def client(n):
            try:
                results[n] = server.run(command=["echo", str(n)])["stdout"]
            except Exception as error:  # pylint: disable=broad-except
                failures.append(repr(error))

        threads = [threading.Thread(target=client, args=(n,)) for n in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(failures)
        self.assertEqual(results, {n: "%d\n" % n for n in range(200)})
        self.assertLess(self.resident_kib(server.process.pid), 200 * 1024)
        self.wait_for("nothing runs", lambda: not descendants(server.process.pid))
        status, _, metrics = server.request("GET", "/metrics")
        self.assertIn(b'cocoon_runs_total{status="exited"} 200\n', metrics)
        server.end()

    def test_200_idle_streams_cost_little(self):
        server = self.server()
        before = self.resident_kib(server.process.pid)
        streams = []
        for _ in range(200):
            s = socket.create_connection(("127.0.0.1", server.port))
            s.sendall(b"GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            streams.append(s)
        for s in streams:
            self.assertIn(b"200 OK", s.recv(4096))
        self.assertLess(self.resident_kib(server.process.pid) - before, 16 * 1024)
        self.assertEqual(server.run(command=["echo", "hi"])["stdout"], "hi\n")
        for s in streams:
            s.close()
        server.end()


class Ending(HttpTest):
    def test_sigterm_ends_runs_and_tells_their_clients(self):
        server = self.server()
        results = []
        thread = threading.Thread(target=lambda: results.append(server.run(command=["sleep", "100"])))
        thread.start()
        self.wait_for("it runs", lambda: "sleep" in descendants(server.process.pid).values())
        self.assertLess(server.end(), 1.5 + SLACK_S)
        thread.join()
        self.assertEqual([r["status"] for r in results], ["cancelled"])
        self.assertEqual(server.process.returncode, 0)

    def test_kill(self):
        server = self.server()
        threading.Thread(target=lambda: self.swallow(server), daemon=True).start()
        self.wait_for("it runs", lambda: "sleep" in descendants(server.process.pid).values())
        server.process.kill()
        server.process.wait(30)
        self.helpers.discard(server.process.pid)
        self.wait_for("nothing runs", lambda: not self.leftovers())

    @staticmethod
    def swallow(server):
        try:
            server.modern("tools/call", {"name": "run_in_sandbox", "arguments": {"command": ["sleep", "100"]}})
        except (OSError, http.client.HTTPException):
            pass  # the server is killed


if __name__ == "__main__":
    main()
