#!/usr/bin/env python3
"""cocoon mcp as agents use it: every revision, concurrent calls, cancelling, ends of every kind, broken input."""
import base64
import json
import os
import pwd
import signal
import subprocess
import time
import unittest

from cocoon_test import COCOON, SLACK_S, descendants, main
from mcp_test import LEGACY, MODERN, McpTest, modern_meta

SLEEP = {"command": ["sleep", "100"]}


class Eras(McpTest):
    def test_each_legacy_revision_is_agreed_on_and_has_what_it_knows(self):
        for version in LEGACY:
            with self.subTest(version=version):
                client = self.client()
                opened = client.initialize(version)
                self.assertEqual(opened["protocolVersion"], version)
                self.assertEqual(opened["serverInfo"]["name"], "cocoon")
                tools = {tool["name"]: tool for tool in client.result("tools/list")["tools"]}
                self.assertIn("run_in_sandbox", tools)
                tool = tools["run_in_sandbox"]
                self.assertEqual("outputSchema" in tool, version >= "2025-06-18")
                self.assertEqual("annotations" in tool, version >= "2025-03-26")
                result = client.result("tools/call", {"name": "run_in_sandbox", "arguments": {"command": ["echo", "hi"]}})
                self.assertEqual("structuredContent" in result, version >= "2025-06-18")
                self.assertIn("hi", result["content"][0]["text"])
                self.assertNotIn("resultType", result)
                client.close()

    def test_an_unknown_revision_is_answered_with_the_latest_that_has_initialize(self):
        for asked in ("1999-01-01", MODERN):
            client = self.client()
            self.assertEqual(client.initialize(asked)["protocolVersion"], "2025-11-25")
            client.close()

    def test_the_modern_revision_needs_no_handshake(self):
        client = self.client()
        found = client.result("server/discover", {"_meta": modern_meta()})
        self.assertEqual(found["supportedVersions"], [MODERN])
        self.assertEqual(found["resultType"], "complete")
        self.assertEqual(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "cocoon")
        listed = client.result("tools/list", {"_meta": modern_meta()})
        self.assertGreaterEqual(listed["ttlMs"], 0)
        result = client.result("tools/call", {"name": "run_in_sandbox", "arguments": {"command": ["echo", "hi"]},
                                              "_meta": modern_meta()})
        self.assertEqual((result["resultType"], result["structuredContent"]["stdout"]), ("complete", "hi\n"))
        # The removed methods are gone for those who claim it, and the same connection still takes an initialize.
        self.assertEqual(client.call("ping", {"_meta": modern_meta()})["error"]["code"], -32601)
        client.initialize()
        self.assertEqual(client.result("ping"), {})
        client.close()

    def test_a_probe_before_anything_else_gets_an_error_and_no_end(self):
        client = self.client()
        self.assertEqual(client.call("server/discover", {})["error"]["code"], -32601)
        client.initialize()
        client.close()


