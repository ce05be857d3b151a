"""Bad input of every kind gives one clear error that names it and says what to do, or the sensible result; never half a run."""
import json
import os
import resource
import shutil
import socket

from cocoon_test import ROOT, SANITIZED, CocoonTest, main

TRUE = ["--", "/bin/true"]


class Usage(CocoonTest):
    def test_too_little_memory_is_said(self):
        if SANITIZED:
            self.skipTest("a sanitizer needs address space of its own")
        said = 0
        for kib in range(6500, 14000, 500):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (kib * 1024, kib * 1024))
            run = self.cocoon("plan", "--json", "--", "/bin/echo", *["x" * 100_000] * 15, preexec_fn=limit)
            self.assertIn(run.code, (0, 125, 127), str(run))  # 127: too little to load the program
            said += run.err == b"cocoon: out of memory\n"
        self.assertGreater(said, 0)

    def test_unknown_things_are_named(self):
        for args, code, word in ((["run", "--no-such-flag", *TRUE], 2, "--no-such-flag"),
                                 (["rum"], 2, "rum"),
                                 (["run", "--net", "partial", *TRUE], 2, "partial"),
                                 (["run", "--timeout", "soon", *TRUE], 2, "soon"),
                                 (["run", "--timeout", "-5", *TRUE], 2, "-5"),
                                 (["run", "--timeout", "0", *TRUE], 2, "timeout"),
                                 (["run", "--timeout", "99999999999999999999", *TRUE], 2, "timeout"),
                                 (["run", "--mem", "lots", *TRUE], 2, "lots"),
                                 (["run", "--mem", "18446744073709551615", *TRUE], 2, "mem"),
                                 (["run", "--mem", "1.5.2", *TRUE], 2, "1.5.2"),
                                 (["run", "--pids", "-1", *TRUE], 2, "-1"),
                                 (["run", "--env", "NOEQUALS", *TRUE], 2, "NOEQUALS"),
                                 (["run", "--env", "=x", *TRUE], 2, "=x"),
                                 (["run", "--env", "A B=x", *TRUE], None, "A B"),
                                 (["run", "--ro"], 2, "--ro"),
                                 (["run", "--require", "magic", *TRUE], 2, "magic")):
            with self.subTest(args=args):
                if code is None:
                    run = self.cocoon(*args)
                    self.assertIn(run.code, (0, 2), str(run))
                    continue
                error = self.refused(*args, code=code)
                self.assertIn(word, error["message"])

    def test_nothing_or_two_things_to_run(self):
        for args in (["run"], ["run", "--runtime", "python"], ["run", "-c", "print(1)"],
                     ["run", "--runtime", "python", "-c", "print(1)", *TRUE], ["run", "--"]):
            with self.subTest(args=args):
                self.refused(*args, code=2)

    def test_empty_values(self):
        for args in (["run", "--ro", "", *TRUE], ["run", "--work", "", *TRUE], ["run", "--runtime", "", "-c", "x"],
                     ["run", "--copy", "", *TRUE], ["run", "--temp", "", *TRUE], ["run", "--", ""]):
            with self.subTest(args=args):
                run = self.cocoon(*args)
                self.assertIn(run.code, (2, 125, 127), str(run))
                self.assertTrue(run.err.startswith(b"cocoon: "), str(run))

    def test_an_empty_snippet_is_a_program_that_does_nothing(self):
        self.assert_ok(self.python(""))

    def test_unknown_runtime_lists_the_known(self):
        error = self.refused("run", "--runtime", "cobol", "-c", "x", "--json", code=125)
        self.assertIn("cobol", error["line"])
        self.assertIn("python", error["line"])

    def test_unknown_driver_lists_the_known(self):
        error = self.refused("run", "--driver", "warp", *["--json", *TRUE], code=125)
        self.assertIn("warp", error["line"])
        self.assertIn("linux", error["line"])

    def test_help_and_version(self):
        for args in (["--help"], ["run", "--help"], ["--version"]):
            run = self.cocoon(*args)
            self.assertEqual(run.code, 0, str(run))
            self.assertTrue(run.out and not run.err, str(run))
        self.assertRegex(self.cocoon("--version").out.decode(), r"\d+\.\d+\.\d+")

    def test_no_arguments_at_all_show_the_help(self):
        run = self.cocoon()
        self.assertIn(run.code, (0, 2), str(run))
        self.assertIn(b"usage: cocoon COMMAND", run.out + run.err)


