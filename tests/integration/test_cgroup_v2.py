"""Limits by cgroup v2, in a User-Mode Linux guest: a kernel of its own, in which cgroup v2 has all controllers whatever
the host has. It has no Landlock, so it also shows how the program runs, and says so, where a layer is missing."""
import os
import subprocess
import tempfile
import unittest

from cocoon_test import MUST_WORK, ROOT, SANITIZED, cannot, main

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.path.dirname(os.path.dirname(HERE))


class UserModeLinux(unittest.TestCase):
    def boot(self, *tests):
        """The guest's console output. It ends by itself; the time limit is for a guest that hangs."""
        if not os.path.exists("/usr/bin/linux.uml"):
            cannot("needs User-Mode Linux (package user-mode-linux)")
        if not ROOT:
            self.skipTest("the guest needs root's view of the host's files")
        with tempfile.TemporaryDirectory(prefix="cocoon-test-", dir="/var/tmp") as folder:
            shim = folder + "/wide_registers.so"
            subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", shim, HERE + "/uml/wide_registers.c", "-ldl"], check=True)
            run = subprocess.run(
                ["/usr/bin/linux.uml", "mem=1500M", "rootfstype=hostfs", "rootflags=/", "ro", "init=%s/uml/init.sh" % HERE, "con=null",
                 "con0=fd:0,fd:1", "quiet", "STAGE=" + STAGE, "TESTS=" + ",".join(tests), "SANITIZED=%d" % SANITIZED, "uml_dir=" + folder],
                env={"LD_PRELOAD": shim, "TMPDIR": folder, "PATH": "/usr/bin:/bin", "HOME": folder}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return run.stdout.decode("utf-8", "replace")

    def test_memory_and_processes_as_root_and_as_a_user_with_a_delegated_group(self):
        console = self.boot("in_guest.py")
        for identity in ("root", "user"):
            self.assertIn("verdict in_guest.py %s 0" % identity, console.replace("\r", ""), console)
        if MUST_WORK:
            self.assertNotIn("skipped", console)


if __name__ == "__main__":
    main()
