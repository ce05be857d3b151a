"""What a guest must not be able to do to others through what it was given: demote pid 1, lend out rights, plant a repository,
hold memory that no process shows. Each of these was an attack that worked once."""
import json
import os
import stat

from cocoon_test import CocoonTest, main

TRY = """
import os
def attempt(name, call):
    try:
        call(); print(name, 'worked')
    except OSError as error:
        print(name, 'refused')
"""


class Hardening(CocoonTest):
    def test_pid_1_cannot_be_demoted_and_own_priority_can_be_lowered(self):
        outcome = self.python(TRY + """
attempt('policy', lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)))
attempt('affinity', lambda: os.sched_setaffinity(1, {0}))
attempt('nice', lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))
attempt('group', lambda: os.setpriority(os.PRIO_PGRP, 1, 19))
attempt('user', lambda: os.setpriority(os.PRIO_USER, 0, 19))
attempt('own', lambda: os.setpriority(os.PRIO_PROCESS, 0, 5))
""")
        self.assertEqual(outcome["stdout"], "policy refused\naffinity refused\nnice refused\ngroup refused\nuser refused\nown worked\n")

    def test_spinning_processes_do_not_outlive_the_call(self):
        # Each ends itself after a while, so that a broken kill fails the test and not the machine.
        outcome = self.python("import os, signal\nfor _ in range(60):\n    if os.fork() == 0:\n        signal.alarm(10)\n"
                              "        while True: pass\nsignal.alarm(10)\nwhile True: pass\n", "--timeout", "1")
        self.assertEqual(outcome["status"], "timed_out", json.dumps(outcome))
        self.assert_nothing_left()

    def test_no_set_user_id_file_reaches_the_work_folder(self):
        outcome = self.python(TRY + """
open('plain', 'w').close()
attempt('chmod', lambda: os.chmod('plain', 0o4755))
attempt('setgid', lambda: os.chmod('plain', 0o2755))
attempt('open', lambda: os.open('made', os.O_CREAT | os.O_WRONLY, 0o6755))
attempt('mode', lambda: os.chmod('plain', 0o755))
""", "--work", self.work)
        self.assertEqual(outcome["stdout"], "chmod refused\nsetgid refused\nopen refused\nmode worked\n", json.dumps(outcome))
        for name in os.listdir(self.work):
            mode = os.lstat(os.path.join(self.work, name)).st_mode
            self.assertFalse(mode & (stat.S_ISUID | stat.S_ISGID), name)

    def test_page_tables_are_memory(self):
        # 2 GiB of address space read once per 2 MiB would be harmless; per 4 KiB of a page table it is not: 256 MiB of them.
        outcome = self.python("""
import mmap
held = []
for _ in range(64):
    m = mmap.mmap(-1, 2 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
    held.append(m)
    for at in range(0, 2 << 30, 2 << 20): m[at]
import time; time.sleep(2); print('held all')
""", "--mem", "64", "--timeout", "20")
        self.assertEqual(outcome["status"], "oom_killed", json.dumps(outcome))

    def test_a_planted_repository_is_named(self):
        outcome = self.shell("echo 'gitdir: e' > .git", "--work", self.work)
        self.assertIn(".git", outcome["planted"])
        os.remove(os.path.join(self.work, ".git"))

    def test_git_as_a_file_is_read_only(self):
        self.write("work/.git", "gitdir: /elsewhere\n")
        outcome = self.shell("echo 'gitdir: e' > .git; rm -f .git; mv .git x", "--work", self.work)
        self.assertNotEqual(outcome["exit_code"], 0)
        with open(os.path.join(self.work, ".git"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "gitdir: /elsewhere\n")


if __name__ == "__main__":
    main()
