"""The examples that the documentation shows, word for word where the host has the runtime."""
import json
import os
import shutil

from cocoon_test import CocoonTest, cannot, main


class Examples(CocoonTest):
    writable = (*CocoonTest.writable, "agent_workspace", "my_scratch")

    def setUp(self):
        super().setUp()
        self.env["HOME"] = "/nonexistent"  # a current directory that holds the home would not be shown unasked
        for name in ("my_project", "data", "scripts", "repo"):
            self.folder(name)
        self.write("my_project/main.py", "print('main')\n")
        self.write("my_project/README", "readme\n")
        self.write("repo/config.json", '{"active": false, "name": "demo"}\n')

    def here(self, *args, **kw):
        return self.cocoon(*args, cwd=self.base, **kw)

    def test_info(self):
        run = self.here("info")
        self.assertEqual(run.code, 0, str(run))
        for word in ("linux", "python", "bash"):
            self.assertIn(word, run.out.decode())
        info = json.loads(self.here("info", "--json").out)
        self.assertIsInstance(info, dict)

    def test_python_lists_the_read_only_project(self):
        run = self.here("run", "--ro", "./my_project", "--runtime", "python", "-c", "import os; print(sorted(os.listdir('.')))")
        self.assertEqual((run.code, run.out), (0, b"['README', 'main.py']\n"), str(run))

    def need(self, runtime):
        """Skips where the interpreter is missing, and fails in CI."""
        if not shutil.which(runtime):
            cannot(runtime + " is not installed")

    def test_node_with_memory_and_time_limits(self):
        self.need("node")
        run = self.here("run", "--ro", "./data", "--runtime", "node", "-c", "console.log('Processed:', 42 * 2)",
                        "--timeout", "5", "--mem", "256")
        self.assertEqual((run.code, run.out), (0, b"Processed: 84\n"), str(run))

    def test_powershell(self):
        if not shutil.which("pwsh"):
            error = self.refused("run", "--ro", "./scripts", "--runtime", "pwsh", "-c", "Get-ChildItem", cwd=self.base)
            self.assertIn("pwsh", error["message"])
            self.assertIn("(", error["message"], "no hint how to get it")
            return
        run = self.here("run", "--ro", "./scripts", "--runtime", "pwsh", "-c", "Get-ChildItem")
        self.assertEqual(run.code, 0, str(run))

    def test_work_directory(self):
        self.folder("agent_workspace")
        run = self.here("run", "--work", "./agent_workspace", "--runtime", "python", "-c",
                        "open('report.txt', 'w').write('Analyzed')")
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(self.read("agent_workspace/report.txt"), "Analyzed")
        info = os.stat(self.base + "/agent_workspace/report.txt")
        self.assertEqual((info.st_uid, info.st_gid), (os.geteuid(), os.getegid()), "the file isn't the caller's")

    def test_copy_and_staging(self):
        self.folder("agent_workspace")
        run = self.here("run", "--ro", "./repo", "--copy", "./repo/config.json", "--work", "./agent_workspace",
                        "--runtime", "python", "-c",
                        "import json; d = json.load(open('config.json')); d['active'] = True; "
                        "json.dump(d, open('config.json', 'w'))")
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(json.loads(self.read("agent_workspace/config.json")), {"active": True, "name": "demo"})
        self.assertEqual(json.loads(self.read("repo/config.json")), {"active": False, "name": "demo"})

    def test_custom_temp_directory(self):
        self.folder("my_scratch")
        run = self.here("run", "--temp", "./my_scratch", "--runtime", "python", "-c", "import os; print(os.environ['TMP'])")
        self.assertEqual((run.code, run.out), (0, (self.base + "/my_scratch\n").encode()), str(run))

    def test_json_for_agents(self):
        run = self.here("run", "--ro", ".", "--runtime", "python", "-c", "print('Computed:', 2**8)", "--json")
        outcome = self.outcome_of(run)
        promised = {"exit_code": 0, "stdout": "Computed: 256\n", "stderr": "", "timed_out": False, "oom_killed": False}
        self.assertEqual({k: outcome[k] for k in promised}, promised)
        self.assertGreater(outcome["duration_ms"], 0)

    def test_any_command(self):
        run = self.cocoon("run", "--", "ls", "-1", cwd=self.base + "/my_project")
        self.assertEqual((run.code, run.out), (0, b"README\nmain.py\n"), str(run))

    def test_the_current_directory_is_read_only_by_default(self):
        for code in ("open('new.txt', 'w')", "open('README', 'a')", "open('README', 'w')", "__import__('os').remove('README')"):
            with self.subTest(code=code):
                run = self.cocoon("run", "--runtime", "python", "-c", code, cwd=self.base + "/my_project")
                self.assertEqual(run.code, 1)
                self.assertRegex(run.err.decode(), r"PermissionError|OSError: \[Errno 30\]")

    def test_thirty_seconds_by_default(self):
        plan = json.loads(self.here("plan", "--json", "--", "/bin/true").out)
        self.assertEqual(plan["stages"][0]["limits"]["timeout_ms"], 30_000)

    def test_no_bytecode_or_cache_pollution(self):
        self.write("agent_workspace/helper.py", "x = 1\n")
        run = self.here("run", "--work", "./agent_workspace", "--runtime", "python", "-c",
                        "import helper, os; print(helper.x, os.environ['PIP_CACHE_DIR'].startswith(os.environ['TMPDIR']))")
        self.assertEqual((run.code, run.out), (0, b"1 True\n"), str(run))
        self.assertEqual(os.listdir(self.base + "/agent_workspace"), ["helper.py"])

    def test_a_script_file_with_arguments(self):
        self.write("my_project/args.py", "import sys; print(sys.argv[1:])\n")
        run = self.here("run", "--ro", "./my_project", "--runtime", "python", "./my_project/args.py", "one", "--two", "-c")
        self.assertEqual((run.code, run.out), (0, b"['one', '--two', '-c']\n"), str(run))


class Profiles(CocoonTest):
    def limits(self, *args):
        run = self.cocoon("plan", *args, "--json", "--", "/bin/true")
        self.assertEqual(run.code, 0, str(run))
        return json.loads(run.out)["stages"][0]["limits"]

    def test_strict_and_build(self):
        strict, build = self.limits("--profile", "strict"), self.limits("--profile", "build")
        self.assertEqual((strict["timeout_ms"], strict["memory_kib"]), (5_000, 128 * 1024))
        self.assertEqual((build["timeout_ms"], build["memory_kib"]), (300_000, 1024 * 1024))

    def test_an_explicit_key_wins_whatever_the_order(self):
        for order in (["--profile", "strict", "--timeout", "7"], ["--timeout", "7", "--profile", "strict"]):
            self.assertEqual(self.limits(*order)["timeout_ms"], 7_000)
        for order in (["--profile", "strict", "--mem", "300"], ["--mem", "300", "--profile", "strict"]):
            self.assertEqual(self.limits(*order)["memory_kib"], 300 * 1024)

    def test_an_unknown_profile_is_an_error_that_names_the_known(self):
        error = self.refused("run", "--profile", "strikt", "--", "/bin/true", code=2)
        self.assertIn("strict", error["message"])
        self.assertIn("build", error["message"])


if __name__ == "__main__":
    main()
