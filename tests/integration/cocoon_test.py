"""What every integration test stands on: it finds the program, runs it as the current user, and sees what a run left.

COCOON names the program (default: build/dev/bin/cocoon of this source tree). COCOON_MUST_WORK=1 turns every "this host
can't do that" from a skip into a failure, so that CI can't pass by skipping. COCOON_SANITIZED=1 says that the program
carries a sanitizer, which needs more memory and time of its own.
"""
import ctypes
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COCOON = os.environ.get("COCOON") or os.path.join(SOURCE, "build", "dev", "bin", "cocoon")
MUST_WORK = os.environ.get("COCOON_MUST_WORK") == "1"
SANITIZED = os.environ.get("COCOON_SANITIZED") == "1"
ROOT = os.geteuid() == 0
PYTHON = "/usr/bin/python3"
# A hang shows as tens of seconds; this is room for a busy machine, not a measure of speed.
SLACK_S = 6.0 if SANITIZED else 3.0
LAYERS = {"user", "mount", "pid", "net", "ipc", "uts", "cgroup", "landlock", "seccomp", "capabilities", "no_new_privs",
          "memory", "pids"}

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_CHILD_SUBREAPER = 36
# Whatever a run leaves behind is re-parented to this process and so can be found below it.
LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cannot(reason):
    """This host lacks what the test needs: a skip for a person, a failure in CI."""
    if MUST_WORK:
        raise AssertionError("this host must be able to run this test: " + reason)
    raise unittest.SkipTest(reason)


def processes():
    """pid -> (parent, name, state) of every process that can be seen."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as f:
                    head, tail = f.read().rsplit(")", 1)
            except OSError:
                continue
            fields = tail.split()
            found[int(entry)] = (int(fields[1]), head.split("(", 1)[1], fields[0])
    return found


def descendants(root):
    """Living descendants of a process, by pid. Zombies hold nothing and don't count."""
    everyone, children = processes(), {}
    for pid, (parent, _, _) in everyone.items():
        children.setdefault(parent, []).append(pid)
    found, todo = {}, [root]
    while todo:
        for pid in children.get(todo.pop(), []):
            todo.append(pid)
            if everyone[pid][2] not in "ZX":
                found[pid] = everyone[pid][1]
    return found


def cgroups():
    """Every control group with our name in its path's last part."""
    found = set()
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        for name in names:
            if "cocoon" in name and name != "cocoon":
                found.add(os.path.join(folder, name))
    return found


def has_members(group):
    try:
        with open(group + "/cgroup.procs") as f:
            return f.read() != ""
    except OSError:
        return False


def litter():
    """Files in the host's shared scratch folders that a run might have left."""
    found = set()
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run"):
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name)
            if name.startswith("cocoon-test-"):
                continue
            try:
                owner = os.lstat(path).st_uid
            except OSError:
                continue
            # An ordinary test user owns nothing else there; root owns what any other program leaves.
            if owner == os.geteuid() and (not ROOT or "cocoon" in name):
                found.add(path)
    return found


def digest(root):
    """Path -> kind, mode, owner, size and content of everything below root: two of these compare a folder over time."""
    found = {}

    def one(path):
        info = os.lstat(path)
        entry = [stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), info.st_uid, info.st_mtime_ns]
        if stat.S_ISREG(info.st_mode):
            entry.append(info.st_size)
            if info.st_size < 1 << 20:
                with open(path, "rb") as f:
                    entry.append(hashlib.sha256(f.read()).hexdigest())
        elif stat.S_ISLNK(info.st_mode):
            entry.append(os.readlink(path))
        return tuple(entry)

    root = os.fsencode(root)
    found[root] = one(root)
    for folder, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(folder, name)
            found[path] = one(path)
    return found


class Run:
    """One finished call of the program."""

    def __init__(self, argv, code, out, err, wall_s):
        self.argv, self.code, self.out, self.err, self.wall_s = argv, code, out, err, wall_s

    def __str__(self):
        return "%r -> %s\nstdout: %r\nstderr: %r" % (self.argv, self.code, self.out[:2000], self.err[:2000])


