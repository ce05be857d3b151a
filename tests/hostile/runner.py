"""Runs one case in one sandbox and judges it: HELD, BROKE, n.a. or err, with the reason."""
import ctypes
import os
import re
import shlex
import signal
import socket
import subprocess
import threading
import time

import world
from world import LIBC, World, difference, digest

PR_SET_CHILD_SUBREAPER = 36
OUTPUT_CAP_BYTES = 96 << 20  # of what a sandbox program returns: more is a fault of its own
SYS_KEYCTL, SYS_ADD_KEY, KEYCTL_JOIN_SESSION_KEYRING = 250, 248, 1


def processes():
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as f:
                    head, tail = f.read().rsplit(")", 1)
                found[int(name)] = (int(tail.split()[1]), head.split("(", 1)[1], tail.split()[0])
            except (OSError, IndexError):
                pass
    return found


def descendants(root):
    everyone, children = processes(), {}
    for pid, (parent, _, _) in everyone.items():
        children.setdefault(parent, []).append(pid)
    found, todo = {}, [root]
    while todo:
        for pid in children.get(todo.pop(), []):
            found[pid] = everyone[pid]
            todo.append(pid)
    return found


class Started:
    """One run of a sandbox program, its output collected by threads."""

    def __init__(self, argv, cwd, env, become):
        self.argv, self.begin = argv, time.time()
        self.out, self.err, self.bytes = bytearray(), bytearray(), [0, 0]
        self.capped, self.killed_after_s, self.wall_s, self.rss_mib, self.reached = False, None, 0.0, 0, False
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                        cwd=cwd, preexec_fn=become, start_new_session=True)
        self.threads = [threading.Thread(target=self.collect, args=(i,), daemon=True) for i in (0, 1)]
        for thread in self.threads:
            thread.start()

    def collect(self, index):
        stream, held = ((self.process.stdout, self.out), (self.process.stderr, self.err))[index]
        while True:
            try:
                block = os.read(stream.fileno(), 1 << 16)
            except (OSError, ValueError):
                return
            if not block:
                return
            self.bytes[index] += len(block)
            if len(held) < OUTPUT_CAP_BYTES:
                held += block

    def over(self):
        return self.process.poll() is not None and not any(t.is_alive() for t in self.threads)


