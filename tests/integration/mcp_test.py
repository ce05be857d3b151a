"""What the tests of the MCP server stand on: a client that speaks plain JSON lines to the real program."""
import json
import os
import queue
import subprocess
import threading
import time

from cocoon_test import CocoonTest

MODERN = "2026-07-28"
LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
# A hang shows as this; an answer comes in milliseconds.
PATIENCE_S = 60.0


def modern_meta(**more):
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
    meta.update(more)
    return meta


class StdioClient:
    """Reads on a thread of its own, so that answers may come in any order."""

    def __init__(self, test, *flags, cwd=None, **popen):
        self.test = test
        self.process = test.start("mcp", *flags, cwd=cwd, stdin=subprocess.PIPE, **popen)
        self.others = queue.Queue()  # notifications, and what has no id of ours
        self.raw = []
        self._answers = {}
        self._changed = threading.Condition()
        self._next_id = 0
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line.decode("utf-8"))
            self.raw.append(line)
            with self._changed:
                if "method" not in message and "id" in message:
                    self._answers.setdefault(json.dumps(message["id"]), []).append(message)
                    self._changed.notify_all()
                else:
                    self.others.put(message)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def send_text(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())
        self.process.stdin.flush()

    def send(self, message):
        self.send_text(json.dumps(message) + "\n")

    def request(self, method, params=None, id=None):
        """Sends without waiting; returns the id."""
        if id is None:
            self._next_id += 1
            id = self._next_id
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return id

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def answer(self, id, within_s=PATIENCE_S):
        key = json.dumps(id)
        with self._changed:
            self._changed.wait_for(lambda: self._answers.get(key) or self._ended, within_s)
            found = self._answers.get(key)
            self.test.assertTrue(found, "no answer to %s" % key)
            return found.pop(0)

    def has_answer(self, id):
        with self._changed:
            return bool(self._answers.get(json.dumps(id)))

    def call(self, method, params=None, within_s=PATIENCE_S):
        return self.answer(self.request(method, params), within_s)

    def result(self, method, params=None, within_s=PATIENCE_S):
        message = self.call(method, params, within_s)
        self.test.assertIn("result", message, message)
        return message["result"]

    def other(self, within_s=PATIENCE_S):
        try:
            return self.others.get(timeout=within_s)
        except queue.Empty:
            self.test.fail("no notification came")

    def initialize(self, version="2025-11-25", capabilities=None):
        result = self.result("initialize", {"protocolVersion": version, "capabilities": capabilities or {},
                                            "clientInfo": {"name": "test", "version": "1"}})
        self.notify("notifications/initialized")
        return result

    def run_request(self, meta=None, **arguments):
        params = {"name": "run_in_sandbox", "arguments": arguments}
        if meta:
            params["_meta"] = meta
        return self.request("tools/call", params)

    def run(self, within_s=PATIENCE_S, **arguments):
        """The structured result of a run."""
        message = self.answer(self.run_request(**arguments), within_s)
        self.test.assertIn("result", message, message)
        return message["result"]["structuredContent"]

    def close(self, within_s=10.0):
        """Ends the input; returns how long the program took to end, in seconds."""
        begin = time.monotonic()
        self.process.stdin.close()
        self.process.wait(within_s)
        self._reader.join(within_s)
        self.test.helpers.discard(self.process.pid)
        return time.monotonic() - begin


class McpTest(CocoonTest):
    def client(self, *flags, **kw):
        client = StdioClient(self, *flags, **kw)
        return client

    def wait_for(self, what, condition, within_s=20.0):
        deadline = time.monotonic() + within_s
        while not condition():
            self.assertLess(time.monotonic(), deadline, "not within %s s: %s" % (within_s, what))
            time.sleep(0.02)

    def open_files(self, pid):
        return len(os.listdir("/proc/%d/fd" % pid))

    def resident_kib(self, pid):
        with open("/proc/%d/status" % pid) as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))
