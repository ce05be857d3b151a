"""Dependencies point one way: cli -> transport, agent -> mcp, and all but mcp -> host -> plan -> sdk <- plugins. Who includes
what tells."""
import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# Folder -> the layers of the server that its files may include.
MAY_INCLUDE = {
    "server/plan": {"plan"},
    "server/host": {"host", "plan"},
    "server/mcp": {"mcp"},
    "server/agent": {"agent", "mcp", "host", "plan"},
    "server/transport": {"transport", "mcp", "host", "plan"},
    "server/cli": {"cli", "transport", "agent", "mcp", "host", "plan"},
    "server/embed": {"host", "plan"},
    "sdk": set(),
    "plugins": set(),
}
LAYERS = {"plan", "host", "mcp", "agent", "transport", "cli", "embed"}
# What a pure function has no use for.
IMPURE = {"unistd.h", "fcntl.h", "sys/stat.h", "sys/types.h", "dirent.h", "time.h", "ctime", "chrono", "fstream", "filesystem",
          "iostream", "thread", "mutex", "atomic", "random", "cstdlib", "stdlib.h", "cstdio", "stdio.h"}


def sources(folder):
    for parent, _, names in os.walk(os.path.join(SOURCE, folder)):
        for name in names:
            if name.endswith((".cpp", ".hpp", ".c", ".h")):
                path = os.path.join(parent, name)
                with open(path, encoding="utf-8") as f:
                    yield os.path.relpath(path, SOURCE), f.read()


class Layers(unittest.TestCase):
    def test_each_layer_includes_only_those_below(self):
        seen = 0
        for folder, allowed in MAY_INCLUDE.items():
            for path, text in sources(folder):
                for kind, name in INCLUDE.findall(text):
                    layer = name.split("/")[0]
                    seen += 1
                    if kind == '"' and "/" in name and layer in LAYERS:
                        self.assertIn(layer, allowed, "%s includes %s" % (path, name))
        self.assertGreater(seen, 100)

    def test_plugins_see_the_sdk_and_the_system_only(self):
        for path, text in sources("plugins"):
            here = os.path.dirname(os.path.join(SOURCE, path))
            for kind, name in INCLUDE.findall(text):
                if kind == '"':
                    generated = name.endswith(".inc")
                    self.assertTrue(generated or os.path.exists(os.path.join(here, name)),
                                    "%s includes %s, which is not its own" % (path, name))
                else:
                    self.assertFalse(name.startswith("cocoon/engine"), "%s includes %s" % (path, name))

    def test_the_sdk_stands_alone(self):
        for path, text in sources("sdk/include"):
            for kind, name in INCLUDE.findall(text):
                self.assertEqual(kind, "<", "%s includes %s" % (path, name))
                self.assertTrue("/" not in name or name.startswith("cocoon/"), "%s includes %s" % (path, name))

    def test_the_planner_and_the_protocol_are_pure(self):
        for folder in ("server/plan", "server/mcp"):
            for path, text in sources(folder):
                for _, name in INCLUDE.findall(text):
                    self.assertNotIn(name, IMPURE, "%s includes %s" % (path, name))

    def test_heavy_libraries_are_known_to_one_file_each(self):
        for pattern, home in (("spdlog/", "server/host/log.cpp"), ("boost/process/", "server/host/os/child_posix.cpp"),
                              ("boost/beast/", "server/transport/http.cpp"), ("toml++/", "server/host/toml.cpp")):
            users = {path for path, text in sources("server") for _, name in INCLUDE.findall(text)
                     if name.startswith(pattern)}
            self.assertEqual(users, {home})

    def test_nothing_brings_iostream(self):
        for folder in ("server", "plugins", "sdk"):
            for path, text in sources(folder):
                for _, name in INCLUDE.findall(text):
                    self.assertNotIn(name, {"iostream", "sstream", "fstream"}, path)

    def test_json_stays_out_of_headers_that_others_include(self):
        for folder in ("server", "plugins", "sdk"):
            for path, text in sources(folder):
                if path.endswith((".hpp", ".h")) and path not in ("sdk/src/json_reader.hpp", "server/mcp/json.hpp"):
                    for _, name in INCLUDE.findall(text):
                        self.assertFalse(name.startswith("nlohmann/"), "%s includes %s" % (path, name))


if __name__ == "__main__":
    unittest.main()
