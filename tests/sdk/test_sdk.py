"""The installed SDK: examples/ are built against it with find_package, loaded and run, as a stranger would do it.

COCOON_BUILD names the build tree. What needs isolation is skipped where the host has none, and fails with
COCOON_MUST_WORK=1.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("COCOON_BUILD") or os.path.join(SOURCE, "build", "dev")


def call(*argv, **options):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **options)


class Sdk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = os.path.realpath(tempfile.mkdtemp(prefix="cocoon-test-sdk."))
        cls.addClassCleanup(shutil.rmtree, cls.top)
        cls.prefix = os.path.join(cls.top, "prefix")
        cls.must(call("cmake", "--install", BUILD, "--prefix", cls.prefix))
        cls.cocoon = os.path.join(cls.prefix, "bin", "cocoon")
        os.environ["XDG_CACHE_HOME"] = os.path.join(cls.top, "cache")

    @classmethod
    def must(cls, done):
        if done.returncode != 0:
            raise AssertionError("%s\n%s\n%s" % (" ".join(done.args), done.stdout, done.stderr))
        return done

    def build(self, source, *arguments):
        """Configures and builds a project against the installed package; returns its build folder."""
        folder = os.path.join(self.top, "build-" + os.path.basename(source))
        self.must(call("cmake", "-S", source, "-B", folder, "-DCMAKE_PREFIX_PATH=" + self.prefix,
                       "-DCMAKE_BUILD_TYPE=Release", *arguments))
        self.must(call("cmake", "--build", folder))
        return folder

    def example(self, name, *arguments):
        return self.build(os.path.join(SOURCE, "examples", name), *arguments)

    def run_or_skip(self, *arguments):
        """Runs something that needs isolation."""
        done = call(self.cocoon, *arguments)
        if done.returncode == 125 and "isolate" in done.stderr and os.environ.get("COCOON_MUST_WORK") != "1":
            self.skipTest(done.stderr)
        return self.must(done)

    def exported(self, path):
        listing = self.must(call("nm", "-D", "--defined-only", path)).stdout
        return {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.split()[1] not in "A"}

    def test_runtime_in_c(self):
        folder = self.example("runtime-c")
        self.assertEqual(self.exported(os.path.join(folder, "awk.so")), {"cocoon_plugin_v1"})
        done = self.run_or_skip("run", "--plugin-dir", folder, "--runtime", "awk", "-c", "BEGIN { print 6 * 7 }")
        self.assertEqual(done.stdout, "42\n")

    def test_runtime_in_cpp_needs_no_cpp_library(self):
        folder = self.example("runtime-cpp", "-DCMAKE_BUILD_TYPE=Debug")
        plugin = os.path.join(folder, "perlw.so")
        self.assertEqual(self.exported(plugin), {"cocoon_plugin_v1"})
        self.assertNotIn("stdc++", self.must(call("readelf", "-d", plugin)).stdout)
        undefined = self.must(call("nm", "-D", "--undefined-only", plugin)).stdout
        self.assertNotRegex(undefined, r"\b_Z")
        done = self.run_or_skip("run", "--plugin-dir", folder, "--runtime", "perlw", "-c", 'print "x" x 3')
        self.assertEqual(done.stdout, "xxx")

    def test_driver_in_cpp(self):
        folder = self.example("driver-cpp")
        self.assertEqual(self.exported(os.path.join(folder, "count.so")), {"cocoon_plugin_v1"})
        done = self.must(call(self.cocoon, "run", "--plugin-dir", folder, "--driver", "count", "--json", "--", "true"))
        outcome = json.loads(done.stdout)
        self.assertEqual(outcome["status"], "planned")
        self.assertRegex(outcome["stdout"], r"^true: \d+ mounts, 7 namespaces\n$")

    def test_plugin_path_and_list(self):
        folder = self.example("runtime-c")
        environment = dict(os.environ, COCOON_PLUGIN_PATH=folder + ":/nowhere")
        done = call(self.cocoon, "plugins", "--json", env=environment)
        listed = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1)  # something was refused
        self.assertIn({"kind": "runtime", "name": "awk", "version": "1.0.0", "path": os.path.join(folder, "awk.so")},
                      listed["plugins"])
        self.assertEqual([entry["path"] for entry in listed["refused"]], ["/nowhere"])

    def test_engine_in_a_c_program(self):
        folder = self.example("embed")
        program = os.path.join(folder, "embed")
        done = call(program, "sh", "echo out; echo err >&2")
        if done.returncode != 0 and "isolate" in done.stdout and os.environ.get("COCOON_MUST_WORK") != "1":
            self.skipTest(done.stdout)
        outcome = json.loads(self.must(done).stdout)
        self.assertEqual((outcome["status"], outcome["stdout"], outcome["stderr"]), ("exited", "out\n", "err\n"))
        self.assertIn("[out] out\n", done.stderr)
        self.assertIn("[err] err\n", done.stderr)
        cancelled = json.loads(self.must(call(program, "sh", "echo before; sleep 1000", "500")).stdout)
        self.assertEqual((cancelled["status"], cancelled["stdout"]), ("cancelled", "before\n"))
        refused = call(program, "nonsense", "x")
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(json.loads(refused.stdout)["code"], "unknown_runtime")

    def test_engine_library_exports_its_functions_only(self):
        library = os.path.join(self.prefix, "lib", "libcocoon_engine.so")
        with open(os.path.join(self.prefix, "include", "cocoon", "engine.h"), encoding="utf-8") as f:
            header = f.read()
        declared = set(re.findall(r"\b(cocoon_engine_\w+)\(", header))
        self.assertEqual(self.exported(library), declared)
        self.assertGreater(len(declared), 5)

    def test_built_in_plugins_export_the_entry_only(self):
        for kind in ("runtimes", "drivers"):
            folder = os.path.join(self.prefix, "lib", "cocoon", kind)
            for name in os.listdir(folder):
                self.assertEqual(self.exported(os.path.join(folder, name)), {"cocoon_plugin_v1"}, name)

    def test_the_program_has_no_iostream(self):
        symbols = self.must(call("nm", "-C", self.cocoon)).stdout
        self.assertNotIn("std::ios_base::Init", symbols)

    def test_a_new_plugin_project_builds_and_passes_its_own_test(self):
        folder = os.path.join(self.top, "cocoon-runtime-my-lang")
        self.must(call(self.cocoon, "plugin", "new", "runtime", "my-lang", cwd=self.top))
        built = self.build(folder)
        done = self.must(call("ctest", "--test-dir", built, "--output-on-failure"))
        self.assertIn("100% tests passed", done.stdout)
        self.must(call("cmake", "--install", built, "--prefix", self.prefix))
        try:
            self.must(call(self.cocoon, "plan", "--driver", "dryrun", "--runtime", "my-lang", "-c", "true"))
        finally:
            os.remove(os.path.join(self.prefix, "lib", "cocoon", "runtimes", "my-lang.so"))
        again = call(self.cocoon, "plugin", "new", "runtime", "my-lang", cwd=self.top)
        self.assertEqual(again.returncode, 125)
        self.assertIn("nothing is overwritten", again.stderr)
        self.assertEqual(call(self.cocoon, "plugin", "new", "runtime", "../x", cwd=self.top).returncode, 2)

    def test_bash_completes_what_the_program_knows(self):
        script = """source "$1"; shift
                    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cocoon cocoon "${@: -1}" "${@: -2:1}"
                    printf '%s\\n' "${COMPREPLY[@]}" """
        completion = os.path.join(self.prefix, "share", "bash-completion", "completions", "cocoon")
        environment = dict(os.environ, PATH=os.path.join(self.prefix, "bin") + ":" + os.environ["PATH"])

        def complete(*words):
            return set(self.must(call("bash", "-c", script, "bash", completion, "cocoon", *words, env=environment))
                       .stdout.split())

        self.assertGreaterEqual(complete(""), {"run", "exec", "plan", "spec", "info", "plugins", "plugin"})
        self.assertEqual(complete("run", "--tim"), {"--timeout"})
        self.assertGreaterEqual(complete("run", "--runtime", ""), {"python", "bash", "sh"})
        self.assertEqual(complete("run", "--driver", "dry"), {"dryrun"})
        self.assertIn("true", complete("run", "--", "tru"))

    def test_headers_compile_in_every_language_they_promise(self):
        include = "-I" + os.path.join(self.prefix, "include")
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                continue
            for header in ("abi.h", "engine.h"):
                text = "#include <cocoon/%s>\nint main(void) { return 0; }\n" % header
                for language, standard in (("c", "c11"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++20")):
                    self.must(call(compiler, "-x", language, "-std=" + standard, include, *strict, "-", input=text))
            for header in ("result.hpp", "plan.hpp", "outcome.hpp", "plugin.hpp"):
                text = "#include <cocoon/%s>\nint main() { return 0; }\n" % header
                self.must(call(compiler, "-x", "c++", "-std=c++20", include, *strict, "-", input=text))

    def test_the_first_abi_header_is_a_prefix_of_todays(self):
        """Fields are appended only: whatever the first header promised is still there, at the same place."""
        with open(os.path.join(SOURCE, "tests", "support", "abi_v1_first.h"), encoding="utf-8") as f:
            first = f.read()
        structs = re.findall(r"typedef struct \{(.*?)\} (\w+);", first, re.S)
        self.assertGreaterEqual({name for _, name in structs},
                                {"cocoon_host", "cocoon_run_io", "cocoon_driver", "cocoon_runtime", "cocoon_plugin"})
        checks = []
        for body, name in structs:
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            for field in re.findall(r"\(\*(\w+)\)\(|(\w+)(?:\[\d+\])?;", body):
                checks.append((name, field[0] or field[1]))
        self.assertGreater(len(checks), 15)
        lines = ["%s %s" % (name, field) for name, field in checks]
        offsets = {}
        for label, header in (("first", os.path.join(SOURCE, "tests", "support", "abi_v1_first.h")),
                              ("today", os.path.join(self.prefix, "include", "cocoon", "abi.h"))):
            program = '#include "%s"\n#include <stdio.h>\nint main(void) {\n' % header
            for name, field in checks:
                program += '  printf("%%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s*)0)->%s));\n' % (name, field, name, field)
            program += "  return 0;\n}\n"
            binary = os.path.join(self.top, label)
            self.must(call("cc", "-x", "c", "-std=c11", "-o", binary, "-", input=program))
            offsets[label] = self.must(call(binary)).stdout.splitlines()
        self.assertEqual(dict(zip(lines, offsets["first"])), dict(zip(lines, offsets["today"])))


if __name__ == "__main__":
    unittest.main()
