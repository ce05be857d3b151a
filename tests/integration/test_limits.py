"""Every limit strikes, is reported under its own name, and costs the program itself only a bounded amount of memory."""
import json

from cocoon_test import PYTHON, ROOT, SANITIZED, SLACK_S, CocoonTest, PeakMemory, main

# Every bomb here carries its own bound, so that a broken limit fails the test and not the machine.
HOG = """
import os, sys, time
def grow(mib, how):
    held = []
    for _ in range(mib // 4):
        held.append(bytearray(os.urandom(1) * (4 << 20)))
        if how: time.sleep(0.002)
    time.sleep(3)
"""


class Memory(CocoonTest):
    LIMIT_MIB = 96

    def check(self, code, slack_mib):
        outcome = self.python(code, "--mem", str(self.LIMIT_MIB), "--timeout", "20")
        self.assertEqual((outcome["status"], outcome["oom_killed"], outcome["timed_out"]), ("oom_killed", True, False),
                         json.dumps(outcome))
        self.assertEqual(outcome["exit_code"], 137)
        self.assertIn("memory", outcome["limits_hit"])
        peak_mib = outcome["peak_mem_kib"] / 1024
        self.assertTrue(0.5 * self.LIMIT_MIB < peak_mib < self.LIMIT_MIB + slack_mib,
                        "peak of %.1f MiB at a limit of %d (%s)" % (peak_mib, self.LIMIT_MIB, outcome["memory_meter"]))
        return outcome

    def slack_mib(self):
        # The kernel stops at the limit itself. A supervisor that samples sees it a little late.
        return 1 if "cgroup" in self.python("pass")["memory_meter"] else 160

    def test_one_process(self):
        self.check(HOG + "grow(640, True)", self.slack_mib())

    def test_one_process_in_a_hurry(self):
        self.check(HOG + "grow(640, False)", self.slack_mib())

    def test_ten_processes_that_each_stay_below(self):
        self.check(HOG + "for _ in range(10):\n    if os.fork() == 0:\n        grow(64, True); os._exit(0)\n"
                   "for _ in range(10): os.wait()", self.slack_mib())

    def test_memory_in_files_and_shared_memory_counts(self):
        # The private scratch has a size of its own, below the memory limit: a full disk, or an end by memory.
        outcome = self.python("import mmap, sys\nm = mmap.mmap(-1, 640 << 20)\n"
                              "for i in range(0, 640 << 20, 4096): m[i] = 1\nprint('held all')", "--mem", "96")
        self.assertEqual(outcome["status"], "oom_killed", json.dumps(outcome))
        outcome = self.python("import os\nf = os.memfd_create('x')\n"
                              "for i in range(640): os.write(f, b'x' * (1 << 20))\nprint('held all')", "--mem", "96")
        self.assertNotIn("held all", outcome["stdout"])

    def test_below_the_limit_nothing_happens(self):
        outcome = self.assert_ok(self.python("b = bytearray(40 << 20); print(len(b))", "--mem", "96"))
        self.assertNotIn("limits_hit", outcome)
        self.assertGreater(outcome["peak_mem_kib"], 40 * 1024)

    def test_peak_is_the_runs_own(self):
        self.python("b = bytearray(80 << 20)", "--mem", "96")
        small = self.assert_ok(self.python("print(1)", "--mem", "96"))
        self.assertLess(small["peak_mem_kib"], 40 * 1024, "a peak that belongs to another run")

    def test_a_guest_that_survives_the_loss_of_a_child_is_told_apart(self):
        # One child is killed for memory; the payload itself goes on or is ended with it, but the cause is reported.
        outcome = self.python(HOG + "import signal\nif os.fork() == 0:\n    grow(640, True); os._exit(0)\n"
                              "print(os.wait()[1] != 0)", "--mem", "96")
        self.assertTrue(outcome["oom_killed"], json.dumps(outcome))
        self.assertIn("memory", outcome["limits_hit"])

    def test_fields_name_the_meter(self):
        outcome = self.python("print(1)")
        text = outcome["isolation"]["memory"]
        if ROOT:
            self.assertRegex(text, "cgroup")
        self.assertRegex(outcome["memory_meter"], "^(cgroup v[12]|sampled|largest process)$")


