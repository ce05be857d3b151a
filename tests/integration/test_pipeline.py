"""Pipelines: steps in sandboxes of their own, one shared work folder, one Outcome."""
import json
import os
import pty
import signal
import subprocess
import time

from cocoon_test import PYTHON, SLACK_S, CocoonTest, cannot, main


class PipelineTest(CocoonTest):
    def pipeline(self, *steps, options=(), **kw):
        """The Outcome of steps that are given as RUNTIME:CODE."""
        return self.outcome("pipeline", *options, *(word for step in steps for word in ("-s", step)), "--json", **kw)

    def pipeline_file(self, request, *options, name="steps.json", **kw):
        path = self.write("free/" + name, request if isinstance(request, str) else json.dumps(request))
        return self.outcome("pipeline", *options, path, "--json", **kw)

    def texts(self, outcome):
        return [step["stdout"] for step in outcome["steps"]]


class Shared(PipelineTest):
    def test_what_one_step_writes_the_next_ones_read(self):
        outcome = self.pipeline("python:open('n.txt', 'w').write('41')", "bash:echo $(($(cat n.txt) + 1)) > n.txt",
                                "sh:cat n.txt; ls -A; pwd")
        self.assert_ok(outcome)
        self.assertEqual(self.texts(outcome), ["", "", "42\nn.txt\n/work\n"])

    def test_kinds_modes_links_and_names_survive(self):
        outcome = self.pipeline(
            "python:import os; os.makedirs('d/ü e'); open('d/ü e/x', 'w').write('x'); os.chmod('d/ü e/x', 0o750); "
            "os.symlink('d/ü e/x', 'link'); os.mkfifo('pipe'); os.link('d/ü e/x', 'hard')",
            "python:import os, stat; s = os.stat('link'); print(oct(s.st_mode & 0o777), s.st_nlink, os.readlink('link'), "
            "stat.S_ISFIFO(os.stat('pipe').st_mode), s.st_uid == os.getuid())")
        self.assert_ok(outcome)
        self.assertEqual(outcome["steps"][1]["stdout"], "0o750 2 d/ü e/x True True\n")

    def test_everything_else_is_each_steps_own(self):
        outcome = self.pipeline("sh:echo secret > /tmp/kept; echo x > $HOME/kept; sleep 300 & echo x > /dev/shm/kept",
                                "sh:ls -A /tmp/kept $HOME/kept /dev/shm/kept 2>/dev/null; ps -e 2>/dev/null | grep -c sleep; ls /proc | grep -c '^[0-9]'")
        self.assertEqual(outcome["steps"][1]["stdout"].split()[0], "0", outcome)
        self.assertLessEqual(int(outcome["steps"][1]["stdout"].split()[-1]), 6, outcome)

    def test_the_shared_folder_is_bounded_and_says_so(self):
        outcome = self.pipeline("python:open('big', 'wb').write(b'x' * (6 << 20))",
                                "python:open('big2', 'wb').write(b'x' * (6 << 20))", options=("--disk", "8"))
        self.assertEqual([step["status"] for step in outcome["steps"]], ["exited", "disk_limit"], outcome)
        self.assertEqual(outcome["limits_hit"], ["disk"])

    def test_set_user_id_and_devices_stay_powerless(self):
        outcome = self.pipeline("sh:cp /usr/bin/id . && chmod 4755 id; grep ' /work ' /proc/self/mountinfo",
                                "sh:grep ' /work ' /proc/self/mountinfo")
        for step in outcome["steps"]:
            self.assertIn("nosuid,nodev", step["stdout"])

    def test_many_steps(self):
        outcome = self.pipeline(*["sh:echo >> log"] * 20, "sh:wc -l < log")
        self.assert_ok(outcome)
        self.assertEqual(outcome["steps"][20]["stdout"].strip(), "20")

    def test_work_folder_of_the_host(self):
        outcome = self.pipeline("python:open('out.txt', 'w').write('1')", "sh:cat out.txt; echo 2 >> out.txt",
                                options=("--work", self.work))
        self.assert_ok(outcome)
        self.assertEqual(self.read("work/out.txt"), "12\n")

    def test_a_work_folder_that_is_missing_is_made_once(self):
        outcome = self.pipeline("sh:echo 1 > a", "sh:cat a", options=("--work", self.folder("free") + "/new"))
        self.assert_ok(outcome)
        self.assertEqual(self.read("free/new/a"), "1\n")

    def test_copies_are_staged_once_and_before_the_first_step(self):
        outcome = self.pipeline("sh:cat config.json; echo changed > config.json", "sh:cat config.json",
                                options=("--copy", "config.json"))
        self.assert_ok(outcome)
        self.assertEqual(self.texts(outcome), ['{"active": false}\n', "changed\n"])

    def test_planted_files_are_named_once(self):
        outcome = self.pipeline("sh:echo x > .envrc", "sh:echo y > .bashrc", options=("--work", self.work))
        self.assertEqual([step.get("planted") for step in outcome["steps"]], [[".envrc"], [".bashrc"]])
        self.assertEqual(outcome["planted"], [".envrc", ".bashrc"])

    def test_a_step_may_move_a_repository(self):
        self.write("work/lib/one/.git/hooks/pre-commit", "kept\n")
        outcome = self.pipeline("sh:mv lib vendor", "sh:cat vendor/one/.git/hooks/pre-commit", options=("--work", self.work))
        self.assert_ok(outcome)
        self.assertEqual(self.texts(outcome), ["", "kept\n"])

    def test_nothing_is_left_after_sigkill(self):
        process = self.start("pipeline", "-s", "sh:echo x > kept; seq 1 100000 > big", "-s", "sh:echo ready; sleep 300")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGKILL)
        process.wait()
        # tearDown proves it: processes, mounts, files.


