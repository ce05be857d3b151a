"""Whatever bytes a guest prints or reads, the result is one valid line of JSON and the guest's text is only text in it."""
import json
import os
import time

from cocoon_test import PYTHON, SANITIZED, CocoonTest, PeakMemory, main


class Bytes(CocoonTest):
    def emit(self, expression, stream=1):
        return self.python("import os\nd = %s\nwhile d: d = d[os.write(%d, d):]" % (expression, stream))

    def test_every_single_byte(self):
        outcome = self.emit("bytes(range(256))")
        self.assertEqual(outcome["stdout_bytes"], 256)
        self.assertEqual(outcome["stdout"][:128], "".join(map(chr, range(128))))
        self.assertEqual(set(outcome["stdout"][128:]), {"\ufffd"})

    def test_invalid_utf8_becomes_replacement_characters(self):
        for raw, text in ((b"a\xffb", "a\ufffdb"), (b"\xc3(", "\ufffd("), (b"\xed\xa0\x80x", None), (b"\xf8\x88\x80\x80\x80x", None),
                          (b"\xc0\xafx", None), (b"end\xe2\x82", None), ("\u00e4\u20ac\U0001f600".encode(), "\u00e4\u20ac\U0001f600")):
            for stream, name in ((1, "stdout"), (2, "stderr")):
                with self.subTest(raw=raw, stream=stream):
                    outcome = self.emit(repr(raw), stream)
                    self.assertEqual(outcome[name + "_bytes"], len(raw))
                    if text is None:
                        self.assertIn("\ufffd", outcome[name])
                        self.assertEqual(outcome[name].replace("\ufffd", ""), raw.decode("ascii", "ignore"))
                    else:
                        self.assertEqual(outcome[name], text)

    def test_nul_and_control_characters(self):
        outcome = self.emit(repr(b"a\x00b\x1b[31m\r\n\x07\x7f"))
        self.assertEqual(outcome["stdout"], "a\x00b\x1b[31m\r\n\x07\x7f")

    def test_a_character_split_over_two_writes_stays_whole(self):
        outcome = self.python("import os, time\nfor b in '\u20ac\U0001f600'.encode(): os.write(1, bytes([b])); time.sleep(0.02)")
        self.assertEqual(outcome["stdout"], "\u20ac\U0001f600")

    def test_cuts_fall_on_character_boundaries(self):
        for lead in range(4):
            with self.subTest(lead=lead):
                outcome = self.emit("b'x' * %d + '\U0001f600'.encode() * 600000" % lead)
                self.assertTrue(outcome["stdout_truncated"])
                self.assertNotIn("\ufffd", outcome["stdout"])

    def test_one_line_of_100_mb(self):
        process = self.start("run", "--json", "--", "/bin/sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' y")
        memory = PeakMemory(process.pid)
        out, _ = process.communicate(timeout=60)
        self.helpers.discard(process.pid)
        outcome = json.loads(out)
        self.assertEqual((outcome["status"], outcome["stdout_bytes"]), ("exited", 100_000_000))
        self.assertTrue(outcome["stdout_truncated"])
        self.assertLess(len(out), 4 << 20)
        if not SANITIZED:
            self.assertLess(memory.peak_kib, 64 * 1024)

    def test_output_that_cannot_be_written_is_a_failure(self):
        for args in (["run", "--json", "--", "/bin/echo", "x"], ["run", "--", "/bin/echo", "x"], ["info"],
                     ["plan", "--", "/bin/true"], ["--version"]):
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                run = self.cocoon(*args, stdout=full)
                self.assertEqual(run.code, 125, str(run))
                self.assertEqual(run.err, b"cocoon: standard output: No space left on device\n", str(run))

    def test_json_is_whole_on_a_pipe_that_does_not_block(self):
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        process = self.start("run", "--json", "--", "/bin/sh", "-c", "head -c 900000 /dev/zero | tr '\\0' y", stdout=theirs)
        os.close(theirs)
        time.sleep(0.5)  # the pipe is full by now, or will be: both have to work
        with os.fdopen(ours, "rb") as pipe:
            outcome = json.loads(pipe.read())
        self.assertEqual(process.wait(timeout=30), 0)
        self.helpers.discard(process.pid)
        self.assertEqual(outcome["stdout"], "y" * 900000)

    def test_plain_output_passes_through_byte_for_byte(self):
        raw = bytes(range(256)) * 4000
        run = self.cocoon("run", "--", PYTHON, "-c", "import os\nd = bytes(range(256)) * 4000\nwhile d: d = d[os.write(1, d):]")
        self.assertEqual(run.out, raw)

    def test_a_slow_reader_loses_nothing_and_gets_no_copy_in_memory(self):
        process = self.start("run", "--", "/bin/sh", "-c", "head -c 100000000 /dev/zero")
        memory = PeakMemory(process.pid)
        time.sleep(1.0)
        total = 0
        while True:
            block = process.stdout.read(1 << 20)
            if not block:
                break
            total += len(block)
        process.wait(30)
        self.helpers.discard(process.pid)
        self.assertEqual((total, process.returncode), (100_000_000, 0))
        if not SANITIZED:
            self.assertLess(memory.peak_kib, 64 * 1024)


