"""Interpreters as version managers lay them out, in a home of the test's own, and what users have installed for them."""
import json
import os
import shutil
import subprocess
import zipfile

from cocoon_test import PYTHON, CocoonTest, cannot, main

TOOLS = "/opt/cocoon-tests/bin"
SYSTEM = "/usr/local/bin:/usr/bin:/bin"


class InHome(CocoonTest):
    """The home is no place that the guest sees; what lies there is shown where an interpreter needs it."""

    writable = CocoonTest.writable + ("home",)  # changed by the test between two runs, never by the guest

    def setUp(self):
        super().setUp()
        self.env["PATH"] = TOOLS + ":" + SYSTEM

    def link(self, name, text):
        path = os.path.join(self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(text, path)
        return path

    def first(self, folder):
        self.env["PATH"] = os.path.join(self.base, folder) + ":" + SYSTEM

    def program(self, name):
        found = shutil.which(name, path=TOOLS + ":" + SYSTEM)
        return os.path.realpath(found) if found else cannot("%s is not installed: scripts/setup --tests" % name)

    def prints(self, text, runtime, code, *options, **kw):
        outcome = self.assert_ok(self.outcome("run", *options, "--runtime", runtime, "-c", code, "--json", **kw))
        self.assertEqual(outcome["stdout"], text + "\n", outcome)

    def on_host(self, *argv, **env):
        done = subprocess.run(argv, capture_output=True, text=True, cwd=self.base, env={**self.env, **env}, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Managers(InHome):
    def test_nvm(self):
        node = self.folder("home/.nvm/versions/node/v20.0.0/bin") + "/node"
        shutil.copy(self.program("node"), node)
        self.write("home/.nvm/versions/node/v20.0.0/lib/node_modules/tool/index.js", "module.exports = 'of this version'")
        self.write("home/.nvm/versions/secret", "not part of it")
        self.first("home/.nvm/versions/node/v20.0.0/bin")
        self.prints("of this version", "node",
                    "console.log(require(require('path').dirname(process.execPath) + '/../lib/node_modules/tool'))")
        self.prints("[ 'node' ]", "node", "console.log(fs.readdirSync('%s/home/.nvm/versions'))" % self.base)

    def test_a_shim_for_node(self):
        """As of asdf, nodenv and volta: what PATH has is a script that looks for the project's version."""
        self.link("home/.nodenv/versions/20/bin/node", self.program("node"))
        self.write("home/.nodenv/shims/node",
                   '#!/bin/sh\nexec "%s/.nodenv/versions/$(cat .node-version)/bin/node" "$@"\n' % self.home, 0o755)
        self.write("project/.node-version", "20\n")
        self.first("home/.nodenv/shims")
        self.prints("true", "node", "console.log(process.version.startsWith('v'))")

    def test_bun_and_deno_in_the_home(self):
        for name, code in (("bun", "console.log(Bun.main.length > 0)"), ("deno", "console.log(Deno.build.os === 'linux')")):
            shutil.copy(self.program(name), self.folder("home/.%s/bin" % name))
            self.first("home/.%s/bin" % name)
            self.prints("true", name, code)

    def make_rustup(self, begin=""):
        """Its rustc and cargo are links to one program, which starts those of a toolchain elsewhere."""
        for name in ("rustc", "cargo"):
            self.link("home/.rustup/toolchains/stable/bin/" + name, self.program(name))
            self.link("home/.cargo/bin/" + name, "rustup")
        self.write("home/.cargo/credentials.toml", "secret")
        self.write("home/.cargo/bin/rustup", "#!/bin/sh\n" + begin + """
bin=%s/.rustup/toolchains/${RUSTUP_TOOLCHAIN:-stable}/bin
[ -d "$bin" ] || { echo "error: toolchain '$RUSTUP_TOOLCHAIN' is not installed" >&2; exit 1; }
case ${0##*/} in rustup) echo "$bin/$2";; *) exec "$bin/${0##*/}" "$@";; esac
""" % self.home, 0o755)
        self.first("home/.cargo/bin")

    def test_rustup(self):
        self.make_rustup()
        self.prints("compiled", "rust", 'fn main() { println!("compiled"); }')
        self.prints("built", "cargo", 'fn main() { println!("built"); }')
        self.prints("false", "rust", 'fn main() { println!("{}", std::path::Path::new("%s/.cargo/credentials.toml").exists()); }'
                    % self.home)
        error = self.refused("run", "--runtime", "rust", "-c", "", "--json", env={"RUSTUP_TOOLCHAIN": "none"})
        self.assertIn("toolchain 'none' is not installed", error["message"])

    def test_a_project_does_not_choose_what_rustup_starts_on_the_host(self):
        self.make_rustup("[ ! -e rust-toolchain.toml ] || touch %s/free/tricked" % self.base)
        self.write("project/rust-toolchain.toml", '[toolchain]\npath = "evil"\n')
        self.folder("free")
        self.prints("ran", "rust", 'fn main() { println!("ran"); }')
        self.prints("ran", "cargo", 'fn main() { println!("ran"); }')
        self.assertEqual(os.listdir(self.base + "/free"), [])

    def test_a_project_does_not_choose_what_bun_runs_on_the_host(self):
        self.write("home/shims/bun", '#!/bin/sh\nexec %s "$@"\n' % self.program("bun"), 0o755)
        self.write("project/bunfig.toml", 'preload = ["./first.ts"]\n')
        self.write("project/first.ts", "try { require('fs').writeFileSync('%s/free/tricked', '') } catch {}\n" % self.base)
        self.folder("free")
        self.first("home/shims")
        self.prints("ran", "bun", "console.log('ran')")
        self.assertEqual(os.listdir(self.base + "/free"), [])

    def test_sdkman(self):
        home = os.path.dirname(os.path.dirname(self.program("java")))
        self.link("home/.sdkman/candidates/java/17", home)
        self.link("home/.sdkman/candidates/java/current", "17")
        self.first("home/.sdkman/candidates/java/current/bin")
        self.prints("true", "java", "public class Main { public static void main(String[] a) { "
                    "System.out.println(System.getProperty(\"java.version\").length() > 0); } }")

    def test_a_shim_for_java(self):
        self.write("home/.jenv/shims/java", '#!/bin/sh\nexec %s "$@"\n' % self.program("java"), 0o755)
        self.first("home/.jenv/shims")
        self.prints("true", "java", "public class Main { public static void main(String[] a) { System.out.println(true); } }")

    def test_shims_for_ruby_php_and_perl(self):
        for name, code in (("ruby", "puts 1"), ("php", "echo 1, PHP_EOL;"), ("perl", "print 1, qq(\\n)")):
            self.write("home/shims/" + name, '#!/bin/sh\nexec %s "$@"\n' % self.program(name), 0o755)
            self.first("home/shims")
            self.prints("1", name, code)

    def test_go_in_the_home(self):
        self.link("home/sdk/go1.19/bin/go", self.program("go"))
        self.first("home/sdk/go1.19/bin")
        self.prints("ok", "go", 'package main\nimport "fmt"\nfunc main() { fmt.Println("ok") }')


class Packages(InHome):
    def test_python_user_site(self):
        version = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], check=True,
                                 capture_output=True, text=True).stdout.strip()
        self.write("home/.local/lib/python%s/site-packages/only_here.py" % version, "answer = 42\n")
        self.write("home/.local/share/secret", "secret")
        self.prints("42 []", "python", "import only_here, os; print(only_here.answer, "
                    "[f for f in os.listdir('%s/.local') if f != 'lib'])" % self.home)
        self.assertEqual(os.listdir(self.home + "/.local/lib/python%s/site-packages" % version), ["only_here.py"])

    def test_node_modules_beside_the_project(self):
        self.write("project/node_modules/only-here/package.json", '{"name": "only-here", "main": "index.js"}')
        self.write("project/node_modules/only-here/index.js", "module.exports = 42")
        self.write("project/package.json", '{"name": "project", "dependencies": {"only-here": "1"}}')
        script = self.write("project/sub/main.mjs", "import answer from 'only-here'; console.log(answer)\n")
        self.prints("42", "node", "console.log(require('only-here'))")
        self.prints("42", "bun", "console.log(require('only-here'))")
        self.prints("42", "typescript", "import answer from 'only-here'; console.log(answer as number)")
        self.prints("42", "deno", "import answer from 'only-here'; console.log(answer)")
        for runtime in ("node", "bun", "deno"):
            outcome = self.assert_ok(self.outcome("run", "--json", "--ro", self.project, "--runtime", runtime, script))
            self.assertEqual(outcome["stdout"], "42\n", outcome)

    def test_gems_of_the_user(self):
        self.write("home/only_here.gemspec", """Gem::Specification.new { |s| s.name = "only_here"; s.version = "1"; s.summary = "x"
s.authors = ["x"]; s.files = ["lib/only_here.rb"] }""")
        self.write("home/lib/only_here.rb", "ANSWER = 42")
        os.chdir(self.base)
        self.on_host("/bin/sh", "-c", "cd home && gem build -q only_here.gemspec && "
                     "gem install -q --local --user-install --no-document only_here-1.gem")
        self.prints("42", "ruby", "require 'only_here'; puts ANSWER")

    def test_modules_that_go_has_downloaded(self):
        proxy = self.folder("home/proxy/example.org/answer/@v")
        go_mod = "module example.org/answer\n"
        with zipfile.ZipFile(proxy + "/v1.0.0.zip", "w") as archive:
            archive.writestr("example.org/answer@v1.0.0/go.mod", go_mod)
            archive.writestr("example.org/answer@v1.0.0/answer.go", "package answer\n\nconst Answer = 42\n")
        self.write("home/proxy/example.org/answer/@v/v1.0.0.mod", go_mod)
        self.write("home/proxy/example.org/answer/@v/v1.0.0.info", json.dumps({"Version": "v1.0.0"}))
        self.write("home/proxy/example.org/answer/@v/list", "v1.0.0\n")
        self.write("project/go.mod", "module project\n\ngo 1.19\n\nrequire example.org/answer v1.0.0\n")
        script = self.write("project/main.go", 'package main\n\nimport (\n\t"example.org/answer"\n\t"fmt"\n)\n\n'
                            "func main() { fmt.Println(answer.Answer) }\n")
        self.on_host("/bin/sh", "-c", "cd project && go mod download all && go mod tidy", GOPROXY="file://%s/home/proxy" % self.base,
                     GONOSUMDB="*", GOFLAGS="-modcacherw", GOCACHE=self.folder("scratch"))
        outcome = self.assert_ok(self.outcome("run", "--json", "--ro", self.project, "--runtime", "go", script))
        self.assertEqual(outcome["stdout"], "42\n", outcome)

    def test_packages_of_r(self):
        self.program("Rscript")
        version = subprocess.run(["Rscript", "-e", "cat(Sys.getenv('R_LIBS_USER'))"], check=True, capture_output=True, text=True,
                                 env=self.env).stdout
        library = os.path.expanduser(version.replace("~", self.home))
        os.makedirs(library)
        self.write("home/onlyhere/DESCRIPTION", "Package: onlyhere\nVersion: 1.0.0\nTitle: X\nDescription: X.\nLicense: MIT\n"
                   "Author: X\nMaintainer: X <x@example.org>\n")
        self.write("home/onlyhere/NAMESPACE", "export(answer)\n")
        self.write("home/onlyhere/R/answer.R", "answer <- function() 42\n")
        self.on_host("R", "CMD", "INSTALL", "--no-docs", "--no-test-load", "-l", library, self.home + "/onlyhere")
        self.prints("42", "r", "cat(onlyhere::answer(), fill = TRUE)")

    def test_a_cargo_package(self):
        self.write("project/crate/Cargo.toml", '[package]\nname = "crate-of-test"\nversion = "0.1.0"\nedition = "2021"\n')
        self.write("project/crate/src/main.rs", 'mod answer;\nfn main() { println!("{} {:?}", answer::ANSWER, '
                   "std::env::args().skip(1).collect::<Vec<_>>()); std::process::exit(3) }\n")
        self.write("project/crate/src/answer.rs", "pub const ANSWER: u8 = 42;\n")
        self.on_host("cargo", "generate-lockfile", "--offline", "--manifest-path", self.project + "/crate/Cargo.toml")
        for what in ("crate", "crate/Cargo.toml"):
            outcome = self.outcome("run", "--json", "--ro", self.project, "--runtime", "cargo", self.project + "/" + what, "-x")
            self.assertEqual((outcome["exit_code"], outcome["stdout"]), (3, '42 ["-x"]\n'), outcome)


