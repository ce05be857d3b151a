"""What the guest can read and write, and that the host's files come out as they went in."""
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from cocoon_test import COCOON, PYTHON, ROOT, CocoonTest, cannot, main

# Tries every way to change a file or a folder and prints the ones that worked.
ATTEMPTS = r"""
import os, sys
worked = []
def attempt(name, action):
    try:
        action()
        worked.append(name)
    except OSError as e:
        if e.errno not in (1, 13, 30, 18, 2, 20): worked.append('%s: odd error %r' % (name, e))
for folder in sys.argv[1:]:
    f = os.path.join(folder, 'victim')
    attempt(folder + ' create', lambda: open(os.path.join(folder, 'new'), 'w'))
    attempt(folder + ' mkdir', lambda: os.mkdir(os.path.join(folder, 'newdir')))
    attempt(folder + ' symlink', lambda: os.symlink('/', os.path.join(folder, 'newlink')))
    attempt(folder + ' mkfifo', lambda: os.mkfifo(os.path.join(folder, 'newfifo')))
    if os.path.exists(f):
        attempt(f + ' overwrite', lambda: open(f, 'w'))
        attempt(f + ' append', lambda: open(f, 'a'))
        attempt(f + ' update', lambda: open(f, 'r+'))
        attempt(f + ' truncate', lambda: os.truncate(f, 0))
        attempt(f + ' unlink', lambda: os.unlink(f))
        attempt(f + ' rename', lambda: os.rename(f, f + '2'))
        attempt(f + ' chmod', lambda: os.chmod(f, 0o777))
        attempt(f + ' utime', lambda: os.utime(f, (1, 1)))
        attempt(f + ' link', lambda: os.link(f, os.path.join(folder, 'hard')))
        attempt(f + ' link to tmp', lambda: os.link(f, '/tmp/hard'))
        attempt(f + ' proc reopen', lambda: open('/proc/self/fd/%d' % os.open(f, os.O_RDONLY), 'w'))
print(worked)
"""


