#!/usr/bin/env python3
"""The examples for agents' configurations: each can be read, and starts what there is."""
import json
import os
import subprocess
import tomllib
import unittest

from cocoon_test import cannot, main
from mcp_test import StdioClient, McpTest
from test_mcp_http import Server

STAGE = os.environ.get("COCOON_STAGE")
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(STAGE, "examples", "mcp") if STAGE else os.path.join(HERE, "..", "..", "examples", "mcp")


class Examples(McpTest):
    def entries(self):
        """(file, command, arguments) of each configuration."""
        for name in sorted(os.listdir(EXAMPLES)):
            path = os.path.join(EXAMPLES, name)
            if name.endswith(".json"):
                with open(path, encoding="utf-8") as f:
                    config = json.load(f)
                self.assertEqual(len(config), 1, name)
                entry = config["servers" if name.startswith("vscode") else "mcpServers"]["cocoon"]
            elif name.endswith("config.toml"):
                with open(path, "rb") as f:
                    entry = tomllib.load(f)["mcp_servers"]["cocoon"]
            else:
                continue
            yield name, entry["command"], entry["args"]

    def test_configurations_start_a_server(self):
        seen = set()
        for name, command, arguments in self.entries():
            seen.add(name)
            self.assertEqual((os.path.basename(command), arguments[0]), ("cocoon", "mcp"), name)
            given = [self.project if "/" in a or a.startswith("$") else a for a in arguments[1:]]
            client = self.client(*given)
            client.initialize()
            self.assertEqual(client.run(command=["echo", "hi"])["stdout"], "hi\n")
            client.close()
        self.assertEqual(len(seen), 5)

    def test_the_policy_is_one(self):
        client = StdioClient(self, "--policy", os.path.join(EXAMPLES, "policy.toml"), "--allow", self.project,
                             "--audit", os.path.join(self.folder("free"), "audit"))
        client.initialize()
        self.assertEqual(client.run(command=["echo", "hi"], ro=[self.project])["stdout"], "hi\n")
        client.close()

    def test_curl(self):
        if subprocess.run(["sh", "-c", "command -v curl"], capture_output=True, check=False).returncode:
            cannot("curl is missing")
        server = Server(self)
        run = subprocess.run([os.path.join(EXAMPLES, "curl.sh"), "http://127.0.0.1:%d/mcp" % server.port], capture_output=True,
                             text=True, timeout=60, env=self.env, check=False)
        self.assertIn('"stdout":"42\\n"', run.stdout, run.stderr)
        server.end()


if __name__ == "__main__":
    main()