class Forgery(CocoonTest):
    FAKE = '{"exit_code":0,"status":"exited","stdout":"fake","stderr":"","oom_killed":false}'

    def test_output_that_looks_like_an_outcome(self):
        for stream in ("1", "2"):
            run = self.cocoon("run", "--json", "--", "/bin/sh", "-c", "echo '%s' >&%s; exit 9" % (self.FAKE, stream))
            outcome = self.outcome_of(run)
            self.assertEqual(outcome["exit_code"], 9)
            self.assertEqual(outcome["stdout" if stream == "1" else "stderr"], self.FAKE + "\n")
            self.assertEqual(run.err, b"")

    def test_the_programs_own_descriptors_are_not_reachable(self):
        code = ("import os, glob\n"
                "for p in glob.glob('/proc/*/fd/*'):\n"
                "    try:\n"
                "        if os.readlink(p).startswith(('pipe:', 'socket:')) and p.split('/')[4] not in '012': print('odd', p)\n"
                "    except OSError: pass\n"
                "for fd in range(3, 64):\n"
                "    try: os.write(fd, b'forged'); print('wrote', fd)\n"
                "    except OSError: pass\n")
        self.assertEqual(self.python(code)["stdout"], "")


class Input(CocoonTest):
    def test_standard_input_is_empty_by_default(self):
        outcome = self.python("import sys; print(repr(sys.stdin.read()))")
        self.assertEqual(outcome["stdout"], "''\n")
        run = self.cocoon("run", "--runtime", "python", "-c", "import sys; print(repr(sys.stdin.read()))", stdin=b"not for the guest")
        self.assertEqual(run.out, b"''\n")

    def test_from_a_file_and_from_our_own(self):
        path = self.write("project/input.bin", bytes(range(256)) * 5000)
        code = "import sys, hashlib; d = sys.stdin.buffer.read(); print(len(d), hashlib.sha1(d).hexdigest())"
        from_file = self.python(code, "--stdin", path)
        self.assertTrue(from_file["stdout"].startswith("1280000 "))
        with open(path, "rb") as f:
            from_ours = self.outcome("run", "--stdin", "-", "--runtime", "python", "-c", code, "--json", stdin=f.read())
        self.assertEqual(from_ours["stdout"], from_file["stdout"])

    def test_a_guest_that_does_not_read_is_no_hindrance(self):
        outcome = self.outcome("run", "--stdin", "-", "--json", "--", "/bin/true", stdin=b"x" * 5_000_000, within_s=20)
        self.assertEqual(outcome["exit_code"], 0)

    def test_an_endless_input_that_stays_silent(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        process = self.start("run", "--stdin", "-", "--timeout", "1", "--json", "--", "/bin/cat", stdin=reader)
        os.close(reader)
        out, _ = process.communicate(timeout=20)
        self.helpers.discard(process.pid)
        self.assertEqual(json.loads(out)["status"], "timed_out")


class Live(CocoonTest):
    def test_output_comes_while_the_guest_runs(self):
        process = self.start("run", "--runtime", "python", "-c",
                             "import time; print('first', flush=True); time.sleep(2); print('second')")
        begin = time.monotonic()
        self.assertEqual(process.stdout.readline(), b"first\n")
        first = time.monotonic() - begin
        self.assertEqual(process.stdout.read(), b"second\n")
        second = time.monotonic() - begin
        process.wait(10)
        self.helpers.discard(process.pid)
        self.assertGreater(second - first, 1.0, "the first line was held back until the end")


if __name__ == "__main__":
    main()