class Writes(CocoonTest):
    def attempts(self, *folders, options=()):
        outcome = self.outcome("run", *options, "--json", "--", PYTHON, "-c", ATTEMPTS, *folders)
        self.assert_ok(outcome)
        self.assertEqual(outcome["stdout"], "[]\n")

    def test_nothing_outside_the_work_folder_can_be_changed(self):
        self.write("project/victim", "v\n")
        self.write("extra/victim", "v\n")
        self.attempts(self.project, self.base + "/extra", "/usr", "/usr/bin", "/etc", "/", "/dev", "/bin", "/lib", "/proc",
                      "/sys", "/run", "/var", "/var/tmp", "/home", "/root",
                      options=("--ro", self.project, "--ro", self.base + "/extra"))

    def test_the_current_directory_stays_read_only_beside_a_work_folder(self):
        self.write("project/victim", "v\n")
        self.attempts(self.project, options=("--work", self.work))

    def test_work_is_writable_at_its_own_path_and_at_slash_work(self):
        self.assert_ok(self.python("import os; open('a', 'w').write('1'); open('/work/b', 'w').write('2'); "
                                   "open(%r, 'w').write('3'); print(os.getcwd())" % (self.work + "/c"), "--work", self.work))
        self.assertEqual([self.read("work/" + n) for n in "abc"], ["1", "2", "3"])

    def test_working_directory_is_work_then_ro_then_the_callers(self):
        extra = self.folder("extra")
        show = "import os; print(os.getcwd())"
        self.assertEqual(self.python(show)["stdout"], self.project + "\n")
        self.assertEqual(self.python(show, "--ro", extra)["stdout"], extra + "\n")
        self.assertIn(self.python(show, "--ro", extra, "--work", self.work)["stdout"], (self.work + "\n", "/work\n"))

    def test_current_directory_is_not_shown_when_ro_names_others(self):
        extra = self.folder("extra")
        outcome = self.python("import os; print(os.path.exists(%r))" % (self.project + "/data.txt"), "--ro", extra)
        self.assertEqual(outcome["stdout"], "False\n")

    def test_read_only_inside_work_and_work_inside_read_only(self):
        self.write("work/keep/victim", "v\n")
        keep = self.work + "/keep"
        self.assert_ok(self.python("open('new', 'w')", "--work", self.work, "--ro", keep))
        self.attempts(keep, options=("--work", self.work, "--ro", keep))
        self.assertEqual(self.read("work/keep/victim"), "v\n")

        inner = self.folder("free/inner")
        self.write("free/victim", "v\n")
        outer = self.base + "/free"
        self.assert_ok(self.python("open('new', 'w').write('x')", "--work", inner, "--ro", outer))
        self.assertEqual(self.read("free/inner/new"), "x")
        outcome = self.outcome("run", "--work", inner, "--ro", outer, "--json", "--", PYTHON, "-c", ATTEMPTS, outer)
        self.assertEqual(outcome["stdout"], "[]\n")

    def test_a_file_as_read_only_grant(self):
        path = self.project + "/data.txt"
        outcome = self.python("import os; print(open(%r).read(), sorted(os.listdir(%r)))" % (path, self.project), "--ro", path)
        self.assertEqual(outcome["stdout"], "hello from the project\n ['data.txt']\n")

    def test_submounts_of_a_read_only_grant_are_read_only_too(self):
        if not ROOT:
            self.skipTest("only root can make a mount for this")
        self.folder("project/mounted")
        code = ("mount -t tmpfs none %s/mounted && touch %s/mounted/victim && cd %s && exec %s run --json -- %s -c \"$1\" %s/mounted"
                % (self.project, self.project, self.project, COCOON, PYTHON, self.project))
        run = subprocess.run(["unshare", "-m", "sh", "-c", code, "sh", ATTEMPTS], stdin=subprocess.DEVNULL,
                             capture_output=True, env=self.env, timeout=60)
        self.assertIn(b'"stdout":"[]\\n"', run.stdout, str(run))

    def test_slash_tmp_is_private_and_gone(self):
        mark = "cocoon-mark-%d" % os.getpid()
        outcome = self.python("import os, tempfile; p = '/tmp/%s'; print(os.listdir('/tmp')); open(p, 'w').write('x'); "
                              "tempfile.mkstemp(); print(os.path.exists(p), tempfile.gettempdir())" % mark)
        self.assert_ok(outcome)
        self.assertIn("True /tmp", outcome["stdout"])
        self.assertFalse(os.path.exists("/tmp/" + mark))
        again = self.python("import os; print(os.path.exists('/tmp/%s'))" % mark)
        self.assertEqual(again["stdout"], "False\n")

    def test_a_project_in_slash_tmp_works(self):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="cocoon-test-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, folder)
        with open(folder + "/here.txt", "w") as f:
            f.write("here\n")
        outcome = self.python("print(open('here.txt').read()); open('/tmp/x', 'w'); open('y', 'w')", cwd=folder)
        self.assertEqual(outcome["stdout"], "here\n\n")
        self.assertEqual(outcome["exit_code"], 1)
        self.assertEqual(os.listdir(folder), ["here.txt"])

    def test_temp_folder_holds_the_scratch(self):
        scratch = self.folder("scratch")
        outcome = self.python("import os, tempfile; tempfile.mkstemp(prefix='mine'); "
                              "print(os.environ['TMP'], os.environ['TEMP'], os.environ['TMPDIR'], tempfile.gettempdir())",
                              "--temp", scratch)
        self.assertEqual(outcome["stdout"].split(), [scratch] * 4)
        self.assertTrue([n for n in os.listdir(scratch) if n.startswith("mine")])

    def test_shared_memory_and_devices(self):
        code = ("import os, multiprocessing\n"
                "l = multiprocessing.Lock()\n"
                "for p in ('null', 'zero', 'full', 'random', 'urandom'): open('/dev/' + p, 'rb').close()\n"
                "open('/dev/null', 'w').write('x'); open('/dev/shm/x', 'w').write('x')\n"
                "m, s = os.openpty(); print(os.ttyname(s))\n"
                "print(sorted(os.listdir('/dev')))")
        outcome = self.assert_ok(self.python(code))
        names = eval(outcome["stdout"].splitlines()[1])
        self.assertFalse(set(names) - {"null", "zero", "full", "random", "urandom", "tty", "pts", "ptmx", "shm", "fd",
                                       "stdin", "stdout", "stderr"}, "more devices than promised")

    def test_only_what_programs_need_of_etc(self):
        outcome = self.assert_ok(self.python("import os, pwd; print(sorted(os.listdir('/etc'))); "
                                             "print(pwd.getpwuid(os.getuid()).pw_name, os.path.expanduser('~'))"))
        names = set(eval(outcome["stdout"].splitlines()[0]))
        self.assertFalse(names & {"shadow", "shadow-", "gshadow", "sudoers", "ssh", "machine-id", "fstab", "resolv.conf"})
        self.assertTrue({"passwd", "group", "hosts"} <= names, names)

    def test_certificates_and_time_zones_can_be_read(self):
        if not os.path.exists("/etc/ssl/certs/ca-certificates.crt"):
            cannot("no CA certificates on this host")
        self.assert_ok(self.python("import ssl; c = ssl.create_default_context(); print(len(c.get_ca_certs())); "
                                   "assert c.get_ca_certs()"))

    def test_set_id_files_in_work_are_harmless(self):
        self.write("work/tool", "#!/bin/sh\nid -u\n", 0o4755)
        outcome = self.shell("id -u; /work/tool; grep NoNewPrivs /proc/self/status", "--work", self.work)
        self.assertEqual(outcome["stdout"].split(), [str(os.geteuid())] * 2 + ["NoNewPrivs:", "1"])