class Runner:
    def __init__(self, options):
        self.options, self.root = options, os.geteuid() == 0
        self.uid = options.uid if self.root and not options.as_root else os.geteuid()
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans of a sandbox are found below us
        self.private = options.in_private_net or (not options.shared_net and world.private_network())
        self.services = world.Services()
        everywhere = "0.0.0.0" if self.private else "127.0.0.1"
        self.services.add("tcp", socket.AF_INET, socket.SOCK_STREAM, (everywhere, 0))
        self.services.add("udp", socket.AF_INET, socket.SOCK_DGRAM, (everywhere, 0))
        self.services.add("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::" if self.private else "::1", 0))
        if self.private:
            self.services.add("metadata", socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80))
            self.services.add("dns", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.53", 53))
        self.services.start()
        self.base = options.base or ("/home" if self.root and os.path.isdir("/home") else "/var/tmp")

    def become(self, uid, key=None):
        """What a started process does first: drop to the user, and hold the caller's session keyring."""

        def act():
            if self.root and uid != 0:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            if key:
                LIBC.syscall(SYS_KEYCTL, KEYCTL_JOIN_SESSION_KEYRING, None)
                LIBC.syscall(SYS_ADD_KEY, b"user", key[0], key[1], ctypes.c_size_t(len(key[1])), -3)

        return act

    # ---- one run

    def request(self, case, w, run):
        flags, harness = case.get("flags", {}), case.get("harness", {})
        argv = [w.fill(x) for x in ((["{PY}", "{CASE}/" + run["py"]] if "py" in run else ["{CASE}/" + run["bin"]] if "bin" in run else [])
                                    + run.get("args", []))]
        work = w.fill(flags["work"]) if "work" in flags else None
        cwd = w.fill(harness["cwd"]) if "cwd" in harness else work or w.values["PROJ"]
        request = {"argv": argv, "ro": [w.values["CASE"]] + [w.fill(x) for x in flags.get("ro", [])], "work": work,
                   "copy": [w.fill(x) for x in flags.get("copy", [])], "temp": [w.fill(x) for x in flags.get("temp", [])],
                   "memory_mib": flags.get("mem_mib"), "timeout_s": flags.get("timeout_s"), "env": flags.get("env", {}),
                   "base": w.values["B"], "cwd": cwd}
        if "runtime" in run:  # a sandbox without runtimes gets the interpreter's command line
            request.update(runtime=run["runtime"], code=w.fill(run["code"]))
            request["argv"] = {"python": [world.PYTHON], "bash": ["/bin/bash"]}[run["runtime"]] + ["-c", request["code"]]
        return request

    def start(self, sandbox, case, w, run, uid):
        request, harness, v = self.request(case, w, run), case.get("harness", {}), w.values
        argv = sandbox.command(request)
        if argv is None:
            return None
        path = ":".join(x for x in os.environ.get("PATH", "/usr/bin:/bin").split(":") if not x.startswith("/root"))
        env = {"PATH": path, "HOME": v["HOME"], "LANG": "C.UTF-8", "TERM": "xterm", "USER": "tester",
               "AWS_SECRET_ACCESS_KEY": v["SECRET"], "GITHUB_TOKEN": v["SECRET"], "OPENAI_API_KEY": v["SECRET"],
               "DATABASE_URL": "postgres://u:%s@db/x" % v["SECRET"], "SOME_OTHER_SETTING": v["SECRET"],
               "SSH_AUTH_SOCK": v["SOCK"] + "/agent.sock", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + v["B"] + "/run/bus",
               "DOCKER_HOST": "unix://" + v["HOME"] + "/.docker/run/docker.sock", "XDG_RUNTIME_DIR": v["B"] + "/run",
               "XDG_CACHE_HOME": v["B"] + "/cache"}  # what the program keeps about interpreters is no change of the home
        for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update({k: w.fill(x) for k, x in harness.get("env", {}).items()})
        key = (b"hostile:" + v["NONCE"].encode(), v["SECRET"].encode()) if harness.get("keyring") else None
        return Started(argv, request["cwd"], env, self.become(uid, key))

    def wait(self, started, cap_s, case, w):
        process, harness = started.process, case.get("harness", {})
        kill, port, last = harness.get("kill_cli"), harness.get("inbound"), 0.0
        namespace = os.readlink("/proc/self/ns/pid")
        while not started.over():
            now = time.time() - started.begin
            if kill and started.killed_after_s is None and now > kill["after"] and process.poll() is None:
                os.kill(process.pid, kill["sig"])
                started.killed_after_s = now
            if now > cap_s:
                started.capped = True
                break
            if port and now > 0.3 and now - last > 0.2:
                last = now
                started.reached |= self.connects(int(w.fill(port)))
            if "max_rss_mib" in case["expect"] and process.poll() is None:
                for pid in [process.pid, *descendants(process.pid)]:
                    try:  # only the sandbox program itself, which lives in our pid namespace
                        if os.readlink("/proc/%d/ns/pid" % pid) == namespace:
                            with open("/proc/%d/statm" % pid) as f:
                                started.rss_mib = max(started.rss_mib, int(f.read().split()[1]) * 4 // 1024)
                    except (OSError, IndexError):
                        pass
            time.sleep(0.02)
        started.wall_s = time.time() - started.begin

    @staticmethod
    def connects(port):
        try:
            with socket.create_connection(("127.0.0.1", port), 0.3) as connection:
                connection.settimeout(0.5)
                return connection.recv(20) == b"inside"
        except OSError:
            return False

    def sweep(self, grace_s, keep=()):
        """Whatever still descends from us after the grace is a leftover: named, and ended by its pid."""

        def left():
            while True:
                try:
                    if os.waitpid(-1, os.WNOHANG)[0] == 0:
                        break
                except ChildProcessError:
                    break
            return {p: x for p, x in descendants(os.getpid()).items() if p not in keep and x[2] != "Z"}

        end = time.time() + grace_s
        while left() and time.time() < end:
            time.sleep(0.05)
        names = ["%s(%d)" % (x[1], p) for p, x in left().items()]
        for _ in range(40):
            rest = left()
            if not rest:
                break
            for pid in rest:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.05)
        return names

    # ---- one case

    def run(self, sandbox, case):
        if sandbox.name.startswith("bare") and case["bare"] == "never":
            return "n.a.", "a bomb that never runs bare"
        if sandbox.name == "bare-root" and (case["bare"] != "root" or not self.root):
            return "n.a.", "only for cases that need root to show"
        for feature in case.get("needs", []):
            if feature == "privnet":
                if not self.private:
                    return "n.a.", "needs a network namespace of the runner's own"
            elif feature not in sandbox.features:
                return "n.a.", "it has no " + feature
        state, why = "err", ""
        for _ in range(case.get("harness", {}).get("repeat", 1)):
            state, why = self.once(sandbox, case)
            if state != "held":
                break
        return state, why

    def once(self, sandbox, case):
        uid = 0 if sandbox.name == "bare-root" else self.options.uid if sandbox.name == "bare" and self.root else self.uid
        harness, expect = case.get("harness", {}), case["expect"]
        with open("/proc/self/mountinfo") as f:
            mounts = f.read()
        self.services.contacts = []
        w = World(case, self.base, uid, self.services, self.become(uid))
        try:
            self.services.secret = w.values["SECRET"].encode()
            work = w.fill(case["flags"]["work"]) if "work" in case.get("flags", {}) else None
            before = self.host_files(w, work)
            kept = {p: digest(work + "/" + p) for p in expect.get("work_unchanged", [])}
            if "first" in harness:
                name, *args = harness["first"]
                first = self.start(sandbox, case, w, {"py": name + ".py", "args": args}, uid)
                self.wait(first, 10, case, w)
                self.sweep(1.0, {w.victim.pid})
            stop = self.flip(harness["flip"], w) if "flip" in harness else None
            started = self.start(sandbox, case, w, case["run"], uid)
            if started is None:
                return "n.a.", "can't be expressed"
            self.wait(started, expect["max_wall_s"] + 4, case, w)
            if stop:
                stop()
            left = self.sweep(3.0 if "kill_cli" in harness else 1.5, {w.victim.pid})
            result = sandbox.parse(started.process.returncode, bytes(started.out), bytes(started.err))
            if self.options.verbose:
                print("   $", shlex.join(started.argv)[:600])
                print("   |", (result.out + b"\n" + result.err)[:3000].decode("utf8", "replace").replace("\n", "\n   | "))
            bad = ["left running: " + "; ".join(left[:3])] if left else []
            changed = difference(before, self.host_files(w, work))
            if changed:
                bad.append("host files: " + ", ".join(changed[:4]))
            for path, entry in kept.items():
                lost = difference(entry, digest(work + "/" + path))
                if lost and not (lost[0] == "new ." and path in result.planted):  # a warning is what is promised for new ones
                    bad.append("work/%s: %s" % (path, lost[0]))
            bad += self.trespasses(started, result, w, mounts)
            return self.verdict(sandbox, case, started, result, bad, changed)
        finally:
            self.sweep(0.2, {w.victim.pid})
            w.close()

    def host_files(self, w, work):
        """Everything that no run may change."""
        v = w.values
        found = digest(v["B"] + "/home", {work} if work else set())
        for mark, name in (("H/", "HOST"), ("C/", "CASE")):
            found.update({mark + k: x for k, x in digest(v[name]).items()})
        return found

    def flip(self, spec, w):
        """30 folders take turns with links to the host's, in a race with whoever walks them. Returns how to stop it."""
        top, turns, ending = w.fill(spec["dir"]), [0], threading.Event()
        pairs = [(os.path.join(top, "d%d" % i), w.values["B"] + "/alt%d" % i) for i in range(30)]
        for _, other in pairs:
            os.symlink(w.fill(spec["to"]), other)

        def turn():
            for a, b in pairs:
                LIBC.renameat2(-100, a.encode(), -100, b.encode(), 2)  # RENAME_EXCHANGE
            turns[0] += 1

        def go():
            while not ending.is_set():
                turn()
                time.sleep(0.0001)
            if turns[0] % 2:
                turn()

        thread = threading.Thread(target=go, daemon=True)
        thread.start()

        def stop():
            ending.set()
            thread.join()

        return stop

    def trespasses(self, started, result, w, mounts):
        """What must be true after every case, whatever it tried."""
        bad, v = [], w.values
        if v["SECRET"].encode() in result.out + b"\n" + result.err:
            bad.append("the secret came out")
        if self.services.contacts:
            bad.append("reached: " + ",".join(sorted(set(self.services.contacts))))
        if started.reached:
            bad.append("reachable from the host")
        if w.victim.poll() is not None:
            bad.append("the host's process was ended")
        for folder in ("/tmp", "/var/tmp", "/dev/shm"):
            for name in os.listdir(folder):
                path = folder + "/" + name
                if name.startswith(v["NAME"]) and path not in w.outside:
                    bad.append("on the host: " + path)
                    w.outside.append(path)
        with open("/proc/self/mountinfo") as f:
            fresh = [line.split()[4] for line in f.read().splitlines() if line not in mounts.splitlines()]
        if any("hostile" in x or "cocoon" in x for x in fresh):
            bad.append("mounts on the host: " + ",".join(fresh[:3]))
        return bad

    def verdict(self, sandbox, case, started, result, bad, changed):
        expect, kind, text = case["expect"], case["expect"]["verdict"], result.out + b"\n" + result.err
        must_run = expect.get("must_run")
        tail = text.strip()[-250:].decode("utf8", "replace")
        wall_s = started.wall_s - (started.killed_after_s or 0)
        if max(started.bytes) > OUTPUT_CAP_BYTES:
            bad.append("returned more than 96 MiB")
        if started.capped or wall_s > expect["max_wall_s"]:
            bad.append("took %.1f s (at most %s)" % (wall_s, expect["max_wall_s"]))
        if started.wall_s < expect.get("min_wall_s", 0):
            bad.append("returned after %.1f s, too early" % started.wall_s)
        code = started.process.returncode or 0
        if "json" in sandbox.features and code < 0 and not started.capped and started.killed_after_s is None:
            bad.append("the sandbox program itself died by signal %d" % -code)
        broke = next((x for x in text.decode("utf8", "replace").splitlines() if x.startswith("BROKE")), None)
        if broke and kind != "none":
            bad.append(broke[:300])
        if result.error and result.started and not started.capped and max(started.bytes) <= OUTPUT_CAP_BYTES and not started.killed_after_s:
            bad.append(result.error)
        if bad:
            return "BROKE", "; ".join(bad)
        if started.killed_after_s is not None:
            return "held", "nothing left after the signal"
        if "kill_cli" in case.get("harness", {}):
            return "err", "ended before it was signalled: " + tail
        refused = not result.started or (result.exit_code not in (0, None) and b"HELD" not in text and not result.out.strip())
        if kind == "start" and refused:
            return "held", "refused to start: " + tail[-160:]
        if not result.started:
            return ("BROKE" if must_run else "err"), result.error[:300]
        if b"ERROR:" in text:
            return "err", tail
        if b"NA:" in text:
            return "n.a.", tail
        failed = self.failed_expectations(sandbox, expect, started, result)
        if failed:
            return "BROKE", "; ".join(failed)
        return self.own_words(case, result, text, tail, must_run)

    @staticmethod
    def failed_expectations(sandbox, expect, started, result):
        failed = []
        if "exit" in expect and result.exit_code not in expect["exit"]:
            failed.append("exit code %r, not %s" % (result.exit_code, expect["exit"]))
        if "timed_out" in expect and "timeout" in sandbox.features and bool(result.timed_out) != expect["timed_out"]:
            failed.append("timed_out is %r" % result.timed_out)
        if "max_out_mib" in expect and (len(result.out) + len(result.err)) >> 20 > expect["max_out_mib"]:
            failed.append("%d MiB of output returned" % ((len(result.out) + len(result.err)) >> 20))
        if "max_rss_mib" in expect and not os.environ.get("COCOON_SANITIZED") and started.rss_mib > expect["max_rss_mib"]:
            failed.append("the supervisor used %d MiB" % started.rss_mib)
        if "stdout_has" in expect and not re.search(expect["stdout_has"].encode(), result.out):
            failed.append("the output lacks %r: %r" % (expect["stdout_has"], result.out[:100]))
        if expect.get("clean_text"):
            if re.search("[\ud800-\udfff]", (result.out + result.err).decode("utf8", "surrogatepass")):
                failed.append("lone surrogates in the result")
            if re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", result.raw):
                failed.append("raw control characters in the JSON text")
        return failed

    @staticmethod
    def own_words(case, result, text, tail, must_run):
        """Nothing bad was seen from outside: what the case itself says decides."""
        kind, said_held, code = case["expect"]["verdict"], b"HELD" in text, result.exit_code
        killed = code is not None and (code < 0 or code > 128)
        if kind == "none" or kind == "start" or said_held:
            return "held", ""
        if kind == "script" and killed and case["kind"] == "kernel":
            return "held", "killed (exit %s)" % code
        if kind == "survive" and (killed or result.oom or result.timed_out or code not in (0, None)):
            return "held", "ended: exit %s" % code
        return ("BROKE" if must_run else "err"), "exit %s: %s" % (code, tail)
