"""The Outcome: one line of JSON with every promised field, the right status, and the exit codes of the command line."""
import json
import signal

from cocoon_test import LAYERS, PYTHON, CocoonTest, main

ORDER = ["exit_code", "status", "signal", "stdout", "stderr", "duration_ms", "wall_ms", "cpu_ms", "peak_mem_kib",
         "memory_meter", "timed_out", "oom_killed", "stdout_bytes", "stderr_bytes", "stdout_truncated",
         "stderr_truncated", "driver", "isolation", "limits_hit", "planted", "error"]
OPTIONAL = {"signal", "limits_hit", "planted", "error"}


class Outcome(CocoonTest):
    def check_shape(self, outcome):
        keys = list(outcome)
        self.assertEqual(keys, [k for k in ORDER if k in outcome], "unknown key, or keys out of order")
        self.assertFalse(set(ORDER) - OPTIONAL - set(keys), "promised fields are absent")
        self.assertNotIn(None, outcome.values(), "an absent field is absent, not null")
        for key in ("exit_code", "wall_ms", "peak_mem_kib", "stdout_bytes", "stderr_bytes"):
            self.assertIs(type(outcome[key]), int, key)
        for key in ("timed_out", "oom_killed", "stdout_truncated", "stderr_truncated"):
            self.assertIs(type(outcome[key]), bool, key)
        for key in ("duration_ms", "cpu_ms"):
            self.assertIsInstance(outcome[key], (int, float), key)
        self.assertLess(abs(outcome["wall_ms"] - outcome["duration_ms"]), 1.0)
        self.assertFalse(set(outcome["isolation"]) - LAYERS, "unknown isolation layer")
        for layer, text in outcome["isolation"].items():
            self.assertTrue(isinstance(text, str) and text, layer)
        return outcome

    def test_computed_256_with_every_field(self):
        run = self.cocoon("run", "--ro", ".", "--runtime", "python", "-c", "print('Computed:', 2**8)", "--json")
        outcome = self.check_shape(self.outcome_of(run))
        self.assertEqual(run.code, 0)
        self.assertEqual(run.err, b"")
        self.assertEqual(outcome["stdout"], "Computed: 256\n")
        self.assertEqual(outcome["stderr"], "")
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 0))
        self.assertEqual((outcome["timed_out"], outcome["oom_killed"]), (False, False))
        self.assertEqual((outcome["stdout_bytes"], outcome["stderr_bytes"]), (14, 0))
        self.assertEqual((outcome["stdout_truncated"], outcome["stderr_truncated"]), (False, False))
        self.assertEqual(outcome["driver"], "linux")
        self.assertGreater(outcome["duration_ms"], 0)
        self.assertGreater(outcome["cpu_ms"], 0)
        # An interpreter that has printed a line holds a few MiB; 1 MiB or 1 GiB would be a broken meter.
        self.assertTrue(1000 < outcome["peak_mem_kib"] < 200_000, outcome["peak_mem_kib"])
        self.assertTrue(outcome["memory_meter"])
        self.assertEqual(set(outcome["isolation"]), LAYERS)
        for key in OPTIONAL:
            self.assertNotIn(key, outcome)

    def test_options_may_stand_anywhere_before_the_command(self):
        run = self.cocoon("run", "--json", "--runtime", "python", "-c", "print(1)", "--ro", ".", "--timeout", "9")
        self.assertEqual(self.outcome_of(run)["stdout"], "1\n")

    def test_what_follows_the_dashes_is_the_guests(self):
        outcome = self.outcome("run", "--json", "--", PYTHON, "-c", "import sys; print(sys.argv[1:])", "--json", "--ro", "--")
        self.assertEqual(outcome["stdout"], "['--json', '--ro', '--']\n")

    def test_exit_code_is_the_guests_own(self):
        for code in (1, 2, 3, 77, 124, 125, 126, 127, 137, 255):
            with self.subTest(code=code):
                run = self.cocoon("run", "--json", "--", "/bin/sh", "-c", "exit %d" % code)
                outcome = self.check_shape(self.outcome_of(run))
                self.assertEqual(run.code, code)
                self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", code))
                self.assertFalse(outcome["timed_out"] or outcome["oom_killed"])
                self.assertNotIn("error", outcome)

    def test_death_by_signal(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1):
            with self.subTest(signal=number.name):
                run = self.cocoon("run", "--json", "--", PYTHON, "-c",
                                  "import os, signal; signal.signal(%d, signal.SIG_DFL) if %d != 9 else 0; "
                                  "os.kill(os.getpid(), %d)" % (number, number, number))
                outcome = self.check_shape(self.outcome_of(run))
                self.assertEqual(run.code, 128 + number)
                self.assertEqual((outcome["status"], outcome["signal"], outcome["exit_code"]),
                                 ("signaled", int(number), 128 + number))

    def test_time_limit(self):
        run = self.cocoon("run", "--json", "--timeout", "300ms", "--", "/bin/sh", "-c", "echo begun; sleep 30")
        outcome = self.check_shape(self.outcome_of(run))
        self.assertEqual(run.code, 124)
        self.assertEqual((outcome["status"], outcome["exit_code"], outcome["timed_out"]), ("timed_out", 124, True))
        self.assertEqual(outcome["stdout"], "begun\n", "the output so far belongs to the Outcome")
        self.assertEqual(outcome["limits_hit"], ["timeout"])
        self.assertGreaterEqual(outcome["duration_ms"], 300)

    def test_durations(self):
        for text in ("1", "1s", "1000ms"):
            with self.subTest(timeout=text):
                plan = json.loads(self.cocoon("plan", "--timeout", text, "--json", "--", "/bin/true").out)
                self.assertEqual(plan["stages"][0]["limits"]["timeout_ms"], 1000)
        plan = json.loads(self.cocoon("plan", "--timeout", "2m", "--json", "--", "/bin/true").out)
        self.assertEqual(plan["stages"][0]["limits"]["timeout_ms"], 120_000)

    def test_not_found_and_not_executable(self):
        self.write("project/plain.txt", "not a program\n")
        for command, code in ((["no-such-program-anywhere"], 127), (["/no/such/program"], 127),
                              ([self.project + "/plain.txt"], 126), ([self.project], 126)):
            with self.subTest(command=command):
                run = self.cocoon("run", "--json", "--", *command)
                self.assertEqual(run.code, code, str(run))
                value = json.loads(run.out)
                self.assertIn(command[0], json.dumps(value["error"]))
                plain = self.cocoon("run", "--", *command)
                self.assertEqual(plain.code, code, str(plain))
                self.assertTrue(plain.err.startswith(b"cocoon: "), str(plain))

    def test_a_script_without_an_interpreter_line_is_refused_like_by_the_kernel(self):
        self.write("project/script", "echo hello\n", 0o755)
        run = self.cocoon("run", "--", self.project + "/script")
        self.assertEqual(run.code, 126, str(run))

    def test_plain_run_streams_and_keeps_stdout_clean(self):
        run = self.cocoon("run", "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((run.code, run.out, run.err), (7, b"out\n", b"err\n"))

    def test_summary_only_when_something_was_cut_short(self):
        run = self.cocoon("run", "--timeout", "300ms", "--", "/bin/sh", "-c", "echo begun; sleep 30")
        self.assertEqual((run.code, run.out), (124, b"begun\n"))
        self.assertEqual(run.err.count(b"\n"), 1)
        self.assertRegex(run.err.decode(), r"^cocoon: .*time limit")

    def test_a_reader_that_goes_away_ends_the_call(self):
        process = self.start("run", "--timeout", "20", "--", "/bin/sh", "-c", "while :; do echo spam; done")
        process.stdout.read(1000)
        process.stdout.close()
        process.wait(10)
        self.helpers.discard(process.pid)


if __name__ == "__main__":
    main()
