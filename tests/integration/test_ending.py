"""However a guest or the caller tries to prolong a run, it ends in time, with an exact status, and nothing survives."""
import json
import os
import signal
import time

from cocoon_test import PYTHON, SLACK_S, CocoonTest, descendants, main


class Stubborn(CocoonTest):
    """Guests that don't want to end at their time limit of half a second."""

    def check(self, code):
        run = self.cocoon("run", "--timeout", "500ms", "--json", "--", PYTHON, "-u", "-c", code, within_s=25)
        outcome = self.outcome_of(run)
        self.assertEqual((outcome["status"], outcome["timed_out"], run.code), ("timed_out", True, 124), str(run))
        self.assertLess(outcome["duration_ms"], 500 + SLACK_S * 1000)
        self.assert_nothing_left()
        return outcome

    def test_ignores_every_signal(self):
        outcome = self.check("import signal, time\n"
                             "for s in range(1, 65):\n"
                             "    try: signal.signal(s, signal.SIG_IGN)\n"
                             "    except (OSError, ValueError): pass\n"
                             "print('deaf')\n"
                             "while True:\n"
                             "    time.sleep(9)")
        self.assertEqual(outcome["stdout"], "deaf\n")

    def test_stops_itself(self):
        self.check("import os, signal; print('stopping'); os.kill(os.getpid(), signal.SIGSTOP)")

    def test_stops_its_whole_group_and_its_parent(self):
        self.check("import os, signal, time\n"
                   "for p in (os.getppid(), 1, 0):\n"
                   "    try: os.kill(p, signal.SIGSTOP)\n"
                   "    except OSError: pass\n"
                   "time.sleep(30)")

    def test_daemons_in_sessions_of_their_own(self):
        self.check("import os, time\n"
                   "for _ in range(20):\n"
                   "    if os.fork() == 0:\n"
                   "        os.setsid()\n"
                   "        if os.fork() == 0: time.sleep(40)\n"
                   "        os._exit(0)\n"
                   "time.sleep(40)")

    def test_forks_in_a_loop(self):
        # Ten lines of processes that each live for a moment only, so that no list of pids is ever up to date.
        self.check("import os, time\n"
                   "for _ in range(10):\n"
                   "    if os.fork() == 0:\n"
                   "        end = time.monotonic() + 20\n"
                   "        while time.monotonic() < end:\n"
                   "            try:\n"
                   "                if os.fork(): os._exit(0)\n"
                   "            except OSError: pass\n"
                   "time.sleep(20)\n")

    def test_closes_its_descriptors_and_sleeps(self):
        self.check("import os, time; os.closerange(0, 100); time.sleep(30)")

    def test_writes_forever(self):
        outcome = self.check("while True: print('x' * 1000)")
        self.assertGreater(outcome["stdout_bytes"], 1000)


class Daemons(CocoonTest):
    """The payload ends, something it started doesn't: the call returns at once and takes the rest along."""

    def check(self, code, exit_code=0, stdout=""):
        run = self.cocoon("run", "--timeout", "25", "--json", "--", PYTHON, "-c", code, within_s=22)
        outcome = self.outcome_of(run)
        self.assertEqual((outcome["status"], outcome["exit_code"], outcome["stdout"]), ("exited", exit_code, stdout), str(run))
        self.assertLess(outcome["duration_ms"], 1000 + SLACK_S * 1000)
        self.assert_nothing_left()

    def test_a_daemon_that_holds_the_pipes(self):
        self.check("import os, time\n"
                   "if os.fork() == 0:\n"
                   "    os.setsid()\n"
                   "    if os.fork() == 0: time.sleep(60)\n"
                   "    os._exit(0)\n"
                   "os.wait(); print('payload done', flush=True); os._exit(5)", 5, "payload done\n")

    def test_a_daemon_that_keeps_writing(self):
        run = self.cocoon("run", "--timeout", "25", "--json", "--", "/bin/sh", "-c",
                          "(setsid sh -c 'while :; do echo noise; done') & exit 4", within_s=22)
        outcome = self.outcome_of(run)
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 4))

    def test_a_background_job_in_a_shell(self):
        self.check("import subprocess; subprocess.Popen(['sleep', '60']); print('ok')", 0, "ok\n")

    def test_output_written_right_before_the_end_is_complete(self):
        for _ in range(5):
            outcome = self.python("import sys, os; sys.stdout.write('y' * 300000); sys.stdout.flush(); os._exit(0)")
            self.assertEqual(outcome["stdout_bytes"], 300000)

    def test_closing_its_stdio_is_not_the_end(self):
        outcome = self.python("import os, time\nos.closerange(0, 3)\ntime.sleep(1)\nos._exit(3)")
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 3))
        self.assertGreaterEqual(outcome["duration_ms"], 1000)

    def test_orphans_are_reaped(self):
        code = ("import os, time\n"
                "for _ in range(150):\n"
                "    if os.fork() == 0:\n"
                "        if os.fork() == 0: os._exit(0)\n"
                "        os._exit(0)\n"
                "    os.wait()\n"
                "time.sleep(0.3)\n"
                "z = 0\n"
                "for p in os.listdir('/proc'):\n"
                "    if p.isdigit():\n"
                "        try: z += open('/proc/%s/stat' % p).read().rsplit(')', 1)[1].split()[0] == 'Z'\n"
                "        except OSError: pass\n"
                "print('zombies', z)")
        self.assertEqual(self.assert_ok(self.python(code))["stdout"], "zombies 0\n")

    def test_signals_reach_the_payload_as_usual(self):
        outcome = self.python("import os, signal\n"
                              "print([s for s in range(1, 32) if s not in (9, 19) and signal.getsignal(s) == signal.SIG_IGN])\n"
                              "print(signal.pthread_sigmask(signal.SIG_BLOCK, []))")
        # Python itself ignores SIGPIPE and SIGXFSZ; anything more was inherited from us.
        self.assertEqual(outcome["stdout"], "[13, 25]\nset()\n")


