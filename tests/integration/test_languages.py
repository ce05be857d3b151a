"""Every language that Debian or npm can bring, with the same cases: languages/NAME.txt holds the programs, TABLE what
differs. A tour is one script that does what scripts do and prints a line about each; what it must print is EXPECTED."""
import os
import re

from cocoon_test import CocoonTest, main

PATH = "/opt/cocoon-tests/bin:/usr/local/bin:/usr/bin:/bin"
NO_NETWORK = r"(?i:.*(unreachable|ENETUNREACH|ECONNREFUSED|FailedToOpenSocket|ConnectionRefused|cannot (open|be opened)).*)"
NO_NAMES = r"(?i:.*(name resolution|EAI_AGAIN|ENOTFOUND|not known|UnknownHost|no such host|refused|getaddrinfo|none).*)"
EXPECTED = {
    "args": r"a b\|grüße\|--json",
    "stdin": "through stdin",
    "read": "hello from the project",
    "denied": r".*(?i:read-only|EROFS|permission denied|PermissionDenied|ReadOnly).*",
    "temp": "/tmp/.+",
    "child": "from child",
    "threads": "10",
    "processes": r"1[04]",
    "network": NO_NETWORK,
    "names": NO_NAMES,
    "home": "/tmp/home",
    "hour": "5",  # of 1970-01-01 in India
    "processors": "(?i:true)",
    "wasm": "65536",
    "authorities": "Default",
    "extensions": "true",
}

COMMON = {"args", "stdin", "read", "denied", "temp", "child", "home"}

# What an uncaught error prints, what a runtime says that keeps to the memory limit itself, and what the tour also tells
# (where it is not the usual).
TABLE = {
    "python": dict(threw=r"Traceback[\s\S]*ValueError: boom", memory="MemoryError",
                   also="threads processes network names hour processors"),
    "node": dict(threw=r"RangeError: boom[\s\S]*at ", memory="heap out of memory",
                 also="threads network names hour processors wasm"),
    "bun": dict(threw=r"RangeError: boom", memory="(?i)out of memory",
                also="threads network names hour processors wasm"),
    "deno": dict(threw=r"Uncaught[\s\S]*RangeError: boom", memory="JavaScript out of memory",
                 also="threads network names hour processors wasm"),
    "typescript": dict(threw=r"RangeError: boom", memory="(?i)out of memory",
                       also="network names hour processors"),
    "go": dict(threw=r"panic: boom[\s\S]*goroutine 1", memory="out of memory"),
    "java": dict(threw=r"IllegalStateException: boom[\s\S]*at Main.main", memory="java.lang.OutOfMemoryError: Java heap space",
                 also="threads network names hour processors authorities"),
    "rust": dict(threw=r"panicked at .*boom", memory="memory allocation of",
                 also="threads network names processors"),
    "cargo": dict(programs="rust", threw=r"panicked at .*boom", memory="memory allocation of",
                  also="threads network names processors"),
    "c": dict(threw="boom", memory="out of memory"),
    "cpp": dict(threw=r"terminate called[\s\S]*what\(\):  boom", memory="bad_alloc",
                also="threads"),
    "ruby": dict(threw=r"boom \(ArgumentError\)", memory="failed to allocate memory"),
    "php": dict(threw=r"Uncaught RuntimeException: boom", memory="(?i)out of memory",
                also="network names hour extensions"),
    "lua": dict(threw=r"boom\nstack traceback", memory="not enough memory",
                also="hour"),
    "perl": dict(threw="boom at ", memory="Out of memory",
                 also="processes network names hour"),
    "r": dict(threw="Error: boom", memory="cannot allocate",
              also="processes network hour processors"),
    "bash": dict(programs="sh", threw="boom", memory="MemoryError",
                 also="processes hour"),
    "sh": dict(threw="boom", memory="MemoryError",
               also="processes hour"),
}