class CocoonTest(unittest.TestCase):
    """A fresh project folder per test, and afterwards the proof that nothing but what the test expects is left."""

    maxDiff = None
    # Folders of the base that the test may change; everything else must come out as it went in.
    writable = ("work", "scratch", "free", "cache")

    @classmethod
    def setUpClass(cls):
        if not os.access(COCOON, os.X_OK):
            raise AssertionError("no program at %s: build it, or name it in COCOON" % COCOON)

    def setUp(self):
        # Not in /tmp: that is private inside, and tests of it are explicit. realpath: plans show resolved paths.
        self.base = os.path.realpath(tempfile.mkdtemp(prefix="cocoon-test-", dir="/var/tmp"))
        self.addCleanup(self._remove_base)
        self.project = self.folder("project")
        self.work = self.folder("work")
        self.home = self.folder("home")
        self.write("project/data.txt", "hello from the project\n")
        self.write("project/config.json", '{"active": false}\n')
        self.write("project/sub/inner.txt", "inner\n")
        # What the program keeps about interpreters it goes into the cache folder, and nothing else ever into the home.
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": self.home, "LANG": "C.UTF-8",
                    "XDG_CACHE_HOME": self.folder("cache")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.env[name] = os.environ[name]
        self.helpers = set()
        # A call returns in time even where the kernel takes longer to bury the dead: they can't do anything any more.
        self.grace_s = 3.0
        self._mounts = self._mountinfo()
        self._cgroups, self._litter = cgroups(), litter()
        self._before = None

    def tearDown(self):
        self.assert_nothing_left()

    # ---- folders and files

    def folder(self, name):
        path = os.path.join(self.base, name)
        os.makedirs(path, exist_ok=True)
        return path

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(os.path.join(self.base, name)) as f:
            return f.read()

    # ---- running

    def start(self, *args, cwd=None, env=None, **popen):
        """Starts the program without waiting for it. The digest of the project is taken before the first start."""
        if self._before is None:
            self._before = self._protected_digest()
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([COCOON, *args], cwd=cwd or self.project, env={**self.env, **(env or {})}, **popen)
        self.helpers.add(process.pid)
        self.addCleanup(self._end, process)
        return process

    def _end(self, process):
        """A call that a failing test left behind must not show up in the next test."""
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def cocoon(self, *args, within_s=60.0, stdin=None, **kw):
        """Runs the program to its end, which must come within within_s."""
        begin = time.monotonic()
        if stdin is not None:
            kw["stdin"] = subprocess.PIPE
        process = self.start(*args, **kw)
        try:
            out, err = process.communicate(stdin, timeout=within_s)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail("no end within %.1f s: %s" % (within_s, Run(args, "killed", out or b"", err or b"", within_s)))
        self.helpers.discard(process.pid)
        return Run(args, process.returncode, out or b"", err or b"", time.monotonic() - begin)

    def outcome_of(self, run):
        """The one line of JSON that a --json call prints, as an Outcome; checks that it is one."""
        self.assertTrue(run.out.endswith(b"\n") and run.out.count(b"\n") == 1, "not exactly one line: %s" % run)
        value = json.loads(run.out.decode("utf-8"))
        self.assertNotIn("error", {} if "exit_code" in value else value, str(run))
        self.assertIn("status", value, str(run))
        return value

    def outcome(self, *args, **kw):
        return self.outcome_of(self.cocoon(*args, **kw))

    def python(self, code, *options, **kw):
        """Runs a Python snippet and returns its Outcome."""
        return self.outcome("run", *options, "--runtime", "python", "-c", code, "--json", **kw)

    def shell(self, code, *options, **kw):
        return self.outcome("run", *options, "--json", "--", "/bin/sh", "-c", code, **kw)

    def refused(self, *args, code=125, **kw):
        """The Error of a call that must be refused before anything runs."""
        run = self.cocoon(*args, **kw)
        self.assertEqual(run.code, code, str(run))
        self.assertTrue(run.err.startswith(b"cocoon: "), "no message for people: %s" % run)
        self.assertEqual(run.err.count(b"\n"), 1, "not one clear line: %s" % run)
        error = {"message": run.err.decode("utf-8", "replace").strip()}
        if "--json" in args:
            self.assertEqual(run.out.count(b"\n"), 1, str(run))
            value = json.loads(run.out.decode("utf-8"))
            self.assertEqual(list(value), ["error"], str(run))
            self.assertTrue(value["error"]["code"] and value["error"]["message"], str(run))
            error.update(value["error"])
            error["line"] = run.err.decode("utf-8", "replace").strip()
        else:
            self.assertEqual(run.out, b"", str(run))
        return error

    def assert_ok(self, outcome):
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 0), json.dumps(outcome, indent=1))
        return outcome

    # ---- what is left

    def helper(self, argv, **popen):
        """A host-side process that belongs to the test; ended with it."""
        process = subprocess.Popen(argv, **popen)
        self.helpers.add(process.pid)

        self.addCleanup(self._end, process)
        return process

    def leftovers(self):
        return {p: n for p, n in descendants(os.getpid()).items() if p not in self.helpers}

    def assert_nothing_left(self):
        deadline = time.monotonic() + self.grace_s
        while self.leftovers() and time.monotonic() < deadline:
            time.sleep(0.02)
        left = self.leftovers()
        for pid in left:  # they descend from this process, so they are ours to end
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        while True:  # adopted orphans
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        self.assertFalse(left, "processes were left running")
        self.assertEqual(self._mountinfo(), self._mounts, "mounts were left on the host")
        if self._before is not None:
            after = self._protected_digest()
            changed = [k for k in {**self._before, **after} if self._before.get(k) != after.get(k)]
            self.assertFalse(changed, "the host's files were changed")
        # Other runs on this machine come and go; what stays is ours or theirs, and wrong in both cases.
        fresh, files = cgroups() - self._cgroups, litter() - self._litter
        deadline = time.monotonic() + 20
        while (fresh or files) and time.monotonic() < deadline:
            fresh, files = fresh & cgroups(), files & litter()
            if fresh and not any(map(has_members, fresh)):
                # An empty group of a call that was killed, or could not wait: the next run has to remove it.
                subprocess.run([COCOON, "run", "--", "/bin/true"], env=self.env, cwd="/", capture_output=True, timeout=60)
                fresh &= cgroups()
            if fresh or files:
                time.sleep(0.1)
        self.assertFalse(fresh, "control groups were left")
        self.assertFalse(files, "files were left on the host")

    def _protected_digest(self):
        found = {}
        for name in sorted(os.listdir(self.base)):
            path = os.path.join(self.base, name)
            if name not in self.writable and os.path.isdir(path) and not os.path.islink(path):
                found.update(digest(path))
        return found

    @staticmethod
    def _mountinfo():
        with open("/proc/self/mountinfo") as f:
            return f.read()

    def _remove_base(self):
        def retry(function, path, _):
            os.chmod(os.path.dirname(path), 0o700)
            if os.path.isdir(path) and not os.path.islink(path):
                os.chmod(path, 0o700)
            function(path)

        shutil.rmtree(self.base, onerror=retry)


class PeakMemory(threading.Thread):
    """Watches the largest resident size that the program itself (not the guest) ever had, in KiB."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak_kib = pid, 0
        self.start()

    def run(self):
        while True:
            try:
                with open("/proc/%d/status" % self.pid) as f:
                    lines = [line for line in f if line.startswith("VmHWM:")]
            except OSError:
                return
            if not lines:  # a zombie
                return
            self.peak_kib = max(self.peak_kib, int(lines[0].split()[1]))
            time.sleep(0.01)


def main():
    unittest.main(verbosity=2)