class Ending(PipelineTest):
    def test_the_first_failure_is_the_end(self):
        outcome = self.pipeline("sh:echo one", "sh:exit 7", "sh:echo three > three", options=("--work", self.work))
        self.assertEqual((outcome["exit_code"], outcome["status"], outcome["steps_skipped"]), (7, "exited", 1))
        self.assertEqual([step["exit_code"] for step in outcome["steps"]], [0, 7])
        self.assertEqual(os.listdir(self.work), [])

    def test_keep_going(self):
        outcome = self.pipeline("sh:echo 1 > a; exit 3", "sh:kill -9 $$", "sh:cat a", options=("--keep-going",))
        self.assertEqual([(step["exit_code"], step["status"]) for step in outcome["steps"]],
                         [(3, "exited"), (137, "signaled"), (0, "exited")])
        self.assertEqual((outcome["exit_code"], outcome["steps"][2]["stdout"]), (3, "1\n"))
        self.assertNotIn("steps_skipped", outcome)

    def test_the_exit_code_is_that_of_the_failing_step(self):
        run = self.cocoon("pipeline", "-s", "sh:exit 0", "-s", "sh:exit 42", "-s", "sh:exit 1")
        self.assertEqual(run.code, 42, str(run))
        self.assertIn(b"step 2: exit 42", run.err)
        self.assertIn(b"1 step was not run", run.err)

    def test_a_step_has_its_own_time(self):
        outcome = self.pipeline("sh:sleep 60", "sh:echo on", options=("--step-timeout", "300ms", "--keep-going"))
        self.assertEqual([step["status"] for step in outcome["steps"]], ["timed_out", "exited"])
        self.assertEqual((outcome["exit_code"], outcome["timed_out"]), (124, True))

    def test_all_together_have_one_deadline(self):
        begin = time.monotonic()
        outcome = self.pipeline("sh:sleep 0.6", "sh:sleep 60", "sh:true", options=("--timeout", "1", "--keep-going"))
        self.assertLess(time.monotonic() - begin, 1 + SLACK_S)
        self.assertEqual([step["status"] for step in outcome["steps"]], ["exited", "timed_out"])
        self.assertEqual((outcome["exit_code"], outcome["steps_skipped"]), (124, 1))
        self.assertLess(outcome["steps"][1]["duration_ms"], 900)

    def test_cancelling_ends_all(self):
        process = self.start("pipeline", "--keep-going", "-s", "sh:echo ready; sleep 300", "-s", "sh:echo never")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (128 + signal.SIGTERM, b""), err)

    def test_figures_add_up(self):
        outcome = self.pipeline("python:x = bytearray(60 << 20); print('a' * 10)", "sh:echo bc")
        steps = outcome["steps"]
        for key in ("duration_ms", "cpu_ms", "stdout_bytes", "stderr_bytes"):
            self.assertAlmostEqual(outcome[key], sum(step[key] for step in steps), places=2)
        self.assertEqual(outcome["peak_mem_kib"], max(step["peak_mem_kib"] for step in steps))
        self.assertEqual([step["name"] for step in steps], ["python", "sh"])
        self.assertNotIn("stdout", outcome)
        self.assertEqual(outcome["stdout_bytes"], 14)
        for step in steps:
            self.assertIn("net", step["isolation"])