class Cancelled(CocoonTest):
    SLOW = "trap '' TERM INT HUP; echo begun; (trap '' TERM INT HUP; setsid sleep 60) & while :; do sleep 1; done"

    def begin(self, *options):
        process = self.start("run", "--timeout", "50", *options, "--", "/bin/sh", "-c", self.SLOW)
        deadline = time.monotonic() + 10
        while not any(name == "sleep" for name in self.guests(process)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertIn("sleep", self.guests(process), "the guest never began")
        return process

    def guests(self, process):
        return list(descendants(process.pid).values())

    def test_sigterm_and_sigint(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number.name):
                process = self.begin("--json")
                process.send_signal(number)
                out, err = process.communicate(timeout=5 + SLACK_S)
                self.helpers.discard(process.pid)
                outcome = json.loads(out)
                self.assertEqual(outcome["status"], "cancelled", out)
                self.assertEqual(outcome["stdout"], "begun\n")
                self.assertFalse(outcome["timed_out"])
                self.assertNotEqual(process.returncode, 0)
                self.assert_nothing_left()

    def test_sigterm_without_json(self):
        process = self.begin()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=5 + SLACK_S)
        self.helpers.discard(process.pid)
        self.assertEqual(out, b"begun\n")
        self.assertEqual(process.returncode, 143, err)

    def test_sigkill(self):
        process = self.begin("--json")
        process.kill()
        process.communicate(timeout=5 + SLACK_S)
        self.helpers.discard(process.pid)

    def test_hangup(self):
        process = self.begin("--json")
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=5 + SLACK_S)
        self.helpers.discard(process.pid)

    def test_a_second_signal_while_ending_does_no_harm(self):
        process = self.begin("--json")
        for _ in range(5):
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=5 + SLACK_S)
        self.helpers.discard(process.pid)
        self.assertEqual(json.loads(out)["status"], "cancelled")

    def test_signals_that_come_before_the_guest_starts(self):
        for delay_s in (0.0, 0.001, 0.003, 0.006, 0.01):
            with self.subTest(delay_s=delay_s):
                process = self.start("run", "--timeout", "20", "--json", "--", "/bin/sleep", "15")
                time.sleep(delay_s)
                process.send_signal(signal.SIGTERM)
                out, _ = process.communicate(timeout=5 + SLACK_S)
                self.helpers.discard(process.pid)
                if out:  # before its handler stands, the signal simply ends the program
                    self.assertEqual(json.loads(out)["status"], "cancelled")
                else:
                    self.assertEqual(process.returncode, -signal.SIGTERM)
                self.assert_nothing_left()

    def test_a_caller_that_ignores_sigchld_or_blocks_signals(self):
        def odd():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT})

        process = self.start("run", "--json", "--runtime", "python", "-c",
                             "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []), "
                             "signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL)", preexec_fn=odd)
        out, err = process.communicate(timeout=20)
        self.helpers.discard(process.pid)
        outcome = json.loads(out)
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 0), out)
        self.assertEqual(outcome["stdout"], "set() True\n", "the caller's signals reached the guest")

    def test_closed_standard_descriptors(self):
        for closed in ((0,), (2,), (0, 2)):
            with self.subTest(closed=closed):
                def close():
                    for fd in closed:
                        os.close(fd)

                process = self.start("run", "--json", "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 3",
                                     preexec_fn=close)
                out, _ = process.communicate(timeout=20)
                self.helpers.discard(process.pid)
                outcome = json.loads(out)
                self.assertEqual((outcome["exit_code"], outcome["stdout"], outcome["stderr"]), (3, "out\n", "err\n"))


if __name__ == "__main__":
    main()