def programs(name):
    """Name of a program -> its text; one name has the name of its file behind it."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "languages", name + ".txt"), encoding="utf-8") as f:
        parts = re.split(r"^== (.*)\n", f.read(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Language(CocoonTest):
    runtime = None
    row = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = programs(cls.row.get("programs", cls.runtime))

    def setUp(self):
        super().setUp()
        self.env["PATH"] = PATH

    def snippet(self, name, *options, **kw):
        outcome = self.outcome("run", "--mem", "256", *options, "--runtime", self.runtime, "-c", self.programs[name], "--json",
                               **kw)
        self.last = outcome
        return outcome

    def test_hello(self):
        outcome = self.assert_ok(self.snippet("hello"))
        self.assertEqual((outcome["stdout"], outcome["stderr"]), ("grüße 世界\n", ""))

    def test_exit_code(self):
        outcome = self.snippet("exit")
        self.assertEqual((outcome["status"], outcome["exit_code"]), ("exited", 7), outcome)

    def test_uncaught(self):
        outcome = self.snippet("throw")
        self.assertNotEqual(outcome["exit_code"], 0, outcome)
        self.assertEqual(outcome["stdout"], "")
        self.assertRegex(outcome["stderr"], self.row["threw"])

    def test_what_is_no_program(self):
        outcome = self.outcome("run", "--mem", "256", "--runtime", self.runtime, "-c", "))", "--json")
        self.assertEqual((outcome["status"], outcome["stdout"]), ("exited", ""), outcome)
        self.assertNotEqual(outcome["exit_code"], 0, outcome)
        self.assertNotEqual(outcome["stderr"], "", outcome)

    def test_longer_than_an_argument_may_be(self):
        code = self.programs["hello"] + "\n" * 140000
        outcome = self.assert_ok(self.outcome("run", "--mem", "256", "--runtime", self.runtime, "-c", code[:130000], "--json"))
        self.assertEqual(outcome["stdout"], "grüße 世界\n", outcome)

    def test_tour(self):
        heading = next(name for name in self.programs if name.startswith("tour "))
        # Not where the program may write: its neighbours would show what a compiler leaves beside it.
        script = self.write("project/sub/" + heading.split()[1], self.programs[heading])
        outcome = self.assert_ok(self.outcome(
            "run", "--mem", "256", "--ro", self.project, "--work", self.work, "--env", "TZ=Asia/Kolkata", "--env",
            "DATA=%s/data.txt" % self.project, "--env", "DENIED=%s/new.txt" % self.project, "--stdin", "-", "--json",
            "--runtime", self.runtime, script, "a b", "grüße", "--json", stdin=b"through stdin\n"))
        lines = dict(line.split(": ", 1) for line in outcome["stdout"].splitlines())
        for name, value in lines.items():
            self.assertRegex(value, "^(?:%s)$" % EXPECTED[name], "%s\n%s" % (name, outcome["stderr"]))
        # A line that is not there is a step that went wrong.
        self.assertEqual(set(lines), COMMON | set(self.row.get("also", "threads network names hour processors").split()),
                         outcome["stderr"])
        self.assertEqual(self.read("work/out.txt"), "grüße\n")
        self.assertEqual(os.listdir(self.work), ["out.txt"], "something was left beside the program's own file")
        self.assertEqual(outcome["stderr"], "")

    def test_out_of_memory(self):
        """Said by the Outcome, or else by the runtime that keeps to the limit itself, in its own words."""
        outcome = self.snippet("memory", "--timeout", "60")
        if not outcome["oom_killed"]:
            self.assertNotEqual(outcome["exit_code"], 0, outcome)
            self.assertRegex(outcome["stderr"], self.row["memory"], outcome)
            self.assertIn(outcome["status"], ("exited", "signaled"))

    def test_time_limit(self):
        outcome = self.snippet("loop", "--timeout", "1500ms")
        self.assertEqual((outcome["status"], outcome["timed_out"], outcome["exit_code"]), ("timed_out", True, 124))


def fill(namespace):
    for runtime, row in TABLE.items():
        name = runtime.capitalize()
        namespace[name] = type(name, (Language,), {"runtime": runtime, "row": row, "__module__": __name__})


fill(globals())
del Language

if __name__ == "__main__":
    main()
