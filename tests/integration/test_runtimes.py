"""How runtimes are found: virtual environments, version managers with shims and links, scripts wherever they lie."""
import fcntl
import os
import pty
import subprocess
import termios
import threading
import time
import unittest

from cocoon_test import PYTHON, CocoonTest, descendants

WHERE = "import sys; print(sys.executable, sys.prefix)"


class Runtimes(CocoonTest):
    def setUp(self):
        super().setUp()
        self.bin = self.folder("bin")
        self.env["PATH"] = self.bin + ":/usr/bin:/bin"

    def link(self, name, text):
        path = os.path.join(self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(text, path)
        return path

    def where(self, **kw):
        return self.assert_ok(self.python(WHERE, **kw))["stdout"].split()

    def test_a_virtual_environment_is_used_as_such(self):
        venv = os.path.join(self.base, "venv")
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True)
        packages = [f for f, _, _ in os.walk(venv) if f.endswith("site-packages")][0]
        self.write(os.path.relpath(packages, self.base) + "/only_here.py", "answer = 42\n")
        self.env["PATH"] = venv + "/bin:/usr/bin:/bin"
        self.assertEqual(self.where(), [venv + "/bin/python3", venv])
        self.assertEqual(self.assert_ok(self.python("import only_here; print(only_here.answer)"))["stdout"], "42\n")

    def test_links_of_a_version_manager_are_followed(self):
        # bin/python3 -> versions/current/bin/python3, current -> 3.9, and there a link to the system's own.
        self.link("versions/3.9/bin/python3", PYTHON)
        self.link("versions/current", "3.9")
        self.link("bin/python3", self.base + "/versions/current/bin/python3")
        executable, _ = self.where()
        self.assertEqual(executable, self.bin + "/python3")

    def test_an_environment_that_was_made_through_a_link(self):
        self.link("versions/3.9/bin/python3", PYTHON)
        self.link("versions/current", "3.9")
        venv = os.path.join(self.base, "venv")
        subprocess.run([self.base + "/versions/current/bin/python3", "-m", "venv", "--without-pip", "--symlinks", venv],
                       check=True)
        self.env["PATH"] = venv + "/bin:/usr/bin:/bin"
        self.assertEqual(self.where(), [venv + "/bin/python3", venv])

    def test_a_shim_chooses_the_version_of_the_project(self):
        for version in ("1.0", "2.0"):
            self.link("versions/%s/bin/python3" % version, PYTHON)
            self.write("of-%s/.python-version" % version, version)
        self.write("bin/python3", '#!/bin/sh\nexec "%s/versions/$(cat .python-version)/bin/python3" "$@"\n' % self.base,
                   0o755)
        for version in ("1.0", "2.0", "1.0"):
            executable, _ = self.where(cwd=self.folder("of-" + version))
            self.assertEqual(executable, "%s/versions/%s/bin/python3" % (self.base, version))

    def test_a_shim_that_fails_is_quoted(self):
        self.write("bin/python3", "#!/bin/sh\necho 'python: version 9 is not installed' >&2\nexit 1\n", 0o755)
        error = self.refused("run", "--runtime", "python", "-c", "1", "--json")
        self.assertEqual(error["code"], "runtime_broken")
        self.assertIn("version 9 is not installed", error["message"])

    def test_a_missing_interpreter_says_how_to_get_it(self):
        self.env["PATH"] = self.bin
        error = self.refused("run", "--runtime", "python", "-c", "1", "--json")
        self.assertEqual(error["code"], "runtime_missing")
        self.assertIn("apt install python3", error["hint"])

    def test_an_interpreter_in_the_current_directory_is_not_run(self):
        self.write("project/python3", "#!/bin/sh\ntouch /var/tmp/cocoon-was-tricked\n", 0o755)
        self.env["PATH"] = ".::" + self.bin
        self.assertEqual(self.refused("run", "--runtime", "python", "-c", "1", "--json")["code"], "runtime_missing")

    def test_an_interpreter_that_a_guest_may_have_made_is_not_started_on_the_host(self):
        trap = "#!/bin/sh\ntouch %s/free/tricked\nexec %s \"$@\"\n" % (self.base, PYTHON)
        self.folder("free")
        self.write("work/bin/python3", trap, 0o755)
        self.link("links/python3", self.work + "/bin/python3")
        self.env["PATH"] = self.work + "/bin:/usr/bin:/bin"
        for option in ("--work", "--temp"):
            error = self.refused("run", option, self.work, "--runtime", "python", "-c", "1", "--json")
            self.assertEqual((error["code"], error["where"]), ("untrusted_interpreter", self.work + "/bin/python3"))
        self.env["PATH"] = self.base + "/links:/usr/bin:/bin"
        error = self.refused("run", "--work", self.work, "--runtime", "python", "-c", "1", "--json")
        self.assertEqual(error["code"], "untrusted_interpreter")
        self.assertEqual(os.listdir(self.base + "/free"), [])
        # The system's own interpreter is as good as ever, whatever lies in the work folder.
        self.write("work/.python-version", "0.0.0\n")
        self.env["PATH"] = "/usr/bin:/bin"
        run = self.cocoon("run", "--work", self.work, "--runtime", "python", "-c", "print(1)", cwd=self.work)
        self.assertEqual((run.code, run.out), (0, b"1\n"), str(run))

    def test_aliases(self):
        for alias in ("python3", "py"):
            run = self.cocoon("run", "--runtime", alias, "-c", "print(1)")
            self.assertEqual((run.code, run.out), (0, b"1\n"), str(run))

    def test_a_script_is_visible_wherever_it_lies_and_its_neighbours_are_not(self):
        self.write("elsewhere/script.py", "import os, sys; print(sys.argv[1:], os.listdir(os.path.dirname(__file__)))")
        self.write("elsewhere/secret.txt", "secret")
        for options in ([], ["--ro", self.project], ["--work", self.work]):
            run = self.cocoon("run", *options, "--runtime", "python", "../elsewhere/script.py", "--json", "-x")
            self.assertEqual((run.code, run.out), (0, b"['--json', '-x'] ['script.py']\n"), str(run))

    def test_a_script_that_is_a_link(self):
        self.write("elsewhere/script.py", "print('through the link')")
        self.link("links/run.py", "../elsewhere/script.py")
        run = self.cocoon("run", "--runtime", "python", self.base + "/links/run.py")
        self.assertEqual((run.code, run.out), (0, b"through the link\n"), str(run))