class Refused(PipelineTest):
    def test_a_runtime_that_is_missing_stops_it_before_anything_runs(self):
        error = self.refused("pipeline", "--work", self.work, "-s", "sh:echo x > made", "-s", "pwsh-9:Get-Content made",
                             "--json")
        self.assertIn("step 2", error["where"])
        self.assertIn("pwsh-9", error["line"])
        self.assertEqual(os.listdir(self.work), [])

    def test_command_lines(self):
        for words, says in ((["-s", "echo hello"], "RUNTIME:CODE"), (["-s", ":x"], "RUNTIME:CODE"), (["-s", "sh:@"], "file"),
                            ([], "steps"), (["-s", "sh:true", "--", "ls"], "step"), (["-s", "sh:true", "x.json"], "file"),
                            (["a", "b"], "steps")):
            with self.subTest(words=words):
                self.assertIn(says, self.refused("pipeline", *words, code=2)["message"])

    def test_scripts_that_are_missing(self):
        error = self.refused("pipeline", "-s", "sh:true", "-s", "sh:@nothing.sh")
        self.assertIn("step 2", error["message"])
        self.assertIn("nothing.sh", error["message"])

    def test_files(self):
        for name, text, says in (
                ("a.json", "{}", "no steps"), ("a.json", '{"steps": [{"runtime": "sh", "work": "x"}]}', "steps[0].work"),
                ("a.json", '{"steps": [{"name": "x"}]}', "step 1"), ("a.json", "{", "a.json"),
                ("a.json", '{"steps": [], "command": ["ls"]}', "no steps"),
                ("a.json", '{"steps": [{"command": ["ls"]}], "command": ["ls"]}', "steps"),
                ("a.json", '{"steps": [{"command": ["ls"], "tiemout": 1}]}', "steps[0].tiemout"),
                ("a.toml", "steps = [", "line 1"), ("a.toml", "\n\nsteps = 2020-01-01", "line 3"),
                ("a.toml", "[[steps]]\nruntime = 'sh'\ncode = 'x'\ntimeout = -1.5", "line 4"),
                ("a.toml", "[[steps]]\nruntime = 'sh'\ncode = 'x'\nbogus = 1", "steps[0].bogus")):
            with self.subTest(text=text):
                path = self.write("free/" + name, text)
                self.assertIn(says, self.refused("pipeline", path)["message"])
        self.assertIn("nothing.json", self.refused("pipeline", "nothing.json")["message"])

    def test_too_many_steps(self):
        error = self.refused("pipeline", *["-s", "sh:true"] * 65)
        self.assertIn("64", error["message"])