class Copies(CocoonTest):
    def test_file_and_tree_into_an_ephemeral_work_folder(self):
        outcome = self.python("import os; print(os.getcwd(), sorted(os.listdir('.')), open('data.txt').read().strip(), "
                              "open('sub/inner.txt').read().strip()); open('data.txt', 'w').write('changed'); "
                              "open('sub/more', 'w')",
                              "--copy", self.project + "/data.txt", "--copy", self.project + "/sub")
        self.assert_ok(outcome)
        self.assertEqual(outcome["stdout"], "/work ['data.txt', 'sub'] hello from the project inner\n")

    def test_links_stay_links_and_modes_stay(self):
        self.write("project/tree/script.sh", "#!/bin/sh\necho ran\n", 0o750)
        os.symlink("/etc/hostname", self.project + "/tree/out")
        os.symlink("script.sh", self.project + "/tree/near")
        os.symlink("missing", self.project + "/tree/dangling")
        outcome = self.python("import os; print(os.readlink('tree/out'), os.readlink('tree/near'), os.readlink('tree/dangling'), "
                              "oct(os.stat('tree/script.sh').st_mode & 0o777), flush=True); os.system('tree/near')",
                              "--copy", self.project + "/tree", "--work", self.work)
        self.assert_ok(outcome)
        self.assertEqual(outcome["stdout"].split(), ["/etc/hostname", "script.sh", "missing", "0o750", "ran"])

    def test_the_same_base_name_twice_is_an_error(self):
        self.write("extra/data.txt", "other\n")
        error = self.refused("run", "--copy", self.project + "/data.txt", "--copy", self.base + "/extra/data.txt", "--work",
                             self.work, "--json", "--", "/bin/true", code=125)
        self.assertIn("data.txt", error["line"])
        self.assertEqual(os.listdir(self.work), [])

    def test_pipes_sockets_and_devices_are_refused_or_left_out(self):
        os.mkfifo(self.project + "/sub/pipe")
        run = self.cocoon("run", "--copy", self.project + "/sub", "--work", self.work, "--json", "--timeout", "5", "--",
                          "/bin/ls", "/work/sub", within_s=15)
        value = json.loads(run.out)
        if "exit_code" in value and value["status"] == "exited":
            self.assertNotIn("pipe", value["stdout"])
        else:
            self.assertIn("pipe", json.dumps(value))
        self.assertFalse(os.path.exists(self.work + "/sub/pipe") and
                         stat.S_ISFIFO(os.stat(self.work + "/sub/pipe").st_mode))


class Protected(CocoonTest):
    """Files in a work folder that programs execute or obey later."""

    def test_existing_ones_are_read_only_and_new_ones_are_named(self):
        self.write("work/.git/config", "[core]\n")
        self.write("work/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
        outcome = self.python(
            "import os\n"
            "for p in ('.git/config', '.git/hooks/pre-commit', '.git/hooks/new'):\n"
            "    try: open(p, 'a').write('x'); print('wrote', p)\n"
            "    except OSError as e: print('refused', p)\n"
            "open('.bashrc', 'w').write('x'); open('normal.txt', 'w').write('x')\n", "--work", self.work)
        self.assert_ok(outcome)
        self.assertEqual(outcome["stdout"].count("refused"), 3, outcome["stdout"])
        self.assertEqual(outcome["planted"], [".bashrc"])
        self.assertEqual(self.read("work/.git/config"), "[core]\n")

    def test_nothing_is_created_to_protect_a_path(self):
        self.assert_ok(self.python("pass", "--work", self.work))
        self.assertEqual(os.listdir(self.work), [])


class Litter(CocoonTest):
    def test_killed_in_mid_run_it_leaves_nothing(self):
        for delay_s in (0.0, 0.002, 0.005, 0.01, 0.02, 0.3):
            with self.subTest(delay_s=delay_s):
                process = self.start("run", "--work", self.work, "--copy", self.project + "/sub", "--json", "--", "/bin/sh",
                                     "-c", "setsid sleep 60 & sleep 60")
                time.sleep(delay_s)
                process.send_signal(signal.SIGKILL)
                process.communicate(timeout=10)
                self.helpers.discard(process.pid)
                self.assert_nothing_left()
                self.assertFalse([n for n in os.listdir(self.work) if n != "sub"])

    def test_a_missing_tmp_is_no_obstacle(self):
        self.assert_ok(self.python("pass", env={"TMPDIR": "/nonexistent"}))


if __name__ == "__main__":
    main()
