"""What breaks language runtimes in other sandboxes: each of these worked nowhere at once, and has to work here."""
import os
import re
import shutil

from cocoon_test import CocoonTest, cannot, main

PATH = "/opt/cocoon-tests/bin:/usr/local/bin:/usr/bin:/bin"


class Faults(CocoonTest):
    def setUp(self):
        super().setUp()
        self.env["PATH"] = PATH

    def prints(self, text, runtime, code, *options, **kw):
        outcome = self.assert_ok(self.outcome("run", "--mem", "256", *options, "--runtime", runtime, "-c", code, "--json", **kw))
        self.assertEqual((outcome["stdout"], outcome["stderr"]), (text + "\n", ""), outcome)

    def tree(self):
        return sorted((folder, sorted(folders), sorted(names)) for folder, folders, names in os.walk(self.work))

    def test_no_limit_on_addresses(self):
        """V8, JavaScriptCore, Go and the JVM reserve gigabytes, and die or lose their compiler under such a limit."""
        ask = "ulimit -v; ulimit -d"
        for runtime, code in (
                ("node", "process.stdout.write(child_process.execSync('%s'))" % ask),
                ("bun", "process.stdout.write(Bun.spawnSync(['/bin/sh', '-c', '%s']).stdout)" % ask),
                ("deno", "Deno.stdout.writeSync((new Deno.Command('/bin/sh', {args: ['-c', '%s']})).outputSync().stdout)" % ask),
                ("go", 'package main\nimport ("fmt"; "os/exec")\nfunc main() { out, _ := exec.Command("/bin/sh", "-c", "%s").Output()'
                       "; fmt.Print(string(out)) }" % ask),
                ("java", "public class Main { public static void main(String[] a) throws Exception { System.out.write("
                         'new ProcessBuilder("/bin/sh", "-c", "%s").start().getInputStream().readAllBytes()); '
                         "System.out.flush(); } }" % ask)):
            self.prints("unlimited\nunlimited", runtime, code)

    def test_bun_keeps_its_compiler(self):
        self.prints("compiled", "bun", """import { numberOfDFGCompiles } from "bun:jsc";
function hot(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
for (let i = 0; i < 20000 && !numberOfDFGCompiles(hot); i++) hot(100);
console.log(numberOfDFGCompiles(hot) > 0 ? "compiled" : "interpreted");""")

    def test_heaps_know_the_limit(self):
        self.prints("true", "node", "console.log(v8.getHeapStatistics().heap_size_limit < 256 * 2**20)")
        self.prints("true", "node", "console.log(child_process.execFileSync(process.execPath, ['-p', "
                    "'v8.getHeapStatistics().heap_size_limit < 256 * 2**20'], {encoding: 'utf8'}).trim())")
        self.prints("true", "java", "public class Main { public static void main(String[] a) { "
                    "System.out.println(Runtime.getRuntime().maxMemory() < 256L << 20); } }")
        self.prints("192 true", "go", 'package main\nimport ("fmt"; "runtime/debug")\nfunc main() { limit := '
                    "debug.SetMemoryLimit(-1)>>20; fmt.Println(limit, limit < 256) }")
        # Garbage is collected in time: far more than the limit is allocated, and little of it kept.
        for runtime, code in (("node", "let x; for (let i = 0; i < 300; i++) x = new Array(1e6).fill(i); console.log(x.length)"),
                              ("bun", "let x; for (let i = 0; i < 300; i++) x = new Array(1e6).fill(i); console.log(x.length)"),
                              ("deno", "let x; for (let i = 0; i < 300; i++) x = new Array(1e6).fill(i); console.log(x!.length)")):
            self.prints("1000000", runtime, code)

    def test_many_threads_within_the_memory_limit(self):
        """Numeric libraries start one for each processor; the kernel counts 8 MiB for each."""
        self.prints("100", "python", "import threading; e = threading.Event(); t = [threading.Thread(target=e.wait) for _ in "
                    "range(100)]; [x.start() for x in t]; print(threading.active_count() - 1); e.set()")

    def test_semaphores_and_fork_server(self):
        script = self.write("project/pool.py", "import multiprocessing\n\ndef double(n): return 2 * n\n\n"
                            "if __name__ == '__main__':\n"
                            "    for way in 'fork', 'spawn', 'forkserver':\n"
                            "        with multiprocessing.get_context(way).Pool(2) as pool: print(way, pool.map(double, [1, 2]))\n")
        outcome = self.assert_ok(self.outcome("run", "--json", "--runtime", "python", script))
        self.assertEqual(outcome["stdout"], "fork [2, 4]\nspawn [2, 4]\nforkserver [2, 4]\n", outcome)

    def test_proc_of_itself(self):
        self.prints("True True True", "python", "import os, sys; print(os.readlink('/proc/self/exe') == "
                    "os.path.realpath(sys.executable), 'python' in open('/proc/self/maps').read(), '0' in os.listdir('/proc/self/fd'))")
        self.prints("true", "bun", "console.log(require('fs').realpathSync(process.execPath) === "
                    "require('fs').readlinkSync('/proc/self/exe'))")

    def test_io_uring_is_missing_instead_of_deadly(self):
        self.prints("-1 38", "python", "import ctypes; libc = ctypes.CDLL(None, use_errno=True); "
                    "print(libc.syscall(425, 8, None), ctypes.get_errno())")
        self.prints("hello from the project", "node", "fs.promises.readFile('data.txt', 'utf8').then(t => console.log(t.trim()))",
                    "--env", "UV_USE_IO_URING=1")

    def test_certificates(self):
        """The store is full of symbolic links; all have to lead somewhere."""
        self.prints("True True", "python", "import os, ssl; d = '/etc/ssl/certs'; c = ssl.create_default_context(cafile=d + "
                    "'/ca-certificates.crt'); print(c.cert_store_stats()['x509_ca'] > 20, "
                    "all(os.path.exists(os.path.join(d, f)) for f in os.listdir(d)))")
        self.prints("true", "ruby", "require 'openssl'; puts File.exist?(OpenSSL::X509::DEFAULT_CERT_DIR + '/ca-certificates.crt')")
        self.prints("true", "go", 'package main\nimport ("crypto/x509"; "fmt")\nfunc main() { pool, err := x509.SystemCertPool()'
                    "; fmt.Println(err == nil && len(pool.Subjects()) > 20) }")

    def test_build_tools_started_by_a_command_need_no_variables(self):
        outcome = self.assert_ok(self.shell(
            'cd "$TMPDIR" && printf "package main\\nfunc main() { println(1) }" >main.go && go build main.go && ./main 2>&1 && '
            'mkdir -p crate/src && cd crate && printf "fn main() { println!(\\"2\\") }" >src/main.rs && '
            'printf "[package]\\nname = \\"x\\"\\nversion = \\"0.1.0\\"\\n" >Cargo.toml && cargo run -q', "--mem", "512"))
        self.assertEqual(outcome["stdout"], "1\n2\n", outcome)

    def test_npx_runs_what_is_installed(self):
        if not shutil.which("npx", path=PATH):
            cannot("npx is not installed: scripts/setup --tests")
        self.write("project/package.json", '{"name": "project", "version": "1.0.0"}')
        self.write("project/node_modules/.bin/tool", "#!/usr/bin/env node\nconsole.log('tool ' + process.argv[2])\n", 0o755)
        self.prints("tool ran", "bash", "npx --no-install tool ran")

    def test_go_finds_its_cache_again_in_temp(self):
        """The second run compiles nothing anew."""
        scratch = self.folder("scratch")
        compiled = []
        for _ in range(2):
            outcome = self.assert_ok(self.outcome(
                "run", "--json", "--temp", scratch, "--env", "GOFLAGS=-x", "--runtime", "go", "-c",
                'package main\nimport "fmt"\nfunc main() { fmt.Println("ok") }'))
            self.assertEqual(outcome["stdout"], "ok\n")
            compiled.append(len(re.findall(r"/compile -o", outcome["stderr"])))
        self.assertGreater(compiled[0], 0)
        self.assertEqual(compiled[1], 0)

    def test_nothing_is_left_in_a_project_that_may_be_written(self):
        """No bytecode, lock, cache or build folder; only what the program itself writes."""
        files = {
            "mod.py": "answer = 42\n", "main.py": "import mod; print(mod.answer)\n",
            "mod.js": "module.exports = 42;\n", "main.js": "console.log(require('./mod.js'));\n",
            "package.json": '{"name": "project", "version": "1.0.0"}\n', "tsconfig.json": "{}\n", "deno.json": "{}\n",
            "mod.ts": "export const answer: number = 42;\n", "main.ts": "import { answer } from './mod.ts'; console.log(answer);\n",
            "go.mod": "module project\n\ngo 1.19\n", "answer/answer.go": "package answer\n\nconst Answer = 42\n",
            "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"project/answer"\n)\n\nfunc main() { fmt.Println(answer.Answer) }\n',
            "Main.java": "public class Main { public static void main(String[] a) { System.out.println(42); } }\n",
            "main.rs": 'fn main() { println!("42"); }\n', "answer.h": "#define ANSWER 42\n",
            "main.c": '#include <stdio.h>\n#include "answer.h"\nint main(void) { printf("%d\\n", ANSWER); }\n',
            "main.cpp": '#include <iostream>\n#include "answer.h"\nint main() { std::cout << ANSWER << "\\n"; }\n',
            "mod.rb": "ANSWER = 42\n", "main.rb": "require_relative 'mod'; puts ANSWER\n",
            "mod.php": "<?php return 42;\n", "main.php": "<?php echo require 'mod.php', PHP_EOL;\n",
            "mod.lua": "return 42\n", "main.lua": "print((require('mod')))\n",
            "Mod.pm": "package Mod; our $answer = 42; 1;\n", "main.pl": "use lib '.'; use Mod; print \"$Mod::answer\\n\";\n",
            "mod.R": "answer <- 42\n", "main.R": "source('mod.R'); cat(answer, fill = TRUE)\n",
        }
        for name, text in files.items():
            self.write("work/" + name, text)
        before = self.tree()
        for runtime, script in (("python", "main.py"), ("node", "main.js"), ("bun", "main.ts"), ("deno", "main.ts"),
                                ("typescript", "main.ts"), ("go", "main.go"), ("java", "Main.java"), ("rust", "main.rs"),
                                ("cargo", "main.rs"), ("c", "main.c"), ("cpp", "main.cpp"), ("ruby", "main.rb"),
                                ("php", "main.php"), ("lua", "main.lua"), ("perl", "main.pl"), ("r", "main.R")):
            with self.subTest(runtime=runtime):
                outcome = self.assert_ok(self.outcome("run", "--json", "--work", self.work, "--runtime", runtime,
                                                      self.work + "/" + script))
                self.assertEqual(outcome["stdout"], "42\n", outcome)
                after = self.tree()
                self.assertEqual(after, before)


if __name__ == "__main__":
    main()