class Files(PipelineTest):
    def test_scripts(self):
        self.write("project/two words.py", "import sys; open('o', 'w').write('from a file')\n")
        outcome = self.pipeline("python:@two words.py", "sh:cat o")
        self.assert_ok(outcome)
        self.assertEqual(outcome["steps"][1]["stdout"], "from a file")

    def test_code_that_begins_with_an_at_sign(self):
        outcome = self.pipeline("python:@staticmethod\ndef f(): pass\nprint('decorated')")
        self.assertEqual(self.texts(outcome), ["decorated\n"], "one step is a pipeline too")

    def test_json_with_everything_a_step_may_say(self):
        outcome = self.pipeline_file({
            "env": {"A": "all", "B": "all"}, "timeout": 20, "stdin": "given",
            "steps": [
                {"name": "first", "command": ["sh", "-c", "cat; echo $A $B"], "env": {"A": "own"}},
                {"runtime": "python", "code": "import sys; print(repr(sys.stdin.read()))", "timeout": "5s"},
                {"command": "ulimit -n; echo $A; pwd", "cwd": "/tmp", "open_files": 99},
                {"name": "limited", "command": [PYTHON, "-c", "x = b'x' * (300 << 20)"], "memory_max": "100M"},
            ]})
        self.assertEqual([step["name"] for step in outcome["steps"]], ["first", "python", "sh", "limited"])
        self.assertEqual(self.texts(outcome)[:3], ["givenown all\n", "''\n", "99\nall\n/tmp\n"])
        self.assertEqual(outcome["steps"][3]["status"], "oom_killed", outcome["steps"][3])

    def test_toml(self):
        outcome = self.pipeline_file("""
            # what the file says, options may overrule
            keep_going = true
            timeout = 20
            [env]
            GREETING = "hello"
            [[steps]]
            runtime = "python"
            code = '''
import os
open("note", "w").write(os.environ["GREETING"] + " wörld")
'''
            timeout = 2.5
            [[steps]]
            name = "fails"
            command = ["false"]
            [[steps]]
            command = "cat note"
            """, name="steps.toml")
        self.assertEqual([step["exit_code"] for step in outcome["steps"]], [0, 1, 0])
        self.assertEqual(outcome["steps"][2]["stdout"], "hello wörld")

    def test_options_overrule_the_file(self):
        outcome = self.pipeline_file({"timeout": 20, "steps": [{"command": ["sleep", "60"]}]}, "--timeout", "200ms")
        self.assertEqual(outcome["status"], "timed_out")

    def test_the_whole_is_bounded_where_its_only_step_has_more_time(self):
        outcome = self.pipeline_file({"timeout": "300ms", "steps": [{"command": ["sleep", "60"], "timeout": 60}]})
        self.assertEqual(outcome["status"], "timed_out")
        self.assertEqual([step["status"] for step in outcome["steps"]], ["timed_out"])


class Live(PipelineTest):
    def test_output_streams_with_a_header_for_each_step(self):
        process = self.start("pipeline", "-s", "sh:echo one; echo err >&2", "-s", "python:print('two'); input()",
                             stderr=subprocess.STDOUT)
        out, _ = process.communicate(timeout=30)
        text = out.decode()
        self.assertLess(text.index("==> step 1/2 sh\n"), text.index("one\n"))
        self.assertLess(text.index("one\n"), text.index("==> step 2/2 python\n"))
        self.assertIn("EOFError", text)
        self.assertEqual(process.returncode, 1)

    def test_standard_output_is_the_guests_alone(self):
        run = self.cocoon("pipeline", "-s", "sh:echo one", "-s", "sh:echo two")
        self.assertEqual((run.code, run.out, run.err), (0, b"one\ntwo\n", b"==> step 1/2 sh\n==> step 2/2 sh\n"))

    def test_a_terminal_shows_progress(self):
        leader, follower = pty.openpty()
        process = self.start("pipeline", "-s", "sh:true", "-s", "sh:true", stderr=follower, env={"TERM": "xterm"})
        process.wait(timeout=30)
        os.close(follower)
        text = os.read(leader, 65536).decode()
        os.close(leader)
        self.assertIn("\x1b[1m==> step 1/2 sh", text)
        self.assertRegex(text, r"step 2: exit 0, [0-9.]+ ms")

    def test_standard_input_is_the_first_steps(self):
        run = self.cocoon("pipeline", "--stdin", "-", "-s", "sh:cat > in", "-s", "sh:cat; cat in", stdin=b"typed\n")
        self.assertEqual((run.code, run.out), (0, b"typed\n"), str(run))

    def test_names_can_not_steer_the_terminal(self):
        path = self.write("free/a.json", json.dumps({"steps": [{"name": "\x1b[2Jx", "command": ["true"]}] * 2}))
        run = self.cocoon("pipeline", path)
        self.assertNotIn(b"\x1b", run.err)

    def test_output_is_kept_apart_and_bounded(self):
        outcome = self.pipeline("sh:echo a", "python:print('b' * (3 << 20))", "sh:echo c; echo d >&2")
        self.assertEqual((outcome["steps"][0]["stdout"], outcome["steps"][2]["stderr"]), ("a\n", "d\n"))
        self.assertLess(len(outcome["steps"][1]["stdout"]), 2 << 20)
        self.assertEqual((outcome["steps"][1]["stdout_truncated"], outcome["stdout_truncated"]), (True, True))