class Running(McpTest):
    def test_outcome_text_and_isolation(self):
        client = self.client()
        client.initialize()
        result = client.result("tools/call", {"name": "run_in_sandbox", "arguments": {
            "runtime": "python", "code": "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"}})
        outcome = result["structuredContent"]
        self.assertEqual((outcome["status"], outcome["exit_code"], outcome["stdout"], outcome["stderr"]),
                         ("exited", 3, "out\n", "err\n"))
        self.assertNotIn("isError", result)
        for part in ("exit code 3", "out", "err"):
            self.assertIn(part, result["content"][0]["text"])
        self.assertEqual(client.run(command="echo $HOME; cat", stdin="given")["stdout"].count("given"), 1)
        client.close()

    def test_arguments_that_make_no_sense_are_for_the_model_to_mend(self):
        client = self.client()
        client.initialize()
        for arguments, word in (({}, "command"), ({"command": "true", "nonsense": 1}, "nonsense"),
                                ({"command": "true", "timeout": -1}, "timeout"), ({"runtime": "klingon", "code": "x"}, "klingon"),
                                ({"command": [1]}, "command")):
            result = client.result("tools/call", {"name": "run_in_sandbox", "arguments": arguments})
            self.assertTrue(result["isError"], arguments)
            self.assertEqual(result["structuredContent"]["status"], "setup_failed")
            self.assertIn(word, result["content"][0]["text"])
        self.assertEqual(client.call("tools/call", {"name": "nothing", "arguments": {}})["error"]["code"], -32602)
        self.assertEqual(client.call("tools/call", {"name": "run_in_sandbox", "arguments": []})["error"]["code"], -32602)
        client.close()

    def test_each_of_the_two_tools_takes_its_own_arguments_only(self):
        client = self.client()
        client.initialize()
        steps = [{"command": ["true"]}]
        for tool, arguments, code, where in (
                ("run_in_sandbox", {"steps": steps}, "unknown_key", "steps"),
                ("run_in_sandbox", {"command": ["true"], "steps": []}, "unknown_key", "steps"),
                ("run_in_sandbox", {"command": ["true"], "keep_going": True}, "unknown_key", "keep_going"),
                ("run_in_sandbox", {"command": ["true"], "step_timeout": 1}, "unknown_key", "step_timeout"),
                ("run_pipeline", {"command": ["true"]}, "unknown_key", "command"),
                ("run_pipeline", {"runtime": "sh", "code": "true"}, "unknown_key", "runtime"),
                ("run_pipeline", {"steps": steps, "rootfs": "/x"}, "unknown_key", "rootfs"),
                ("run_pipeline", {"steps": steps, "name": "x"}, "unknown_key", "name"),
                ("run_pipeline", {}, "missing_value", "steps"), ("run_pipeline", {"steps": []}, "missing_value", "steps")):
            result = client.result("tools/call", {"name": tool, "arguments": arguments})
            self.assertTrue(result["isError"], arguments)
            error = result["structuredContent"]["error"]
            self.assertEqual((error["code"], error["where"]), (code, where), (tool, arguments, error))
            self.assertTrue(error.get("hint"), error)
        for tool in client.result("tools/list")["tools"]:
            takes = set(tool["inputSchema"]["properties"])
            if tool["name"].startswith("run_"):
                self.assertEqual("steps" in takes, tool["name"] == "run_pipeline")
                self.assertNotEqual("steps" in takes, "command" in takes)
        guide = client.result("resources/read", {"uri": "cocoon://docs/sandbox"})["contents"][0]["text"]
        of_one, of_pipeline = guide.split("# Arguments of run_in_sandbox")[1].split("# Arguments of run_pipeline")
        self.assertTrue("`command`" in of_one and "`steps`" not in of_one and "`steps`" in of_pipeline, guide)
        client.close()

    def test_progress_of_a_pipeline_counts_towards_the_time_of_all_steps(self):
        client = self.client()
        client.initialize()
        id = client.request("tools/call", {"name": "run_pipeline", "_meta": {"progressToken": 1}, "arguments": {
            "timeout": 50, "step_timeout": 20, "steps": [{"command": "echo one; sleep 1"}, {"command": ["true"]}]}})
        self.assertEqual(client.other()["params"]["total"], 50)
        self.assertEqual(client.answer(id)["result"]["structuredContent"]["status"], "exited")
        client.close()

    def test_steps_share_a_work_folder_and_stop_at_the_first_failure(self):
        client = self.client()
        client.initialize()
        steps = [{"runtime": "python", "code": "open('x', 'w').write('from python')"}, {"command": ["cat", "x"]},
                 {"command": ["false"]}, {"command": ["echo", "never"]}]
        result = client.result("tools/call", {"name": "run_pipeline", "arguments": {"steps": steps}})
        outcome = result["structuredContent"]
        self.assertEqual([step["exit_code"] for step in outcome["steps"]], [0, 0, 1])
        self.assertEqual((outcome["steps"][1]["stdout"], outcome["steps_skipped"]), ("from python", 1))
        self.assertIn("from python", result["content"][0]["text"])
        for refused in ({"steps": [{"command": ["true"]}], "ro": ["/etc/hostname"]}, {"steps": [{"command": ["true"]}], "net": "host"}):
            result = client.result("tools/call", {"name": "run_pipeline", "arguments": refused})
            self.assertEqual(result["structuredContent"]["error"]["code"], "policy")
        client.close()
        client = self.client("--allow-runtime", "python")
        client.initialize()
        result = client.result("tools/call", {"name": "run_pipeline", "arguments": {
            "steps": [{"runtime": "python", "code": ""}, {"runtime": "bash", "code": "true"}]}})
        self.assertEqual(result["structuredContent"]["error"]["code"], "policy")
        client.close()

    def test_a_long_run_holds_up_nothing(self):
        client = self.client()
        client.initialize()
        long = client.run_request(**SLEEP)
        self.assertEqual(client.result("ping"), {})
        self.assertEqual(client.run(command=["echo", "meanwhile"])["stdout"], "meanwhile\n")
        self.assertFalse(client.has_answer(long))
        client.close()

    def test_cancelling_ends_that_run_alone_and_gets_no_answer(self):
        client = self.client()
        client.initialize()
        first = client.run_request(command=["sleep", "100"])
        second = client.run_request(command=["tail", "-f", "/dev/null"])
        names = lambda: set(descendants(client.process.pid).values())
        self.wait_for("both run", lambda: {"sleep", "tail"} <= names())
        client.notify("notifications/cancelled", {"requestId": first, "reason": "enough"})
        self.wait_for("the run has ended", lambda: "sleep" not in names())
        self.assertIn("tail", names(), "the other run was ended as well")
        for nonsense in ({}, {"requestId": None}, {"requestId": 12345}, {"requestId": first}):
            client.notify("notifications/cancelled", nonsense)
        self.assertEqual(client.result("ping"), {})
        self.assertFalse(client.has_answer(first) or client.has_answer(second))
        client.close()

    def test_64_calls_at_once_are_all_right(self):
        client = self.client()
        client.initialize()
        calls = {n: client.run_request(command=["echo", str(n)]) for n in range(64)}
        for n, id in calls.items():
            self.assertEqual(client.answer(id)["result"]["structuredContent"]["stdout"], "%d\n" % n)
        client.close()

    def test_beyond_the_queue_the_refusal_is_clear(self):
        client = self.client("--concurrent", "1", "--queue", "1")
        client.initialize()
        runs = [client.run_request(command=["sleep", "100"]) for _ in range(4)]
        self.wait_for("refusals", lambda: sum(map(client.has_answer, runs)) >= 2)
        refused = next(client.answer(id) for id in runs if client.has_answer(id))
        self.assertTrue(refused["result"]["isError"])
        self.assertEqual(refused["result"]["structuredContent"]["error"]["code"], "busy")
        client.close()

    def test_progress_brings_the_output_while_it_runs(self):
        client = self.client()
        client.initialize()
        id = client.run_request(meta={"progressToken": 0},
                                command="for i in 1 2 3 4; do echo line $i; sleep 0.5; done")
        seen, text = [], ""
        while not client.has_answer(id):
            message = client.other()
            self.assertEqual((message["method"], message["params"]["progressToken"]), ("notifications/progress", 0))
            seen.append(message["params"]["progress"])
            text += message["params"]["message"]
            if "line 3" in text:
                break
        self.assertFalse(client.has_answer(id), "all of it came at the end")
        self.assertEqual(seen, sorted(set(seen)))
        self.assertEqual(client.answer(id)["result"]["structuredContent"]["status"], "exited")
        quiet = client.run_request(command="echo hush")
        client.answer(quiet)
        client.close()

    def test_long_output_shows_its_ends_and_the_rest_by_range(self):
        client = self.client()
        client.initialize()
        outcome = client.run(runtime="python", code="for i in range(20000): print('%08d' % i)")
        self.assertTrue(outcome["stdout_truncated"])
        self.assertTrue(outcome["stdout"].startswith("00000000\n") and outcome["stdout"].endswith("00019999\n"))
        self.assertLess(len(outcome["stdout"]), 40000)
        uri, offset, text = outcome["full_stdout"], 0, ""
        while offset is not None:
            part = client.result("tools/call", {"name": "read_output", "arguments": {"uri": uri, "offset": offset}})
            text += part["structuredContent"]["data"]
            offset = part["structuredContent"].get("next_offset")
        self.assertEqual(text, "".join("%08d\n" % i for i in range(20000)))
        whole = client.result("resources/read", {"uri": uri + "?offset=9&length=9"})["contents"]
        self.assertEqual(whole, [{"uri": uri + "?offset=9&length=9", "mimeType": "text/plain", "text": "00000001\n"}])
        missing = client.call("resources/read", {"uri": "cocoon://output/0000/stdout"})["error"]
        self.assertEqual((missing["code"], missing["data"]["uri"]), (-32002, "cocoon://output/0000/stdout"))
        missing = client.call("resources/read", {"uri": "cocoon://output/0000/stdout", "_meta": modern_meta()})["error"]
        self.assertEqual(missing["code"], -32602)
        client.close()

    def test_binary_output_is_valid_text_and_exact_by_range(self):
        client = self.client()
        client.initialize()
        code = r"import sys; sys.stdout.buffer.write(bytes(range(256)) + b'\xed\xa0\x80')"
        outcome = client.run(runtime="python", code=code)
        self.assertIn("\ufffd", outcome["stdout"])
        part = client.result("tools/call", {"name": "read_output",
                                            "arguments": {"uri": outcome["full_stdout"], "encoding": "base64"}})
        self.assertEqual(base64.b64decode(part["structuredContent"]["data"]), bytes(range(256)) + b"\xed\xa0\x80")
        blob = client.result("resources/read", {"uri": outcome["full_stdout"]})["contents"][0]
        self.assertEqual(base64.b64decode(blob["blob"]), bytes(range(256)) + b"\xed\xa0\x80")
        client.close()

    def test_info_resources_and_completion(self):
        client = self.client()
        opened = client.initialize()
        self.assertIn("completions", opened["capabilities"])
        info = client.result("tools/call", {"name": "sandbox_info", "arguments": {}})["structuredContent"]
        self.assertTrue(any(r["name"] == "python" and r["available"] for r in info["runtimes"]), info)
        self.assertEqual(info["policy"]["folders"], [{"path": self.project, "mode": "ro"}])
        for resource in client.result("resources/list")["resources"]:
            content = client.result("resources/read", {"uri": resource["uri"]})["contents"][0]
            self.assertGreater(len(content["text"]), 50)
        self.assertIn("{id}", json.dumps(client.result("resources/templates/list")))
        ref = {"type": "ref/resource", "uri": "cocoon://docs/runtime/{runtime}"}
        done = client.result("completion/complete", {"ref": ref, "argument": {"name": "runtime", "value": "py"}})
        self.assertIn("python", done["completion"]["values"])
        client.close()


