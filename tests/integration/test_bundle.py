"""Bundles: cocoon.conf and rootfs/, made by `spec`, shown by `plan`, run by `run` and `exec`."""
import json
import os
import shutil
import subprocess

from cocoon_test import CocoonTest, cannot, main

BUSYBOX = "/bin/busybox"


class Bundle(CocoonTest):
    writable = (*CocoonTest.writable, "mybox")

    def make(self, extra="", argv='argv = /bin/sh -c "echo hello from the sandbox"', name="mybox"):
        if not os.path.exists(BUSYBOX) or subprocess.run(["ldd", BUSYBOX], capture_output=True).returncode == 0:
            cannot("needs busybox-static")
        run = self.cocoon("spec", name, cwd=self.base)
        self.assertEqual(run.code, 0, str(run))
        box = os.path.join(self.base, name)
        os.makedirs(box + "/rootfs/usr/bin", exist_ok=True)
        shutil.copy(BUSYBOX, box + "/rootfs/usr/bin/busybox")
        for applet in ("sh", "cat", "id", "hostname", "ls", "touch", "ps", "pwd", "env", "mkdir", "sleep", "grep", "echo", "true"):
            if not os.path.lexists(box + "/rootfs/usr/bin/" + applet):
                os.symlink("busybox", box + "/rootfs/usr/bin/" + applet)
        if argv is not None:
            self.conf(box, argv + "\n" + extra)
        return box

    def conf(self, box, text):
        with open(box + "/cocoon.conf", "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)

    def test_spec_writes_a_skeleton_that_explains_itself(self):
        run = self.cocoon("spec", "mybox", cwd=self.base)
        self.assertEqual(run.code, 0, str(run))
        self.assertTrue(os.path.isdir(self.base + "/mybox/rootfs"))
        text = self.read("mybox/cocoon.conf")
        for key in ("argv", "hostname", "net", "timeout", "memory_max", "pids_max", "readonly", "env", "mount", "cwd", "profile"):
            self.assertIn(key, text)

    def test_spec_overwrites_nothing(self):
        self.make()
        before = self.read("mybox/cocoon.conf")
        run = self.cocoon("spec", "mybox", cwd=self.base)
        self.assertEqual(run.code, 125, str(run))
        self.assertEqual(self.read("mybox/cocoon.conf"), before)

    def test_a_fresh_skeleton_runs(self):
        self.assertEqual(self.cocoon("spec", "mybox", cwd=self.base).code, 0)
        outcome = self.assert_ok(self.outcome("exec", "mybox", "--json", cwd=self.base))
        self.assertEqual(outcome["stdout"], "hello from the sandbox\n")
        self.assertEqual(self.cocoon("plan", "mybox", cwd=self.base).code, 0)

    def test_exec_json(self):
        self.make()
        outcome = self.outcome("exec", "mybox", "--json", cwd=self.base)
        promised = {"exit_code": 0, "timed_out": False, "oom_killed": False, "stdout": "hello from the sandbox\n", "stderr": ""}
        self.assertEqual({k: outcome[k] for k in promised}, promised)
        self.assertIs(type(outcome["wall_ms"]), int)
        self.assertGreater(outcome["peak_mem_kib"], 0)

    def test_run_forwards_the_exit_code_and_streams(self):
        self.make(argv='argv = /bin/sh -c "echo out; echo err >&2; exit 7"')
        run = self.cocoon("run", "mybox", cwd=self.base)
        self.assertEqual((run.code, run.out, run.err), (7, b"out\n", b"err\n"))

    def test_the_view_from_inside(self):
        box = self.make("hostname = cocoonbox\n",
                        'argv = /bin/sh -c "hostname; echo $$; id -u; id -g; pwd; ls /; grep -E \'^(NoNewPrivs|Seccomp|CapEff):\' /proc/self/status"')
        outcome = self.assert_ok(self.outcome("exec", box, "--json"))
        lines = outcome["stdout"].split("\n")
        self.assertEqual(lines[:5], ["cocoonbox", "1", "0", "0", "/"])
        self.assertTrue({"bin", "proc", "dev", "tmp"} <= set(lines[5:-4]), lines)
        self.assertFalse({"home", "var", "boot", "sys", "opt"} & set(lines[5:-4]), "the host's tree is visible")
        self.assertEqual([" ".join(x.split()) for x in lines[-4:-1]], ["CapEff: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2"])

    def test_payload_is_pid_one_and_its_end_ends_all(self):
        box = self.make(argv='argv = /bin/sh -c "sleep 60 & exit 3"')
        outcome = self.outcome("exec", box, "--json")
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 3))

    def test_pid_one_ends_at_the_time_limit_and_by_signal(self):
        box = self.make("timeout = 1\n", "argv = /bin/sleep 30")
        self.assertEqual(self.outcome("exec", box, "--json")["status"], "timed_out")

    def test_rootfs_read_only_or_writable(self):
        box = self.make("readonly = true\n", 'argv = /bin/sh -c "touch /new && echo wrote"')
        outcome = self.outcome("exec", box, "--json")
        self.assertNotEqual(outcome["exit_code"], 0)
        self.assertFalse(os.path.exists(box + "/rootfs/new"))
        self.conf(box, 'argv = /bin/sh -c "touch /new && echo wrote"\nreadonly = false\n')
        outcome = self.outcome("exec", box, "--json")
        self.assertEqual(outcome["stdout"], "wrote\n", json.dumps(outcome))
        self.assertTrue(os.path.exists(box + "/rootfs/new"))

    def test_mounts_environment_and_directory(self):
        self.folder("free/out")
        box = self.make("mount = %s:/data:ro\nmount = %s/free/out:/out:rw\nenv = A=1\nenv = B=two words\ncwd = /data\n"
                        % (self.project, self.base),
                        'argv = /bin/sh -c "pwd; cat data.txt; echo \\"$A $B\\"; touch /out/made; touch new || echo refused"')
        self.assertIn("/data", self.refused("exec", box, "--json")["line"], "a mount point that isn't in the rootfs")
        os.makedirs(box + "/rootfs/data"), os.makedirs(box + "/rootfs/out")
        outcome = self.outcome("exec", box, "--json")
        self.assertEqual(outcome["stdout"], "/data\nhello from the project\n1 two words\nrefused\n", json.dumps(outcome))
        self.assertTrue(os.path.exists(self.base + "/free/out/made"))

    def test_a_mount_point_behind_a_link_in_the_rootfs_touches_nothing_on_the_host(self):
        victim = self.folder("victim")
        box = self.make("mount = %s:/link/inner:rw\n" % self.work, "argv = /bin/true")
        os.symlink(victim, box + "/rootfs/link")
        self.cocoon("exec", box, "--json")
        self.assertEqual(os.listdir(victim), [])
        for name in ("proc", "dev", "tmp"):
            shutil.rmtree(box + "/rootfs/" + name, ignore_errors=True)
            os.symlink(victim, box + "/rootfs/" + name)
        self.cocoon("exec", box, "--json")
        self.assertEqual(os.listdir(victim), [])

    def test_the_help_lists_nothing_that_a_bundle_refuses(self):
        text = self.cocoon("exec", "--help").out.decode()
        self.assertIn("--timeout", text)
        for option in ("--ro", "--work", "--copy", "--temp", "--runtime", "--code"):
            self.assertNotRegex(text, r"(?m)^  (-\w, )?%s\b" % option)

    def test_quotes_comments_and_blank_lines(self):
        box = self.make(argv=None)
        self.conf(box, '# a comment\n\n  hostname = box # another\nargv = /bin/echo "a b" "c \\"d\\" \\\\ #e" f#g #h\n')
        self.assertEqual(self.outcome("exec", box, "--json")["stdout"], 'a b c "d" \\ #e f#g\n')

    def test_errors_carry_the_line(self):
        box = self.make(argv=None)
        for text, line, word in (("argv = /bin/true\nnope = 1\n", 2, "nope"), ("argv = /bin/true\ntimeout = soon\n", 2, "soon"),
                                 ("argv =\n", 1, "argv"), ("argv = /bin/true\nmount = /a:relative:ro\n", 2, "relative"),
                                 ("argv = /bin/true\nmount = /a:/b:rx\n", 2, "rx"), ("argv = \"open\n", 1, "quot"),
                                 ("argv = /bin/true\nnet = some\n", 2, "some"), ("argv = /bin/true\nreadonly = maybe\n", 2, "maybe"),
                                 ("argv = /bin/true\npids_max = 99999999999999999999999\n", 2, "pids_max"),
                                 ("argv = /bin/true\nprofile = odd\n", 2, "odd"), ("just words\n", 1, "just"),
                                 (b"argv = /bin/true\nhostname = a\0b\n", 2, ""), (b"argv = /bin/true\nenv = \xff\xfe\n", 2, "")):
            with self.subTest(text=text):
                self.conf(box, text)
                error = self.refused("exec", box, "--json")
                self.assertIn("cocoon.conf:%d" % line, error["line"])
                self.assertIn(word, error["line"])

    def test_an_empty_or_missing_configuration(self):
        box = self.make(argv=None)
        self.conf(box, "")
        self.assertIn("argv", self.refused("exec", box, "--json")["line"])
        os.unlink(box + "/cocoon.conf")
        self.assertIn("cocoon.conf", self.refused("exec", box, "--json")["line"])
        self.assertIn("no-such-box", self.refused("exec", "no-such-box", "--json")["line"])

    def test_limits_and_profiles(self):
        box = self.make("profile = strict\ntimeout = 9\nmemory_max = 64M\npids_max = 17\n")
        limits = json.loads(self.cocoon("plan", box, "--json").out)["stages"][0]["limits"]
        self.assertEqual((limits["timeout_ms"], limits["memory_kib"], limits["pids"]), (9000, 65536, 17))
        self.conf(box, "timeout = 9\nargv = /bin/true\nprofile = strict\n")
        limits = json.loads(self.cocoon("plan", box, "--json").out)["stages"][0]["limits"]
        self.assertEqual(limits["timeout_ms"], 9000, "an explicit key wins whatever the order")

    def test_no_network_unless_asked_for(self):
        box = self.make(argv='argv = /bin/sh -c "cat /proc/net/dev"')
        outcome = self.assert_ok(self.outcome("exec", box, "--json"))
        names = [line.split(":")[0].strip() for line in outcome["stdout"].splitlines() if ":" in line]
        self.assertIn("lo", names)
        self.assertNotIn("eth0", names)


if __name__ == "__main__":
    main()
