"""`cocoon plan` shows what would run, and that is what runs."""
import json
import os

from cocoon_test import PYTHON, CocoonTest, main


class Plan(CocoonTest):
    def plan(self, *args, **kw):
        run = self.cocoon("plan", "--json", *args, **kw)
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.out.count(b"\n"), 1, "one line")
        return json.loads(run.out)

    def test_nothing_is_started_or_touched(self):
        self.plan("--work", self.work, "--copy", self.project + "/data.txt", "--", "/bin/sh", "-c", "touch %s/ran" % self.work)
        self.assertEqual(os.listdir(self.work), [])

    def test_the_same_request_gives_the_same_plan(self):
        args = ("--work", self.work, "--ro", self.project, "--env", "A=1", "--runtime", "python", "-c", "print(1)")
        self.assertEqual(self.plan(*args), self.plan(*args))

    def test_arguments_environment_directory_and_limits_are_what_the_guest_gets(self):
        code = ("import json, os, resource, sys\n"
                "json.dump({'env': dict(os.environ), 'cwd': os.getcwd(), 'argv': sys.orig_argv, "
                "'files': resource.getrlimit(resource.RLIMIT_NOFILE)[0]}, sys.stdout)")
        args = ("--ro", self.project, "--env", "MINE=yes", "--mem", "200", "--runtime", "python", "-c", code)
        stage = self.plan(*args)["stages"][0]
        got = json.loads(self.assert_ok(self.outcome("run", "--json", *args))["stdout"])
        got["env"].pop("LC_CTYPE", None)  # Python's own
        self.assertEqual(got["env"], stage["env"])
        self.assertEqual(got["cwd"], stage["cwd"])
        self.assertEqual(got["argv"][1:], stage["argv"][1:])
        self.assertEqual(got["files"], stage["limits"]["open_files"])

    def test_mounts_are_what_the_guest_sees(self):
        self.folder("extra")
        args = ("--ro", self.base + "/extra", "--work", self.work)
        stage = self.plan(*args, "--", "/bin/cat", "/proc/self/mountinfo")["stages"][0]
        outcome = self.assert_ok(self.outcome("run", "--json", *args, "--", "/bin/cat", "/proc/self/mountinfo"))
        seen = {}
        for line in outcome["stdout"].splitlines():
            fields = line.split()
            seen[fields[4]] = fields[5].split(",")[0]
        planned = {m["target"] for m in stage["mounts"] if m["kind"] in ("bind", "tmpfs", "proc", "devpts", "mask")}
        optional = {m["target"] for m in stage["mounts"] if m.get("optional")}
        # A proc mount carries its read-only parts with it.
        seen = {k: v for k, v in seen.items() if k not in ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/sysrq-trigger")}
        self.assertFalse(set(seen) - planned - {"/"}, "mounts that no plan mentions")
        self.assertFalse(planned - set(seen) - optional, "planned mounts that are not there")
        writable = {m["target"] for m in stage["mounts"] if m.get("writable")}
        for target, mode in seen.items():
            if mode == "rw":
                self.assertIn(target, writable | {"/proc", "/dev/pts", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                                  "/dev/urandom", "/dev/tty"}, "writable, but not planned so")
        self.assertIn(self.work, writable)
        self.assertNotIn(self.base + "/extra", writable)
        self.assertEqual(seen["/"], "ro")

    def test_identity_and_hostname(self):
        stage = self.plan("--", "/bin/true")["stages"][0]
        outcome = self.shell("id -u; id -g; cat /proc/sys/kernel/hostname")
        uid, gid, hostname = outcome["stdout"].split()
        self.assertEqual((int(uid), int(gid)), (stage["identity"]["uid_inside"], stage["identity"]["gid_inside"]))
        self.assertEqual(hostname, stage["hostname"])
        self.assertEqual((os.geteuid(), os.getegid()), (stage["identity"]["uid_outside"], stage["identity"]["gid_outside"]))

    def test_for_people_it_reads_from_top_to_bottom(self):
        run = self.cocoon("plan", "--work", self.work, "--runtime", "python", "-c", "print(1)")
        self.assertEqual(run.code, 0, str(run))
        text = run.out.decode()
        self.assertIn(self.work, text)
        order = [text.find(word) for word in ("identity", "filesystem", "capabilities", "seccomp", "exec")]
        self.assertNotIn(-1, order, text)
        self.assertEqual(order, sorted(order))

    def test_dryrun_driver(self):
        outcome = self.outcome("run", "--driver", "dryrun", "--work", self.work, "--json", "--", "/bin/sh", "-c", "touch ran")
        self.assertEqual(outcome["status"], "planned")
        self.assertEqual(os.listdir(self.work), [])
        self.assertEqual(outcome["driver"], "dryrun")

    def test_errors_are_the_same_as_when_running(self):
        for args in (("--ro", "/nonexistent", "--", "/bin/true"), ("--runtime", "cobol", "-c", "x"),
                     ("--work", "/usr", "--", "/bin/true")):
            with self.subTest(args=args):
                a, b = self.refused("plan", "--json", *args), self.refused("run", "--json", *args)
                self.assertEqual({k: a.get(k) for k in ("code", "message", "hint")}, {k: b.get(k) for k in ("code", "message", "hint")})


if __name__ == "__main__":
    main()