class Snippets(InHome):
    def test_code_that_begins_with_a_dash_is_no_option(self):
        for runtime, code in (("lua", "-- a comment\nprint(1)"), ("node", "-1; console.log(1)"), ("deno", "-1; console.log(1)"),
                              ("bun", "-1; console.log(1)"), ("perl", "-1; print qq(1\\n)"), ("ruby", "-1; puts 1"),
                              ("python", "-1; print(1)"), ("typescript", "-1; console.log(1)")):
            self.prints("1", runtime, code)

    def test_php_may_begin_with_a_page_or_with_code(self):
        for code in ("echo 1, PHP_EOL;", "<?php echo 1, PHP_EOL;", "<?= 1, PHP_EOL;", "1<?php echo PHP_EOL;"):
            self.prints("1", "php", code)


class Guests(InHome):
    """What earlier guests may have left where they could write is not started, and chooses nothing, outside of the sandbox."""

    def setUp(self):
        super().setUp()
        self.free = self.folder("free")
        self.trap = "%s/free/tricked" % self.base

    def assert_untouched(self):
        self.assertEqual(os.listdir(self.free), [])

    def test_no_gem_is_loaded_to_find_ruby(self):
        for name in ("json", "did_you_mean", "error_highlight"):
            for place in ("home/gems", "home/lib"):
                self.write("%s/gems/%s-99.0/lib/%s.rb" % (place, name, name), "File.write('%s', '')" % self.trap)
                self.write("%s/specifications/%s-99.0.gemspec" % (place, name),
                           "File.write('%s', ''); Gem::Specification.new { |s| s.name = '%s'; s.version = '99.0'; s.summary = 'x'; "
                           "s.authors = ['x']; s.files = ['lib/%s.rb'] }" % (self.trap, name, name))
            self.write("home/lib/%s.rb" % name, "File.write('%s', '')" % self.trap)
        self.write("home/gems/credentials", "secret")
        self.env.update(GEM_HOME=self.home + "/gems", RUBYLIB=self.home + "/lib", RUBYOPT="-rjson")
        self.prints("false", "ruby", "puts File.exist?('%s/gems/credentials')" % self.home)
        self.assert_untouched()

    def test_no_profile_and_no_package_of_the_user_is_run_to_find_r(self):
        self.program("Rscript")
        self.write("home/.Renviron", "R_PROFILE=%s/evil.R\nR_PROFILE_USER=%s/evil.R\n" % (self.home, self.home))
        self.write("home/evil.R", "file.create('%s')\n" % self.trap)
        self.write("home/.Rprofile", "file.create('%s')\n" % self.trap)
        self.env["R_PROFILE"] = self.home + "/evil.R"
        self.prints("1", "r", "cat(1, fill = TRUE)")
        self.assert_untouched()

    def test_scripts_of_ours_use_the_systems_tools(self):
        for tool in ("readlink", "head", "sed"):
            self.write("project/node_modules/.bin/" + tool, "#!/bin/sh\ntouch %s\nexec /usr/bin/%s \"$@\"\n" % (self.trap, tool), 0o755)
        self.env["PATH"] = self.project + "/node_modules/.bin:" + self.env["PATH"]
        self.prints("1", "typescript", "console.log(1)")
        self.prints("1", "cargo", 'fn main() { println!("1"); }')
        self.assert_untouched()

    def test_an_environment_in_the_project_is_used_and_not_started(self):
        venv = self.project + "/.venv"
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True)
        packages = [f for f, _, _ in os.walk(venv) if f.endswith("site-packages")][0]
        self.write(os.path.relpath(packages, self.base) + "/only_here.py", "answer = 42\n")
        self.env["PATH"] = venv + "/bin:" + SYSTEM
        self.prints("42", "python", "import only_here; print(only_here.answer)")
        shutil.copytree(venv, self.work + "/.venv", symlinks=True)
        self.env["PATH"] = self.work + "/.venv/bin:" + SYSTEM
        self.prints("42", "python", "import only_here; print(only_here.answer)", "--work", self.work)

    def test_an_interpreter_that_was_replaced_in_the_project_is_refused(self):
        self.write("project/.venv/bin/python3", "#!/bin/sh\ntouch %s\nexec %s \"$@\"\n" % (self.trap, PYTHON), 0o755)
        self.env["PATH"] = self.project + "/.venv/bin:" + SYSTEM
        error = self.refused("run", "--runtime", "python", "-c", "1", "--json", cwd=self.project)
        self.assertEqual((error["code"], error["where"]), ("untrusted_interpreter", self.project + "/.venv/bin/python3"))
        runtimes = {r["name"]: r for r in json.loads(self.cocoon("info", "--json", cwd=self.project).out)["runtimes"]}
        self.assertEqual(runtimes["python"]["error"]["code"], "untrusted_interpreter")
        self.assert_untouched()

    def test_credentials_beside_an_installation_in_the_home_stay_hidden(self):
        shutil.copy(self.program("deno"), self.folder("home/.cargo/bin"))
        self.write("home/.cargo/credentials.toml", "secret")
        self.first("home/.cargo/bin")
        self.prints("[ \"bin\" ]", "deno", "console.log([...Deno.readDirSync('%s/.cargo')].map((f) => f.name))" % self.home)