class Processes(CocoonTest):
    def test_fork_bomb(self):
        code = ("import os, time\n"
                "n = 0\n"
                "end = time.monotonic() + 15\n"
                "while time.monotonic() < end and n < 3000:\n"
                "    try:\n"
                "        if os.fork() == 0: time.sleep(30); os._exit(0)\n"
                "        n += 1\n"
                "    except OSError: time.sleep(0.01)\n"
                "print('made', n)\n")
        run = self.cocoon("run", "--pids", "40", "--timeout", "20", "--json", "--", PYTHON, "-c", code)
        outcome = self.outcome_of(run)
        self.assertIn("pids", outcome["limits_hit"], json.dumps(outcome))
        self.assertEqual(outcome["status"], "pids_limit", json.dumps(outcome))
        self.assertNotIn("made 3000", outcome["stdout"])

    def test_threads_count(self):
        code = ("import threading, time\n"
                "n = 0\n"
                "try:\n"
                "    for _ in range(500): threading.Thread(target=time.sleep, args=(20,), daemon=True).start(); n += 1\n"
                "except RuntimeError: pass\n"
                "print('threads', n, flush=True)\n"
                "import os, sys; time.sleep(float(sys.argv[1])); os._exit(0)\n")
        for stay_s in ("0", "2"):
            with self.subTest(stay_s=stay_s):
                outcome = self.outcome("run", "--pids", "30", "--timeout", "20", "--json", "--", PYTHON, "-c", code, stay_s)
                self.assertNotIn("threads 500", outcome["stdout"])
                # Without a control group there is no count of refusals: who ends at once isn't seen at the limit.
                if stay_s != "0" or "cgroup" in outcome["isolation"]["pids"]:
                    self.assertIn("pids", outcome.get("limits_hit", []), json.dumps(outcome))

    def test_a_busy_but_honest_run_is_not_hit(self):
        outcome = self.assert_ok(self.shell("for i in $(seq 200); do /bin/true; done; seq 50 | xargs -P 8 -n 1 echo | wc -l",
                                            "--pids", "40", "--timeout", "60"))
        self.assertEqual(outcome["stdout"], "50\n")
        self.assertNotIn("limits_hit", outcome)


class Output(CocoonTest):
    def test_flood_of_a_gigabyte_on_both_streams(self):
        for stream in ("1", "2"):
            with self.subTest(stream=stream):
                process = self.start("run", "--output-max", "32M", "--timeout", "30", "--json", "--", "/bin/sh", "-c",
                                     "exec head -c 1G /dev/zero >&%s" % stream)
                memory = PeakMemory(process.pid)
                out, err = process.communicate(timeout=60)
                self.helpers.discard(process.pid)
                outcome = json.loads(out)
                self.assertEqual(outcome["status"], "output_limit", json.dumps({**outcome, "stdout": "", "stderr": ""}))
                self.assertIn("output", outcome["limits_hit"])
                name = "stdout" if stream == "1" else "stderr"
                self.assertTrue(outcome[name + "_truncated"])
                self.assertGreater(outcome[name + "_bytes"], 31 << 20)
                self.assertLess(outcome[name + "_bytes"], 64 << 20)
                self.assertLess(len(out), 16 << 20)
                if not SANITIZED:
                    self.assertLess(memory.peak_kib, 64 * 1024)
                self.assertGreater(memory.peak_kib, 0)

    def test_a_default_bound_exists(self):
        plan = json.loads(self.cocoon("plan", "--json", "--", "/bin/true").out)
        self.assertGreater(plan["stages"][0]["limits"]["output_bytes"], 0)

    def test_much_output_below_the_bound_is_counted_and_cut_in_the_middle(self):
        outcome = self.python("print('first'); print('x' * (5 << 20)); print('last')")
        self.assert_ok(outcome)
        self.assertEqual(outcome["stdout_bytes"], len("first\n") + (5 << 20) + 1 + len("last\n"))
        self.assertTrue(outcome["stdout_truncated"])
        self.assertTrue(outcome["stdout"].startswith("first\n") and outcome["stdout"].endswith("last\n"))
        self.assertLess(len(outcome["stdout"]), 2 << 20)
        self.assertRegex(outcome["stdout"], r"\[\d+ bytes cut\]")


