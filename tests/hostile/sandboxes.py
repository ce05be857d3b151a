"""How each sandbox is started: the program under test, and the weaker ways that prove the attacks real."""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"


class Result:
    """What a sandbox said about a run; None where it doesn't say."""

    def __init__(self, exit_code=None, out=b"", err=b"", timed_out=None, oom=None, error=None, started=True, raw=b"", planted=()):
        self.exit_code, self.out, self.err = exit_code, out, err
        self.timed_out, self.oom = timed_out, oom
        self.error, self.started, self.raw, self.planted = error, started, raw, planted


class Sandbox:
    """A request has: argv or runtime+code; ro, work, copy, temp, memory_mib, timeout_s, env, base."""

    name = ""
    features = set()

    def __init__(self, options):
        self.options = options

    def missing(self):
        """Why it can't be used on this machine; None if it can."""
        return None

    def command(self, request):
        """The command line; None if the request can't be expressed."""
        raise NotImplementedError

    def parse(self, code, out, err):
        return Result(exit_code=code, out=out, err=err)


class JsonSandbox(Sandbox):
    def parse(self, code, out, err):
        if not out.strip():
            text = "no result (exit %s): %s" % (code, err[-300:].decode("utf8", "replace"))
            return Result(exit_code=code, out=out, err=err, started=False, error=text)
        try:
            value = json.loads(out.decode("utf8"))
        except ValueError as e:
            return Result(exit_code=code, out=out, err=err, error="the result is not JSON: %s: %r" % (e, out[:120]))
        if "exit_code" not in value or value.get("status") == "setup_failed":
            return Result(exit_code=code, out=out, err=err, started=False, error=out[:300].decode("utf8", "replace"))
        text = (value.get("stdout") or "").encode("utf8", "surrogatepass")
        return Result(exit_code=value["exit_code"], out=text, err=(value.get("stderr") or "").encode("utf8", "surrogatepass") + err,
                      timed_out=value.get("timed_out"), oom=value.get("oom_killed"), raw=out, planted=value.get("planted", ()))


class Cocoon(JsonSandbox):
    """The program under test."""

    name = "cocoon"
    features = {"timeout", "mem", "pids", "json", "copy", "temp"}

    def missing(self):
        program = self.options.cocoon
        return None if program and os.access(program, os.X_OK) else "no program: --cocoon PATH or COCOON"

    def command(self, request):
        argv = [self.options.cocoon, "run", "--json", "--timeout", str(request["timeout_s"] or 9)]
        for flag in ("ro", "copy", "temp"):
            for path in request[flag]:
                argv += ["--" + flag, path]
        if request["work"]:
            argv += ["--work", request["work"]]
        if request["memory_mib"]:
            argv += ["--mem", str(request["memory_mib"])]
        for key, value in request["env"].items():
            argv += ["--env", "%s=%s" % (key, value)]
        if request.get("runtime"):
            return argv + ["--runtime", request["runtime"], "-c", request["code"]]
        command = request["argv"]
        for path in request["copy"]:  # copies are staged into the work folder, which is also /work
            command = [x.replace(path, "/work/" + os.path.basename(path)) for x in command]
        return argv + ["--", *command]


class Bare(JsonSandbox):
    """The harness that many agent tools are: a subprocess with captured output, a SIGTERM time limit and copytree."""

    name = "bare"
    features = {"timeout", "json", "copy"}

    def command(self, request):
        spec = request["base"] + "/bare.json"
        with open(spec, "w") as f:
            json.dump({k: request[k] for k in ("argv", "copy", "timeout_s", "cwd")}, f)
        os.chmod(spec, 0o644)
        return [PYTHON, os.path.join(HERE, "sandboxes.py"), spec]


class BareRoot(Bare):
    """The same, run by root: for attacks that only root's rights make visible."""

    name = "bare-root"


class Weak(Sandbox):
    """A home-made sandbox with the usual mistakes (weak_sandbox.sh)."""

    name = "weak"
    features = {"temp"}

    def command(self, request):
        root = request["base"] + "/weakroot"
        os.makedirs(root, exist_ok=True)
        os.chmod(root, 0o777)
        grants = ["ro:" + p for p in request["ro"]] + ["tmp:" + p for p in request["temp"]]
        if request["work"]:
            grants.append("rw:" + request["work"])
        grants.sort(key=lambda x: len(x.split(":", 1)[1]))  # parents before children
        return ["unshare", "-U", "-r", "-m", "-p", "-f", "-u", "-i", "--kill-child=KILL", "--", "sh",
                request["base"] + "/case/weak_sandbox.sh", root, *grants, "--", *request["argv"]]


class Bubblewrap(Sandbox):
    """bubblewrap as its documentation suggests for strict use: own namespaces, only /usr and /etc, private /tmp."""

    name = "bwrap"
    features = {"temp"}

    def missing(self):
        return None if shutil.which("bwrap") else "bubblewrap is not installed"

    def command(self, request):
        argv = ["bwrap", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            if os.path.islink("/" + name):
                argv += ["--symlink", os.readlink("/" + name), "/" + name]
            elif os.path.isdir("/" + name):
                argv += ["--ro-bind", "/" + name, "/" + name]
        argv += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--unshare-all", "--die-with-parent", "--new-session"]
        grants = [("--ro-bind", p) for p in request["ro"]]
        if request["work"]:
            grants.append(("--bind", request["work"]))
        for flag, path in sorted(grants, key=lambda x: len(x[1])):
            argv += [flag, path, path]
        for path in request["temp"]:
            argv += ["--tmpfs", path]
        return argv + ["--chdir", request["work"] or "/", "--", *request["argv"]]


SANDBOXES = {s.name: s for s in (Cocoon, Bare, BareRoot, Weak, Bubblewrap)}


def run_bare(spec):
    """The process that `bare` is."""
    with open(spec) as f:
        request = json.load(f)
    argv, scratch = request["argv"], None
    for i, path in enumerate(request["copy"]):
        scratch = scratch or tempfile.mkdtemp(prefix="bare-", dir=os.path.dirname(spec))
        target = os.path.join(scratch, str(i))
        try:
            shutil.copytree(path, target)
        except shutil.Error as e:
            print("bare:", str(e)[:200], file=sys.stderr)
        argv = [x.replace(path, target) for x in argv]
    begin, timed_out = time.time(), False
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=False,
                               cwd=request["cwd"])
    try:
        out, err = process.communicate(timeout=request["timeout_s"])
    except subprocess.TimeoutExpired:
        timed_out = True
        process.terminate()
        out, err = process.communicate()
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    json.dump({"exit_code": process.returncode, "stdout": out.decode("utf8", "surrogateescape"),
               "stderr": err.decode("utf8", "surrogateescape"), "timed_out": timed_out, "oom_killed": False,
               "wall_ms": int((time.time() - begin) * 1000)}, sys.stdout)


if __name__ == "__main__":
    run_bare(sys.argv[1])