class Policy(McpTest):
    def refusal(self, client, **arguments):
        result = client.result("tools/call", {"name": "run_in_sandbox", "arguments": arguments})
        self.assertTrue(result.get("isError"), result)
        return result["structuredContent"]["error"]

    def test_by_default_the_current_folder_is_readable_and_nothing_else(self):
        secret = self.write("home/secret.txt", "no")
        os.symlink(secret, self.base + "/link")
        client = self.client()
        client.initialize()
        self.assertEqual(client.run(command=["cat", "data.txt"])["stdout"], "hello from the project\n")
        self.assertNotEqual(client.run(command="echo x > new.txt")["exit_code"], 0)
        self.assertEqual(client.run(command="echo x > /tmp/new.txt")["exit_code"], 0)
        for arguments in ({"ro": ["/etc/hostname"]}, {"ro": [secret]}, {"ro": [self.base + "/link"]}, {"copy": [secret]},
                          {"work": self.project}, {"temp": self.project}, {"ro": [self.project + "/../home"]},
                          {"ro": ["../home/secret.txt"]}, {"ro": ["/no/such/place"]}, {"net": "host"}):
            error = self.refusal(client, command=["true"], **arguments)
            self.assertEqual(error["code"], "policy", (arguments, error))
            self.assertTrue(error["hint"], error)
        self.assertIn(self.project, self.refusal(client, command=["true"], ro=["/etc"])["hint"])
        error = self.refusal(client, runtime="python", file=secret)
        self.assertEqual(error["code"], "policy")
        for arguments in ({"timeout": 3600}, {"mem": 100000}, {"pids": 100000}, {"allow_protected": True}):
            self.assertEqual(self.refusal(client, command=["true"], **arguments)["code"], "policy", arguments)
        client.close()

    def test_a_home_is_not_allowed_just_because_the_server_was_started_there(self):
        home = pwd.getpwuid(os.geteuid()).pw_dir
        for folder in ["/", "/run"] + ([home] if os.path.isdir(home) else []):
            client = self.client(cwd=folder)
            client.initialize()
            info = client.result("tools/call", {"name": "sandbox_info"})["structuredContent"]["policy"]
            self.assertEqual((info["folders"], info["current_folder_shown"]), ([], False), folder)
            self.assertEqual(self.refusal(client, command=["true"], ro=[folder])["code"], "policy")
            client.close()

    def test_flags_and_file(self):
        work, other = self.folder("work"), self.folder("free")
        policy = self.write("policy.toml", 'folders = ["%s:rw"]\nruntimes = ["python"]\ncommands = false\n'
                                           '[limits]\ntimeout = "2s"\n[audit]\nfile = "%s/audit"\n' % (work, other))
        client = self.client("--policy", policy)
        client.initialize()
        outcome = client.run(runtime="python", code="open('made', 'w').write('x')", work=work)
        self.assertEqual((outcome["exit_code"], self.read("work/made")), (0, "x"))
        self.assertEqual(self.refusal(client, command=["true"])["code"], "policy")
        self.assertEqual(self.refusal(client, runtime="bash", code="true")["code"], "policy")
        self.assertEqual(self.refusal(client, runtime="sh", code="true")["code"], "policy")
        # The current folder is not among those that are allowed, so it is not shown unasked either.
        listing = client.run(runtime="python", code="import os; print(os.path.exists(%r))" % (self.project + "/data.txt"))
        self.assertEqual(listing["stdout"], "False\n")
        self.assertEqual(client.run(runtime="python", code="import time; time.sleep(60)")["status"], "timed_out")
        client.close()
        lines = self.record()
        self.assertEqual([line["status"] for line in lines if line["event"] != "begin"],
                         ["exited", "refused", "refused", "refused", "exited", "timed_out"])
        self.assertEqual((lines[0]["event"], lines[0]["caller"], lines[0]["runtime"], lines[0]["work"], lines[0]["writable"]),
                         ("begin", "stdio", "python", [work], [work]))
        self.assertEqual((lines[1]["event"], lines[1]["run"]), ("end", lines[0]["run"]))
        self.assertRegex(lines[0]["code_sha256"], "^[0-9a-f]{64}$")
        self.assertNotIn("made", self.read("free/audit"))
        client = self.client("--policy", policy, "--allow", other)
        client.initialize()
        self.assertEqual(self.refusal(client, runtime="python", code="", work=work)["code"], "policy")
        client.close()

    def record(self, path="free/audit"):
        return [json.loads(line) for line in self.read(path).splitlines()]

    def test_the_record_has_every_call_that_would_run_something(self):
        work, audit = self.folder("work"), self.folder("free") + "/audit"
        client = self.client("--audit", audit, "--allow", work + ":rw", "--allow", self.project, "--concurrent", "1", "--queue", "1")
        client.initialize()
        call = lambda name, **arguments: client.result("tools/call", {"name": name, "arguments": arguments})
        call("run_pipeline", work=work, ro=[self.project], stdin="secret", steps=[
            {"name": "one", "runtime": "python", "code": "print('secret')"}, {"command": ["false", "secret"]},
            {"command": ["true"]}])
        begin, end = self.record()
        self.assertEqual([step.get("name") or step["program"] for step in begin["steps"]], ["one", "false", "true"])
        self.assertEqual((begin["tool"], begin["work"], begin["ro"], begin["writable"]),
                         ("run_pipeline", [work], [self.project], [work]))
        for found in (begin["steps"][0]["code_sha256"], begin["steps"][1]["argv_sha256"], begin["stdin_sha256"]):
            self.assertRegex(found, "^[0-9a-f]{64}$")
        self.assertEqual((end["run"], end["status"], end["exit_code"], end["steps_run"], end["steps_skipped"]),
                         (begin["run"], "exited", 1, 2, 1))
        # Bad arguments, too; what could be read of them is there.
        call("run_in_sandbox", nonsense=1)
        call("run_in_sandbox", steps=[])
        call("run_in_sandbox", command=["true"], ro=["/etc/shadow"])
        call("run_in_sandbox", runtime="klingon", code="secret")
        lines = self.record()[2:]
        self.assertEqual([(line["event"], line["status"], line["error"], line["where"]) for line in lines[:3]],
                         [("refused", "refused", "unknown_key", "nonsense"), ("refused", "refused", "unknown_key", "steps"),
                          ("refused", "refused", "policy", "ro /etc/shadow")])
        self.assertEqual(lines[2]["ro"], ["/etc/shadow"])
        self.assertEqual(lines[3]["runtime"], "klingon")
        # What waits in vain is refused and recorded, and what runs is recorded before it ends.
        runs = [client.run_request(command=["sleep", "100"]) for _ in range(4)]
        self.wait_for("refusals", lambda: sum(map(client.has_answer, runs)) >= 2)
        self.wait_for("the record", lambda: len(self.record()) >= 9)
        lines = self.record()[6:]
        self.assertEqual(sorted(line["event"] for line in lines), ["begin", "refused", "refused"])
        self.assertEqual({line["error"] for line in lines if line["event"] == "refused"}, {"busy"})
        self.assertEqual({line["program"] for line in lines}, {"sleep"})
        client.close()
        self.assertNotIn("secret", self.read("free/audit"))

    def test_what_cannot_be_recorded_is_not_run(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        work = self.folder("work")
        client = self.client("--audit", "/dev/full", "--allow", work + ":rw")
        client.initialize()
        for _ in range(2):
            error = self.refusal(client, command=["touch", "ran"], work=work)
            self.assertEqual(error["code"], "audit")
        client.close()
        self.assertEqual(os.listdir(work), [])

    def test_calls_choose_no_driver_unless_the_operator_lists_it(self):
        client = self.client()
        client.initialize()
        for name in ("dryrun", "linux", "none"):
            self.assertEqual(self.refusal(client, command=["true"], driver=name)["code"], "policy", name)
        client.close()
        client = self.client("--allow-driver", "dryrun", "--allow-driver", "linux")
        client.initialize()
        self.assertEqual(client.run(command=["true"])["driver"], "linux")
        self.assertEqual(client.run(command=["true"], driver="dryrun")["status"], "planned")
        client.close()
        client = self.client("--allow-driver", "dryrun")
        client.initialize()
        self.assertEqual(client.run(command=["true"])["status"], "planned")
        self.assertEqual(self.refusal(client, command=["true"], driver="linux")["code"], "policy")
        info = client.result("tools/call", {"name": "sandbox_info"})["structuredContent"]
        self.assertEqual(info["driver"], "dryrun")
        client.close()

    def test_whether_a_forbidden_path_exists_is_not_told_through_a_planted_link(self):
        work = self.folder("work")
        self.write("home/secret.txt", "no")
        client = self.client("--allow", work + ":rw")
        client.initialize()
        client.run(work=work, command="ln -s ../home/secret.txt there; ln -s ../home/nothing missing; ln -s ../home/no/x deep")
        client.run(work=work, command="mkdir -p rootfs/proc; ln -s %s/secret.txt rootfs/m" % self.home)
        client.run(work=work, command="ln -s %s/nothing rootfs/n" % self.home)
        for field in ("ro", "copy"):
            answers = {json.dumps(self.refusal(client, command=["true"], **{field: [work + "/" + name]})).replace(name, "NAME")
                       for name in ("there", "missing", "deep")}
            self.assertEqual(len(answers), 1, answers)
            self.assertIn('"policy"', answers.pop())
        self.folder("work/data")
        answers = {json.dumps(self.refusal(client, command=["true"], rootfs=work + "/rootfs",
                                           mount=["%s/data:/%s:ro" % (work, name)])).replace("/%s" % name, "/NAME")
                   for name in ("m", "n")}
        self.assertEqual(len(answers), 1, answers)
        client.close()

    def test_what_a_guest_may_have_written_is_not_started_on_the_host(self):
        work = self.folder("work")
        self.write("work/bin/python3", "#!/bin/sh\ntouch %s/started\n" % work, 0o755)
        path = {"PATH": work + "/bin:" + self.env["PATH"]}
        client = self.client("--allow", work + ":rw", env=path)
        client.initialize()
        # Not this call's work folder, but an earlier one's.
        self.assertEqual(self.refusal(client, runtime="python", code="")["code"], "untrusted_interpreter")
        info = client.result("tools/call", {"name": "sandbox_info"})["structuredContent"]
        python = next(r for r in info["runtimes"] if r["name"] == "python")
        self.assertFalse(python["available"], python)
        self.assertFalse(os.path.exists(work + "/started"))
        client.close()

    def test_a_wrong_policy_starts_no_server(self):
        for text, word in (("folders = 1", "folders"), ("nonsense = 1", "nonsense"), ("x = ", ":1"),
                           ('folders = ["/no/such"]', "/no/such"), ('network = "some"', "network"),
                           ("[limits]\ntimeout = \"x\"", ":2")):
            policy = self.write("policy.toml", text)
            error = self.refused("mcp", "--policy", policy)
            self.assertIn(word, error["message"])
        self.assertIn("audit", self.refused("mcp", "--audit", "/no/such/audit")["message"])
        self.refused("mcp", "--max-pids", "x")
        for flag in ("--max-mem", "--max-disk", "--max-output", "--max-pids", "--max-timeout"):
            self.assertIn(flag, self.refused("mcp", flag, "0")["message"])
        self.refused("mcp", "--allow", "")
        self.assertIn("--allow", self.cocoon("mcp", "--help").out.decode())


class Ending(McpTest):
    def running(self, *flags, **kw):
        client = self.client(*flags, **kw)
        client.initialize()
        client.run_request(command=["sleep", "100"])
        client.run_request(command="trap '' TERM INT HUP; sleep 100")
        self.wait_for("both run", lambda: list(descendants(client.process.pid).values()).count("sleep") == 2)
        return client

    def test_end_of_input(self):
        client = self.running()
        self.assertLess(client.close(), 1.0 + SLACK_S)
        self.assertEqual(client.process.returncode, 0)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            client = self.running()
            begin = time.monotonic()
            client.process.send_signal(number)
            client.process.wait(30)
            self.assertLess(time.monotonic() - begin, 1.0 + SLACK_S)
            self.helpers.discard(client.process.pid)

    def test_kill(self):
        client = self.running()
        client.process.kill()
        client.process.wait(30)
        self.helpers.discard(client.process.pid)
        self.wait_for("nothing runs", lambda: not self.leftovers())

    def test_death_of_whoever_started_it(self):
        hold = os.pipe()  # the input stays open
        script = '"$0" mcp <&%d >/dev/null & echo $!; read -r x' % hold[0]
        shell = self.helper(["/bin/sh", "-c", script, COCOON], pass_fds=(hold[0],), env=self.env, cwd=self.project,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server = int(shell.stdout.readline())
        os.write(hold[1], b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_in_sandbox",'
                          b'"arguments":{"command":["sleep","100"]}}}\n')
        self.wait_for("it runs", lambda: "sleep" in descendants(server).values())
        begin = time.monotonic()
        shell.kill()
        shell.wait()
        self.wait_for("the server has ended", lambda: not self.leftovers())
        self.assertLess(time.monotonic() - begin, 1.0 + SLACK_S)
        os.close(hold[0])
        os.close(hold[1])

    def test_input_that_ends_at_once(self):
        run = self.cocoon("mcp", stdin=b"")
        self.assertEqual((run.code, run.out), (0, b""))
        lines = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":"x","method":"tools/list"}\n'
        run = self.cocoon("mcp", stdin=lines)
        self.assertEqual([json.loads(line)["id"] for line in run.out.splitlines()], [1, "x"])

    def test_a_reader_that_does_not_read_holds_up_no_end(self):
        process = self.start("mcp", stdin=subprocess.PIPE)
        request = '{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
        os.set_blocking(process.stdin.fileno(), False)
        sent = 0
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                process.stdin.write((request % sent).encode())
                process.stdin.flush()
                sent += 1
            except BlockingIOError:
                break  # it takes no more: what waits for us is bounded
        self.assertLess(time.monotonic(), deadline, "it takes requests without end")
        self.assertLess(self.resident_kib(process.pid), 200 * 1024)
        begin = time.monotonic()
        process.terminate()
        process.wait(30)
        self.assertLess(time.monotonic() - begin, 1.0 + SLACK_S)
        self.helpers.discard(process.pid)
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass  # what it did not take any more


class Broken(McpTest):
    def test_malformed_messages_get_errors_and_hurt_nobody(self):
        client = self.client()
        client.initialize()
        deep = "[" * 100000 + "]" * 100000
        cases = [("{", -32700), ('"x"', -32600), ("[]", -32600), ("[1,2]", -32600), ("null", -32600),
                 ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                 ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
                 ('{"jsonrpc":"2.0","id":900,"method":"ping","params":[]}', -32600), ('{"jsonrpc":"2.0","id":901,"method":7}', -32600),
                 (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700), ('{"a":1,"a":2}', -32700), (deep, -32700),
                 ('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + deep + "}}", -32700),
                 ('{"jsonrpc":"2.0","id":902,"method":"no/such"}', -32601), ("x" * (5 << 20), -32700),
                 ('{"jsonrpc":"2.0","id":33}', -32600), ('{"x":"\x01"}', -32700), ('{"x":1e400}', -32700)]
        for text, code in cases:
            client.send_text(text)
            client.send_text("\n")
            if isinstance(text, str) and '"id":90' in text:
                message = client.answer(int(text.split('"id":')[1][:3]))
            elif isinstance(text, str) and '"id":1,"method":"ping"}' in text and "1.0" in text:
                message = client.answer(1)
            else:
                message = client.other()
                self.assertNotIn("id", message, text[:100])
            self.assertEqual(message["error"]["code"], code, text[:100])
        for text in ("", "\r", "   ", '{"jsonrpc":"2.0","method":"no/such"}', '{"jsonrpc":"2.0","id":77,"result":{}}',
                     '{"jsonrpc":"2.0","method":"notifications/cancelled"}'):
            client.send_text(text + "\n")  # none of these is answered
        client.send_text('{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n')
        self.assertEqual(client.answer("crlf")["result"], {})
        self.assertTrue(client.others.empty())
        client.close()

    def test_batches_belong_to_old_revisions(self):
        batch = json.dumps([{"jsonrpc": "2.0", "id": 50, "method": "ping"}, {"jsonrpc": "2.0", "id": 51, "method": "ping"}])
        client = self.client()
        client.initialize("2025-03-26")
        client.send_text(batch + "\n")
        self.assertEqual((client.answer(50)["result"], client.answer(51)["result"]), ({}, {}))
        client.close()
        client = self.client()
        client.initialize("2025-11-25")
        client.send_text(batch + "\n")
        self.assertEqual(client.other()["error"]["code"], -32600)
        client.close()

    def test_an_id_in_use_is_refused_and_the_first_goes_on(self):
        client = self.client()
        client.initialize()
        client.request("tools/call", {"name": "run_in_sandbox", "arguments": {"command": "sleep 1; echo first"}}, id="same")
        client.request("ping", id="same")
        self.assertEqual(client.answer("same")["error"]["code"], -32600)
        self.assertEqual(client.answer("same")["result"]["structuredContent"]["stdout"], "first\n")
        client.request("ping", id="same")
        self.assertEqual(client.answer("same")["result"], {})
        client.close()

    def test_pages_and_cursors(self):
        client = self.client()
        client.initialize()
        for cursor in ("nonsense", "at-0", "at-99999", 5):
            self.assertEqual(client.call("tools/list", {"cursor": cursor})["error"]["code"], -32602)
        self.assertNotIn("nextCursor", client.result("tools/list"))
        client.close()

    def test_log_levels(self):
        client = self.client()
        client.initialize()
        self.assertEqual(client.call("logging/setLevel", {"level": "loud"})["error"]["code"], -32602)
        client.result("logging/setLevel", {"level": "info"})
        client.run(command=["true"])
        message = client.other()
        self.assertEqual((message["method"], message["params"]["level"]), ("notifications/message", "info"))
        client.result("logging/setLevel", {"level": "error"})
        client.run(command=["true"])
        self.assertTrue(client.others.empty())
        client.close()

    def test_nothing_but_messages_on_standard_output(self):
        client = self.client("--log-level", "debug")
        client.initialize()
        client.run(command="echo guest >&2; echo guest")
        client.close()
        for line in client.raw:
            self.assertTrue(line.endswith(b"\n") and json.loads(line)["jsonrpc"] == "2.0")

    def test_ten_thousand_messages_do_not_grow_it(self):
        client = self.client()
        client.initialize()
        call = lambda name, **arguments: client.request("tools/call", {"name": name, "arguments": arguments})
        # What a client sends in one go, so that many are in flight; a run is the one of them that starts something.
        kinds = [lambda n: client.request("ping"), lambda n: call("sandbox_info"), lambda n: client.request("tools/list"),
                 lambda n: call("run_in_sandbox", nonsense=n), lambda n: call("read_output", uri="cocoon://output/%d/stdout" % n)]

        def messages(times):
            for n in range(times):
                ids = [kind(n) for kind in kinds for _ in range(10)]
                run = client.run_request(command=["echo", str(n)])
                for id in ids:
                    client.answer(id)
                self.assertEqual(client.answer(run)["result"]["structuredContent"]["stdout"], "%d\n" % n)

        messages(50)
        files, memory = self.open_files(client.process.pid), self.resident_kib(client.process.pid)
        messages(200)
        self.assertLessEqual(self.open_files(client.process.pid), files + 4)
        self.assertLess(self.resident_kib(client.process.pid), memory + 4 * 1024)
        client.close()


if __name__ == "__main__":
    main()