class Disk(CocoonTest):
    FILL = ("import os, sys\n"
            "n = 0\n"
            "try:\n"
            "    with open(sys.argv[1] + '/big', 'wb', buffering=0) as f:\n"
            "        for _ in range(400): n += f.write(b'x' * (1 << 20))\n"
            "except OSError as e: print('refused', e.errno)\n"
            "print('wrote', n >> 20)\n")

    def test_scratch_filler(self):
        for folder in ("/tmp", "/dev/shm"):
            with self.subTest(folder=folder):
                outcome = self.outcome("run", "--disk", "32", "--mem", "256", "--json", "--", PYTHON, "-c", self.FILL, folder)
                self.assertNotIn("wrote 400", outcome["stdout"])
                if outcome["status"] == "exited":
                    self.assertIn("refused 28", outcome["stdout"], json.dumps(outcome))
                else:
                    self.assertEqual(outcome["status"], "disk_limit", json.dumps(outcome))
                self.assertIn("disk", outcome["limits_hit"], json.dumps(outcome))

    def test_many_small_files(self):
        code = ("import os\n"
                "n = 0\n"
                "try:\n"
                "    for n in range(300000): os.close(os.open('/tmp/f%d' % n, os.O_CREAT))\n"
                "except OSError as e: print('refused', e.errno)\n"
                "print(n)\n")
        outcome = self.python(code, "--timeout", "25")
        self.assertIn("refused 28", outcome["stdout"], json.dumps(outcome))

    def test_no_memory_is_won_by_filling_every_scratch_at_once(self):
        code = ("import os\n"
                "for p in ('/tmp', '/dev/shm', '/work'):\n"
                "    try:\n"
                "        with open(p + '/big', 'wb', buffering=0) as f:\n"
                "            for _ in range(400): f.write(b'x' * (1 << 20))\n"
                "    except OSError: pass\n"
                "total = sum(os.path.getsize(p + '/big') for p in ('/tmp', '/dev/shm', '/work') if os.path.exists(p + '/big'))\n"
                "print('total', total >> 20)\n")
        outcome = self.python(code, "--mem", "128", "--copy", self.project + "/data.txt", "--timeout", "20")
        if outcome["status"] == "exited":
            self.assertLessEqual(int(outcome["stdout"].split()[1]), 192)
        else:
            self.assertIn(outcome["status"], ("oom_killed", "disk_limit"))


class Time(CocoonTest):
    def test_endless_loop(self):
        outcome = self.python("while True: pass", "--timeout", "1")
        self.assertEqual((outcome["status"], outcome["timed_out"], outcome["exit_code"]), ("timed_out", True, 124))
        self.assertLess(outcome["duration_ms"], 1000 + SLACK_S * 1000)
        self.assertGreater(outcome["cpu_ms"], 100)

    def test_cpu_time_of_the_whole_tree(self):
        code = "import os\nfor _ in range(3): os.fork()\nwhile True: pass"
        outcome = self.python(code, "--cpu-time", "1", "--timeout", "30")
        self.assertEqual(outcome["status"], "cpu_limit", json.dumps(outcome))
        self.assertIn("cpu", outcome["limits_hit"])
        self.assertFalse(outcome["timed_out"])
        self.assertLess(outcome["cpu_ms"], 1000 + SLACK_S * 1000)

    def test_sleeping_is_free_of_cpu(self):
        self.assert_ok(self.shell("sleep 1.5", "--cpu-time", "1"))


class OwnMemory(CocoonTest):
    def test_the_program_stays_small_whatever_the_guest_does(self):
        if SANITIZED:
            self.skipTest("a sanitizer's shadow memory is not the program's")
        for code in ("b = bytearray(200 << 20); import time; time.sleep(0.5)",
                     "import sys\nfor _ in range(200): sys.stdout.write('y' * (1 << 20))",
                     "import sys\nfor _ in range(2000000): sys.stdout.write('\\n')",
                     "import os\nfor _ in range(100):\n    if os.fork() == 0: os._exit(0)"):
            with self.subTest(code=code):
                process = self.start("run", "--runtime", "python", "-c", code, "--json", "--timeout", "20")
                memory = PeakMemory(process.pid)
                process.communicate(timeout=40)
                self.helpers.discard(process.pid)
                self.assertGreater(memory.peak_kib, 0)
                self.assertLess(memory.peak_kib, 64 * 1024)


if __name__ == "__main__":
    main()
