"""A runtime is added by one file: a copy of the sources with one more in plugins/runtimes, and nothing else edited,
builds it, and the program runs it.

    test_new_runtime.py SOURCE COCOON
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, COCOON = sys.argv[1:3]

PRESET = """// Runtime preset: AWK.
#include <cocoon/plugin.hpp>

COCOON_RUNTIME("awk", R"json({
  "name": "awk",
  "title": "AWK",
  "find": ["awk"],
  "snippet": ["{exe}", "{code}"],
  "snippet_file": "main.awk",
  "script": ["{exe}", "-f", "{file}"]
})json")
"""


class NewRuntime(unittest.TestCase):
    def test_one_file(self):
        folder = tempfile.mkdtemp(prefix="cocoon-test-new-runtime.", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        tree, build = folder + "/source", folder + "/build"
        for name in ("CMakeLists.txt", "cmake", "sdk", "plugins", "server"):
            copy = shutil.copy if name.endswith(".txt") else shutil.copytree
            os.makedirs(tree, exist_ok=True)
            copy(os.path.join(SOURCE, name), os.path.join(tree, name))
        with open(tree + "/plugins/runtimes/awk.cpp", "w") as f:
            f.write(PRESET)
        self.call("cmake", "-G", "Ninja", "-S", tree, "-B", build, "-DCOCOON_BUILD_TESTS=OFF", *self.launcher())
        self.call("cmake", "--build", build, "--target", "cocoon_runtimes_awk")
        plugins = folder + "/plugins"
        os.makedirs(plugins)
        shutil.copy(build + "/lib/cocoon/runtimes/awk.so", plugins)
        os.chmod(folder, 0o755)
        out = self.call(COCOON, "run", "--plugin-dir", plugins, "--runtime", "awk", "-c", 'BEGIN { print 6 * 7 }')
        self.assertEqual(out, "42\n")

    @staticmethod
    def launcher():
        return ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []

    def call(self, *argv):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, "%s\n%s\n%s" % (argv, done.stdout, done.stderr))
        return done.stdout


unittest.main(argv=sys.argv[:1], verbosity=2)