class Plans(PipelineTest):
    def test_the_plan_shows_all_stages(self):
        run = self.cocoon("plan", "-s", "python:print(1)", "-s", "sh:echo two words", "--timeout", "7")
        self.assertEqual(run.code, 0, str(run))
        for text in ("2 steps, one after another, 7 s for all of them", "1 of 2: python", "2 of 2: sh", "echo two words",
                     "shared by the steps"):
            self.assertIn(text, run.out.decode())

    def test_the_dryrun_driver_shows_all_stages(self):
        run = self.cocoon("pipeline", "--driver", "dryrun", "-s", "python:1", "-s", "sh:true")
        plan = json.loads(run.out)
        self.assertEqual([stage["name"] for stage in plan["stages"]], ["python", "sh"])
        self.assertEqual(plan["timeout_ms"], 30_000)
        path = self.write("free/s.toml", "[[steps]]\ncommand = ['true']\n[[steps]]\ncommand = ['false']\n")
        shown = json.loads(self.cocoon("plan", "--json", path).out)
        self.assertEqual([stage["argv"] for stage in shown["stages"]], [["true"], ["false"]])


class Examples(PipelineTest):
    """As printed in the documentation; steps in languages that this host lacks are shown to be refused, all at once."""
    OBTAINABLE = {"python", "node", "bun", "bash"}

    def setUp(self):
        super().setUp()
        self.env["PATH"] = "/opt/cocoon-tests/bin:" + self.env["PATH"]

    POLYGLOT = (
        "python:import json; json.dump({'agent':'Cocoon','score':99}, open('data.json','w'))",
        "node:const fs=require('fs'); const d=JSON.parse(fs.readFileSync('data.json')); d.score+=1; "
        "fs.writeFileSync('data.json', JSON.stringify(d));",
        "bun:const d=await Bun.file('data.json').json(); console.log('Bun verified score:', d.score);",
        "pwsh:Get-Content data.json")
    VALUE = ("python:open('val.txt','w').write('42')",
             "bun:console.log('Value read by Bun:', (await Bun.file('val.txt').text()).trim())")

    def here(self, steps):
        runtimes = json.loads(self.cocoon("info", "--json").out)["runtimes"]
        usable = {runtime["name"] for runtime in runtimes if runtime["available"]}
        return [step for step in steps if step.split(":", 1)[0] in usable]

    def check(self, steps, *options):
        words = [word for step in steps for word in ("-s", step)]
        missing = [step for step in steps if step not in self.here(steps)]
        lacking = {step.split(":", 1)[0] for step in missing} & self.OBTAINABLE
        if lacking:
            cannot("not installed: %s (scripts/setup --tests)" % ", ".join(sorted(lacking)))
        if missing:
            self.assertIn(missing[0].split(":", 1)[0], self.refused("pipeline", *words, *options)["message"])
        return [step for step in steps if step not in missing]

    def test_polyglot(self):
        steps = self.check(self.POLYGLOT)
        self.assertIn(self.POLYGLOT[0], steps)
        run = self.cocoon("pipeline", *(w for step in steps + ["bash:cat data.json"] for w in ("-s", step)), env={"HOME": "/nonexistent"})
        self.assertEqual(run.code, 0, str(run))
        score = 100 if self.POLYGLOT[1] in steps else 99
        self.assertIn(b'"score"', run.out)
        self.assertIn(str(score).encode(), run.out)
        if self.POLYGLOT[2] in steps:
            self.assertIn(b"Bun verified score: %d\n" % score, run.out)

    def test_breakdown_per_step(self):
        steps = self.check(self.VALUE, "--json")
        outcome = self.pipeline(*steps, "bash:cat val.txt")
        self.assert_ok(outcome)
        self.assertEqual(outcome["steps"][-1]["stdout"], "42")
        if len(steps) == 2:
            self.assertEqual(outcome["steps"][1]["stdout"], "Value read by Bun: 42\n")


if __name__ == "__main__":
    main()