class Hints(CocoonTest):
    def test_every_runtime_is_found_or_says_how_to_get_it(self):
        self.env["PATH"] = TOOLS + ":" + SYSTEM
        found = json.loads(self.cocoon("info", "--json").out)["runtimes"]
        self.assertGreaterEqual(len(found), 19)
        for runtime in found:
            if runtime["available"]:
                self.assertTrue(os.access(runtime["executable"], os.X_OK), runtime)
                if runtime["name"] != "sh":  # a shell may not know its own version
                    self.assertRegex(runtime.get("version", ""), r"^\d+\.\d", runtime)
            else:
                self.assertEqual(runtime["error"]["code"], "runtime_missing", runtime)
                self.assertTrue(runtime["error"]["hint"], runtime)

    def test_without_any_interpreter_each_says_so_before_anything_runs(self):
        self.env["PATH"] = self.folder("empty")
        for runtime in json.loads(self.cocoon("info", "--json").out)["runtimes"]:
            for name in [runtime["name"], *runtime.get("aliases", [])]:
                error = self.refused("run", "--work", self.base + "/work/new", "--runtime", name, "-c", "x", "--json")
                self.assertEqual((error["code"], error["where"]), ("runtime_missing", "runtime " + runtime["name"]))
                self.assertTrue(error["hint"], name)
        self.assertEqual(os.listdir(self.work), [])

    def test_powershell(self):
        if shutil.which("pwsh"):
            self.assertEqual(self.cocoon("run", "--runtime", "powershell", "-c", "Write-Output 1").out, b"1\n")
            return
        for name in ("pwsh", "powershell", "PowerShell"):
            error = self.refused("run", "--runtime", name, "-c", "Write-Output 1", "--json")
            self.assertEqual(error["message"], "PowerShell is not installed: PATH has no pwsh")
            self.assertIn("aka.ms/powershell", error["hint"])
        self.assertIn("aka.ms/powershell", self.cocoon("info").out.decode())

    def test_typescript_needs_a_runtime_that_knows_it(self):
        node = shutil.which("node", path=SYSTEM) or cannot("node is not installed: scripts/setup --tests")
        os.symlink(node, self.folder("bin") + "/node")
        self.env["PATH"] = self.base + "/bin"
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        run = ("run", "--runtime", "typescript", "-c", "const n: number = 1; console.log(n)", "--json")
        if [int(part) for part in version[1:].split(".")[:2]] >= [22, 6]:
            self.assertEqual(self.assert_ok(self.outcome(*run))["stdout"], "1\n")
        else:
            self.assertIn("Node.js %s does not know TypeScript" % version, self.refused(*run)["message"])

    def test_names_in_any_case(self):
        for name in ("Python", "PYTHON3", "C++", "R"):
            error = self.refused("run", "--runtime", name, "-c", "x", "--json", env={"PATH": self.folder("empty")})
            self.assertEqual(error["code"], "runtime_missing", name)

    def test_too_little_memory_to_start_is_said_before(self):
        self.env["PATH"] = SYSTEM
        error = self.refused("run", "--mem", "32", "--runtime", "java", "-c", "x", "--json")
        self.assertIn("needs to start", error["message"])
        self.assertIn("MiB", error["hint"])


if __name__ == "__main__":
    main()