class Terminal(CocoonTest):
    def test_a_terminal_that_is_held_does_not_hold_the_deadline(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start("run", "--timeout", "500ms", "--", "/bin/sh", "-c", "while :; do echo 0123456789; done",
                             stdout=theirs)
        os.close(theirs)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:  # nobody reads: the guest has to end all the same
            time.sleep(0.1)
            if process.poll() is not None or (time.monotonic() > deadline - 28 and not descendants(process.pid)):
                break
        else:
            self.fail("the guest outlived its deadline")

        def drain():
            try:
                while os.read(ours, 65536):
                    pass
            except OSError:  # the other end is closed
                pass

        reader = threading.Thread(target=drain)
        reader.start()
        self.assertEqual(process.wait(timeout=30), 124)
        reader.join()
        process.stderr.close()
        self.helpers.discard(process.pid)

    def test_the_shell_gets_its_terminal_back_as_it_was(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        before = termios.tcgetattr(theirs)
        process = self.start("run", "--", "/bin/echo", "hello", stdin=theirs, stdout=theirs, stderr=theirs)
        self.assertEqual(process.wait(timeout=30), 0)
        self.helpers.discard(process.pid)
        self.assertEqual(os.read(ours, 100), b"hello\r\n")
        self.assertEqual(termios.tcgetattr(theirs), before)
        self.assertFalse(fcntl.fcntl(theirs, fcntl.F_GETFL) & os.O_NONBLOCK)


if __name__ == "__main__":
    unittest.main(verbosity=2)