class Paths(CocoonTest):
    def test_missing(self):
        for flag, path in (("--ro", "missing"), ("--copy", "missing"), ("--stdin", "missing"),
                           ("--work", "missing/inner"), ("--temp", "missing/inner")):
            with self.subTest(flag=flag):
                error = self.refused("run", flag, self.base + "/" + path, "--json", *TRUE)
                self.assertIn(self.base + "/" + path, error["line"])
                self.assertFalse(os.path.exists(self.base + "/missing"), "it was created")
        error = self.refused("run", "--json", "--runtime", "python", "./missing.py")
        self.assertIn("missing.py", error["line"])

    def test_a_new_folder_beside_the_current_one(self):
        here = self.folder("free/here")
        for flag, name in (("--work", "new work"), ("--temp", "new-temp")):
            self.assert_ok(self.outcome("run", flag, "../" + name, "--json", *TRUE, cwd=here))
            self.assertTrue(os.path.isdir(self.base + "/free/" + name))
            for path in ("../missing/inner", "missing/..", "../missing/."):
                self.refused("run", flag, path, "--json", *TRUE, cwd=here)

    def test_standard_input_that_is_no_file(self):
        self.assertIn("folder", self.refused("run", "--stdin", self.folder("free"), "--json", *TRUE)["line"])
        pipe = self.base + "/pipe"
        os.mkfifo(pipe)
        outcome = self.outcome("run", "--stdin", pipe, "--timeout", "300ms", "--json", "--", "/bin/cat", within_s=20)
        self.assertEqual(outcome["status"], "timed_out")
        with open(pipe, "r+b", buffering=0) as writer:
            writer.write(b"through a named pipe\n")
            outcome = self.outcome("run", "--stdin", pipe, "--json", "--", "/usr/bin/head", "-n1")
        self.assertEqual(outcome["stdout"], "through a named pipe\n")

    def test_work_and_temp_are_made_where_they_are_missing_but_not_by_a_plan(self):
        for flag in ("--work", "--temp"):
            with self.subTest(flag=flag):
                path = self.base + "/new" + flag
                run = self.cocoon("plan", flag, path, "--json", *TRUE)
                self.assertEqual(run.code, 0, str(run))
                self.assertFalse(os.path.exists(path), "a plan changed the host")
                run = self.cocoon("run", flag, path, "--json", "--", "sh", "-c", 'echo x > "$0/file"', path)
                self.assertEqual(run.code, 0, str(run))
                self.assertTrue(os.path.exists(path + "/file"))
                shutil.rmtree(path)

    def test_a_file_where_a_folder_is_needed(self):
        for flag in ("--work", "--temp"):
            with self.subTest(flag=flag):
                error = self.refused("run", flag, self.project + "/data.txt", "--json", *TRUE)
                self.assertIn("data.txt", error["line"])

    def test_contradictions_and_dangerous_grants(self):
        for args in (["--ro", self.work, "--work", self.work], ["--work", "/"], ["--work", "/usr"], ["--work", "/etc"],
                     ["--work", "/proc"], ["--temp", "/"], ["--temp", "/usr"], ["--ro", "/"]):
            with self.subTest(args=args):
                error = self.refused("run", *args, "--json", *TRUE)
                self.assertTrue(error["hint"], error)

    def test_odd_names(self):
        for name in ("with space", "new\nline", "tab\t", "quote'\"", "-dash", "back\\slash", "ü€", "a:b", "{exe}", "$HOME", "%s",
                     "x" * 200):
            with self.subTest(name=name):
                path = self.folder("free/" + name)
                self.write("free/" + name + "/file", "content")
                outcome = self.outcome("run", "--ro", path, "--json", "--", "/bin/cat", "file")
                self.assertEqual(outcome["stdout"], "content")
                outcome = self.outcome("run", "--work", path, "--json", "--", "/bin/sh", "-c", "echo new > made; pwd")
                self.assert_ok(outcome)
                self.assertEqual(self.read("free/" + name + "/made"), "new\n")
                outcome = self.outcome("run", "--copy", path, "--json", "--", "/bin/sh", "-c", 'cat "/work/$1/file"', "sh", name)
                self.assertEqual(outcome["stdout"], "content")

    def test_names_that_are_not_utf8(self):
        raw = os.fsencode(self.base) + b"/free/\xff\xfe"
        os.makedirs(raw)
        with open(raw + b"/file", "w") as f:
            f.write("content")
        for flag in ("--ro", "--work"):
            with self.subTest(flag=flag):
                run = self.cocoon("run", flag, raw, "--json", "--", "/bin/cat", "file")
                value = json.loads(run.out.decode("utf-8"))
                if "error" in value:  # a clear refusal is sensible: the plan is JSON, which has no such bytes
                    self.assertIn(run.code, (2, 125))
                    self.assertTrue(value["error"]["message"])
                else:
                    self.assertEqual(value["stdout"], "content")

    def test_symlinks(self):
        self.write("target/file", "content")
        os.symlink(self.base + "/target", self.base + "/link")
        outcome = self.outcome("run", "--ro", self.base + "/link", "--json", "--", "/bin/sh", "-c",
                               "cat %s/link/file %s/target/file" % (self.base, self.base))
        self.assertEqual(outcome["stdout"], "contentcontent", json.dumps(outcome))
        self.folder("free/real")
        os.symlink("real", self.base + "/free/wlink")
        self.assert_ok(self.python("open('made', 'w').write('x')", "--work", self.base + "/free/wlink"))
        self.assertEqual(self.read("free/real/made"), "x")
        os.symlink("/nonexistent/elsewhere", self.base + "/dangling")
        self.refused("run", "--ro", self.base + "/dangling", "--json", *TRUE)
        os.symlink("loop", self.base + "/loop")
        self.refused("run", "--ro", self.base + "/loop", "--json", *TRUE)

    def test_a_file_that_is_no_file(self):
        os.mkfifo(self.project + "/pipe")
        s = socket.socket(socket.AF_UNIX)
        s.bind(self.project + "/socket")
        s.close()
        for name in ("pipe", "socket"):
            with self.subTest(name=name):
                run = self.cocoon("run", "--runtime", "python", self.project + "/" + name, "--json", "--timeout", "3", within_s=20)
                self.assertNotEqual(run.code, 0, str(run))
        run = self.cocoon("run", "--copy", self.project + "/pipe", "--json", *TRUE, within_s=20)
        self.assertEqual(run.code, 125, str(run))

    def test_a_folder_that_may_not_be_entered(self):
        if ROOT:
            self.skipTest("root may enter any folder")
        path = self.folder("closed")
        os.chmod(path, 0)
        self.addCleanup(os.chmod, path, 0o700)
        for flag in ("--ro", "--work"):
            with self.subTest(flag=flag):
                run = self.cocoon("run", flag, path, "--json", "--", "/bin/true")
                self.assertIn(run.code, (0, 125), str(run))
                if run.code == 125:
                    self.assertIn(path, run.err.decode())
        self.refused("run", "--ro", path + "/inner", "--json", *TRUE)

    def test_a_work_folder_that_may_not_be_written(self):
        if ROOT:
            self.skipTest("root may write to any folder")
        path = self.folder("plain")
        os.chmod(path, 0o555)
        self.addCleanup(os.chmod, path, 0o755)
        run = self.cocoon("run", "--work", path, "--json", "--", "/bin/sh", "-c", "echo x > file")
        self.assertNotEqual(run.code, 0, str(run))

    def test_a_current_directory_that_is_gone(self):
        gone = self.folder("free/gone")
        error = self.refused("run", "--json", *TRUE, cwd=gone, preexec_fn=lambda: os.rmdir(gone))
        self.assertIn("current folder", error["line"])

    def test_the_current_directory_is_the_root(self):
        outcome = self.outcome("run", "--json", "--", "/bin/ls", "/", cwd="/")
        self.assert_ok(outcome)
        self.assertNotIn("boot", outcome["stdout"].split())

    def test_very_long_values(self):
        run = self.cocoon("run", "--ro", "/" + "x" * 5000, "--json", *TRUE)
        self.assertEqual(run.code, 125, str(run))
        outcome = self.python("print(len(%r))" % ("y" * 120_000))  # a single argument can't be longer than 128 KiB
        self.assertEqual(outcome["stdout"], "120000\n")
        outcome = self.outcome("run", "--json", "--", "/bin/sh", "-c", "echo $#", "sh", *["arg%d" % i for i in range(4000)])
        self.assertEqual(outcome["stdout"], "4000\n")
        options = [x for i in range(300) for x in ("--env", "V%d=%s" % (i, "z" * 100))]
        self.assertEqual(self.python("import os; print(os.environ['V299'])", *options)["stdout"], "z" * 100 + "\n")

    def test_a_long_snippet_with_every_kind_of_quote(self):
        text = "'\"`$(touch /tmp/x);\\\n" * 3500
        outcome = self.python("t = %r\nprint(len(t), __import__('os').path.exists('/tmp/x'))" % text)
        self.assertEqual(outcome["stdout"], "%d False\n" % len(text))

    def test_twice_the_same_grant(self):
        self.assert_ok(self.outcome("run", "--ro", self.project, "--ro", self.project + "/", "--ro", self.project + "/sub/..",
                                    "--json", "--", "/bin/cat", "data.txt"))


if __name__ == "__main__":
    main()
