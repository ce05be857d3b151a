"""docs/files.md, line by line: each row of its tables is a test here, and each test a row there."""
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile

from cocoon_test import ROOT, SOURCE, CocoonTest, cannot, main


def rows():
    """First cell -> second cell of every table of the page."""
    with open(os.path.join(SOURCE, "docs", "files.md"), encoding="utf-8") as f:
        lines = [line for line in f if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return {first: second for first, second in cells if first != "case"}


TESTS = {}


def row(case):
    def remember(function):
        TESTS[case] = function.__name__
        return function
    return remember


class FilesTest(CocoonTest):
    writable = (*CocoonTest.writable, "repo")

    def setUp(self):
        super().setUp()
        self.env["HOME"] = self.folder("home")
        self.write("extra/other.txt", "other\n")

    def sh(self, code, *options, **kw):
        outcome = self.shell(code, *options, **kw)
        return (outcome["exit_code"], outcome["stdout"])

    def refuses(self, *options, says="", **kw):
        error = self.refused("run", *options, "--json", "--", "/bin/true", **kw)
        self.assertIn(says, error["line"])
        return error


class Table(FilesTest):
    def test_page_and_tests_name_the_same_cases(self):
        self.assertEqual(sorted(rows()), sorted(TESTS))

    @row("nothing named")
    def test_nothing(self):
        self.assertEqual(self.sh("pwd; cat data.txt; touch x 2>/dev/null || echo no"),
                         (0, self.project + "\nhello from the project\nno\n"))

    @row("nothing named, in your home or above it")
    def test_home_is_not_shown_unasked(self):
        # The home that counts is the one in the database of users; a system user's need not exist.
        home = os.path.realpath(os.path.expanduser("~%s" % subprocess.check_output(["id", "-un"], text=True).strip()))
        if not os.path.isdir(home):
            home = "/home"
        self.assertEqual(self.sh("pwd; ls -A %s 2>/dev/null | wc -l" % home, cwd=home), (0, "/\n0\n"))

    @row("`--ro FILE`")
    def test_ro_file(self):
        self.assertEqual(self.sh("ls -A %s" % self.project, "--ro", "data.txt"), (0, "data.txt\n"))

    @row("`--ro DIR`")
    def test_ro_folder(self):
        self.assertEqual(self.sh("pwd; cat inner.txt; touch x 2>/dev/null || echo no", "--ro", "sub"),
                         (0, self.project + "/sub\ninner\nno\n"))

    @row("`--ro A --ro B`")
    def test_ro_twice(self):
        self.assertEqual(self.sh("pwd; cat %s/extra/other.txt; ls -A %s" % (self.base, self.project), "--ro", "sub",
                                 "--ro", self.base + "/extra"), (0, self.project + "/sub\nother\nsub\n"))

    @row("`--ro DIR --ro DIR/sub`")
    def test_ro_nested(self):
        for order in ((".", "sub"), ("sub", ".")):
            options = [word for path in order for word in ("--ro", path)]
            code, out = self.sh("cat %s/data.txt %s/sub/inner.txt; touch sub/x 2>/dev/null || echo no" %
                                (self.project, self.project), *options)
            self.assertEqual((code, out), (0, "hello from the project\ninner\nno\n"))

    @row("`--work DIR`")
    def test_work(self):
        code = "pwd; echo 1 > a; echo 2 > /work/b; ls -A; cat %s/data.txt; touch %s/x 2>/dev/null || echo no"
        self.assertEqual(self.sh(code % (self.project, self.project), "--work", self.work),
                         (0, self.work + "\na\nb\nhello from the project\nno\n"))
        self.assertEqual({(os.stat(self.work + "/" + n).st_uid, os.stat(self.work + "/" + n).st_gid) for n in "ab"},
                         {(os.geteuid(), os.getegid())})

    @row("`--work MISSING`")
    def test_work_is_made(self):
        new = self.folder("free") + "/new"
        self.assertEqual(self.sh("echo x > a", "--work", new), (0, ""))
        self.assertEqual(os.listdir(new), ["a"])
        outcome = self.shell("true", "--work", self.base + "/free/again", "--cwd", self.base + "/free/again/missing")
        self.assertEqual(outcome["status"], "setup_failed")
        self.assertEqual(os.listdir(self.base + "/free"), ["new"])

    @row("`--work MISSING/DEEP`")
    def test_work_is_not_made_in_nothing(self):
        self.refuses("--work", self.base + "/free/no/deep", says="no/deep")

    @row("`--work DIR --ro DIR/sub`")
    def test_ro_in_work(self):
        self.write("work/sub/a", "kept\n")
        self.assertEqual(self.sh("echo x > b; echo x > sub/a || cat sub/a", "--work", self.work, "--ro", self.work + "/sub"),
                         (0, "kept\n"))

    @row("`--ro DIR --work DIR/sub`")
    def test_work_in_ro(self):
        inner = self.folder("work/inner")
        self.write("work/a", "a\n")
        self.assertEqual(self.sh("pwd; cat ../a; echo x > b; touch ../c 2>/dev/null || echo no", "--ro", self.work,
                                 "--work", inner), (0, inner + "\na\nno\n"))
        self.assertEqual(os.listdir(inner), ["b"])

    @row("`--ro DIR --work DIR`")
    def test_ro_and_work_are_one(self):
        self.refuses("--ro", self.work, "--work", self.work, says="read-only and writable")

    @row("`--work FILE`")
    def test_work_is_a_file(self):
        self.refuses("--work", "data.txt", says="not a folder")

    @row("`--work` not writable for you")
    def test_work_is_not_writable(self):
        closed = self.folder("work/closed")
        if ROOT:
            os.chown(closed, 12345, 12345)
            os.chmod(closed, 0o755)
        else:
            os.chmod(closed, 0o555)
        self.refuses("--work", closed, says="written")
        self.refuses("--temp", closed, says="written")
        self.refuses("--work", closed + "/new", says="written")

    @row("`--copy FILE`")
    def test_copy_without_work(self):
        self.assertEqual(self.sh("pwd; echo more >> data.txt; cat data.txt", "--copy", "data.txt"),
                         (0, "/work\nhello from the project\nmore\n"))

    @row("`--copy DIR --work DIR2`")
    def test_copy_of_a_tree(self):
        self.write("project/tree/a b/ü.sh", "#!/bin/sh\necho ran\n", 0o4750)
        os.symlink("/etc/hostname", self.project + "/tree/out")
        os.symlink("a b/ü.sh", self.project + "/tree/near")
        os.utime(self.project + "/tree/a b/ü.sh", (1000000, 1000000))
        os.chmod(self.project + "/tree", 0o711)
        code, out = self.sh("readlink tree/out tree/near; stat -c '%a %Y' 'tree/a b/ü.sh' tree | cut -d' ' -f1; stat -c %Y "
                            "'tree/a b/ü.sh'; tree/near; echo x > tree/out2", "--copy", "tree", "--work", self.work)
        self.assertEqual((code, out), (0, "/etc/hostname\na b/ü.sh\n750\n711\n1000000\nran\n"))
        self.assertFalse(os.path.exists(self.project + "/tree/out2"))

    @row("`--copy LINK`")
    def test_copy_of_a_link(self):
        os.symlink("data.txt", self.project + "/link")
        self.assertEqual(self.sh("ls -A; test -L link || cat link", "--copy", "link"), (0, "link\nhello from the project\n"))

    @row("`--copy` over what is there")
    def test_copy_over(self):
        victim = self.write("free/victim", "victim\n")
        os.symlink(victim, self.work + "/data.txt")
        self.write("work/sub/own", "own\n")
        self.write("work/sub/inner.txt", "old\n")
        self.assertEqual(self.sh("cat data.txt sub/inner.txt sub/own", "--work", self.work, "--copy", "data.txt", "--copy",
                                 "sub"), (0, "hello from the project\ninner\nown\n"))
        self.assertEqual(self.read("free/victim"), "victim\n")
        self.assertFalse(os.path.islink(self.work + "/data.txt"))

    @row("`--copy` of pipes, sockets, devices")
    def test_copy_of_odd_files(self):
        os.mkfifo(self.project + "/pipe")
        os.mkfifo(self.project + "/sub/pipe")
        self.refuses("--copy", "pipe", says="neither a file nor a folder")
        self.refuses("--copy", "/dev/null", says="copy")
        self.assertEqual(self.sh("ls -A sub", "--copy", "sub"), (0, "inner.txt\n"))

    @row("`--copy` twice the same base name")
    def test_copy_of_one_name_twice(self):
        self.write("extra/data.txt", "other\n")
        self.refuses("--copy", "data.txt", "--copy", self.base + "/extra/data.txt", says="same name")

    @row("`--copy` of what is in the work folder, or of a folder that holds it")
    def test_copy_around_work(self):
        self.write("work/a", "a\n")
        self.refuses("--work", self.work, "--copy", self.work + "/a", says="in the work folder already")
        self.refuses("--work", self.work, "--copy", self.base, says="holds the work folder")
        self.refuses("--work", self.work, "--copy", self.work, says="holds the work folder")

    @row("`--copy` of a large file")
    def test_copy_of_a_large_file(self):
        with open(self.base + "/free.bin", "wb") as f:
            f.write(os.urandom(1 << 20) * 96)
        with open(self.base + "/free.bin", "rb") as f:
            wanted = subprocess.run(["sha256sum"], stdin=f, capture_output=True, text=True).stdout.split()[0]
        code, out = self.sh("sha256sum free.bin | cut -d' ' -f1", "--copy", self.base + "/free.bin", "--work", self.work)
        self.assertEqual((code, out), (0, wanted + "\n"))
        self.assertEqual(self.sh("sha256sum free.bin | cut -d' ' -f1", "--copy", self.base + "/free.bin"), (0, wanted + "\n"))
        outcome = self.shell("true", "--copy", self.base + "/free.bin", "--disk", "32")
        self.assertEqual((outcome["status"], outcome["error"]["code"]), ("setup_failed", "copy_failed"))
        self.assertIn("--disk", outcome["error"]["hint"])

    @row("`--temp DIR`")
    def test_temp(self):
        scratch = self.folder("scratch")
        code, out = self.sh("echo $TMPDIR; echo $TMP; echo $TEMP; echo $HOME; echo x > $TMPDIR/kept; ls -A /tmp; touch /tmp/y",
                            "--temp", scratch)
        self.assertEqual((code, out), (0, (scratch + "\n") * 4))
        self.assertEqual(os.listdir(scratch), ["kept"])

    @row("`--temp MISSING`")
    def test_temp_is_made(self):
        self.folder("free")
        self.assertEqual(self.sh("echo x > $TMPDIR/kept", "--temp", self.base + "/free/new"), (0, ""))
        self.assertEqual(os.listdir(self.base + "/free/new"), ["kept"])

    @row("all four at once")
    def test_all(self):
        scratch = self.folder("scratch")
        code, out = self.sh("pwd; cat %s/other.txt data.txt; echo x > data.txt; echo $TMPDIR; ls -A %s 2>/dev/null" %
                            (self.base + "/extra", self.project), "--ro", self.base + "/extra", "--work", self.work,
                            "--copy", "data.txt", "--temp", scratch)
        self.assertEqual(out, "%s\nother\nhello from the project\n%s\n" % (self.work, scratch))

    @row("spaces, quotes, line breaks, Unicode in a path")
    def test_names(self):
        for name in ("two words", "ünïcödé 漢字 🦋", "quote'\"s", "line\nbreak", "-dash", "back\\slash", "a:b,c=d"):
            with self.subTest(name=name):
                work, ro = self.folder("free/w " + name), self.folder("free/r " + name)
                self.write("free/r %s/%s" % (name, name), "text\n")
                code, out = self.sh("cat ./* \"$1\" 2>&1; echo x > new; pwd", "--work", work, "--ro", ro, "--copy",
                                    ro + "/" + name)
                self.assertIn("text\n", out)
                self.assertTrue(out.endswith(work + "\n"), out)
                self.assertEqual(sorted(os.listdir(work)), sorted(["new", name]))
                self.assertEqual(self.sh("echo $TMPDIR > $TMPDIR/t" if name.isalnum() else "echo x > \"$TMPDIR/t\"", "--temp", work)[0], 0)

    @row("a path on another file system (tmpfs)")
    def test_tmpfs(self):
        folder = tempfile.mkdtemp(prefix="cocoon-test-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, folder)
        for name in ("work", "temp", "ro"):
            os.mkdir(folder + "/" + name)
        with open(folder + "/ro/a", "w") as f:
            f.write("a\n")
        code, out = self.sh("cat %s/ro/a a; echo x > b; echo x > $TMPDIR/c; touch %s/ro/x 2>/dev/null || echo no" %
                            (folder, folder), "--ro", folder + "/ro", "--work", folder + "/work", "--temp", folder + "/temp",
                            "--copy", folder + "/ro/a")
        self.assertEqual((code, out), (0, "a\na\nno\n"))
        self.assertEqual((sorted(os.listdir(folder + "/work")), os.listdir(folder + "/temp")), (["a", "b"], ["c"]))

    @row("a path through a symbolic link")
    def test_links(self):
        real = self.folder("free/real")
        self.write("free/real/a", "a\n")
        os.symlink("real", self.base + "/free/link")
        link = self.base + "/free/link"
        self.assertEqual(self.sh("pwd; cat %s/a %s/a" % (link, real), "--ro", link), (0, real + "\na\na\n"))
        self.assertEqual(self.sh("pwd; echo b > %s/b; cat /work/b" % link, "--work", link), (0, real + "\nb\n"))
        self.assertEqual(self.sh("ls -A link", "--copy", link), (0, "a\nb\n"))
        self.assertEqual(self.sh("echo $TMPDIR; echo x > $TMPDIR/c", "--temp", link), (0, real + "\n"))
        code, out = self.sh("pwd; cat a", cwd=link)
        self.assertEqual((code, out), (0, real + "\na\n"))

    @row("`.` and `..`")
    def test_dots(self):
        self.assertEqual(self.sh("pwd; echo x > a", "--work", ".", cwd=self.work), (0, self.work + "\n"))
        self.assertEqual(self.sh("pwd", "--ro", "..", cwd=self.project + "/sub"), (0, self.project + "\n"))
        self.assertEqual(self.sh("ls -A", "--copy", ".", cwd=self.project + "/sub"), (0, "sub\n"))
        self.assertEqual(self.sh("echo $TMPDIR", "--temp", ".", cwd=self.folder("scratch")), (0, self.base + "/scratch\n"))
        self.assertEqual(self.sh("ls -A", "--work", "./../work", "--copy", "../project/./data.txt"), (0, "a\ndata.txt\n"))

    @row("`/`")
    def test_root(self):
        for option in ("--ro", "--work", "--copy", "--temp"):
            self.refuses(option, "/", says=option[2:])
        self.assertEqual(self.sh("pwd", cwd="/"), (0, "/\n"))

    @row("`$HOME`")
    def test_home(self):
        self.write("work/.bashrc", "mine\n")
        self.write("work/.ssh/key", "secret\n")
        env = {"HOME": self.work}
        self.assertEqual(self.sh("cat .ssh/key; touch x 2>/dev/null || echo no", "--ro", self.work, env=env),
                         (0, "secret\nno\n"))
        outcome = self.shell("echo x > .bashrc || echo kept; echo y > .zshrc", "--work", self.work, env=env)
        self.assertEqual((outcome["stdout"], outcome["planted"]), ("kept\n", [".zshrc"]))
        self.assertEqual(self.read("work/.bashrc"), "mine\n")

    @row("`/proc`, `/sys`, `/dev`")
    def test_kernel(self):
        for path in ("/proc", "/sys", "/dev", "/proc/1", "/sys/kernel", "/dev/null"):
            for option in ("--ro", "--work", "--copy", "--temp"):
                with self.subTest(path=path, option=option):
                    self.refuses(option, path, says=option[2:])

    @row("`/etc`, `/run`")
    def test_etc(self):
        for path in ("/etc", "/run"):
            for option in ("--ro", "--work", "--temp"):
                self.refuses(option, path, says=path)
        self.assertEqual(self.sh("test -e /etc/fstab || test -e /etc/debian_version && echo there", "--ro", "/etc/debian_version")[1], "there\n")

    @row("`/usr` and other system folders")
    def test_system(self):
        for path in ("/usr", "/bin", "/lib", "/usr/bin", "/boot" if os.path.isdir("/boot") else "/usr/lib"):
            for option in ("--work", "--temp"):
                self.refuses(option, path, says=option[2:])
        self.assertEqual(self.sh("ls /usr/bin/env; pwd", "--ro", "/usr"), (0, "/usr/bin/env\n/usr\n"))

    @row("a path that is missing, or a dangling link")
    def test_missing(self):
        os.symlink("nowhere", self.base + "/extra/dangling")
        for path in ("missing", self.base + "/extra/dangling"):
            for option in ("--ro", "--copy"):
                self.refuses(option, path, says="does not exist")
        for option in ("--work", "--temp"):
            self.refuses(option, self.base + "/extra/dangling", says="does not exist")

    @row("a path behind a folder that you can't enter")
    def test_closed(self):
        if ROOT:
            self.skipTest("root can enter every folder")
        self.folder("free/closed/inner")
        os.chmod(self.base + "/free/closed", 0)
        self.addCleanup(os.chmod, self.base + "/free/closed", 0o755)
        for option in ("--ro", "--work", "--copy", "--temp"):
            self.refuses(option, self.base + "/free/closed/inner", says="permission")

    @row("somebody else's folder with `--ro`")
    def test_foreign(self):
        if ROOT:
            foreign = self.folder("free/foreign")
            self.write("free/foreign/open", "open\n")
            self.write("free/foreign/closed", "closed\n", 0o600)
            os.chown(foreign, 12345, 12345)
            os.chown(foreign + "/open", 12345, 12345)
            os.chown(foreign + "/closed", 12345, 12345)
        else:
            foreign = "/var/log" if os.path.isdir("/var/log") else cannot("no folder of root's to look at")
        code, out = self.sh("stat -c %U .; cat open closed 2>/dev/null; touch x 2>/dev/null || echo no", "--ro", foreign)
        self.assertEqual((code, out), (0, "nobody\n" + ("open\n" if ROOT else "") + "no\n"))

    @row("a pipe, socket or device with `--ro`")
    def test_odd_files(self):
        os.mkfifo(self.base + "/free-pipe")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(self.base + "/free-socket")
            for name in ("free-pipe", "free-socket"):
                self.refuses("--ro", self.base + "/" + name, says="neither a file nor a folder")
        self.refuses("--ro", "/dev/null", says="ro")


class Protected(FilesTest):
    @row("a protected file exists")
    def test_existing(self):
        self.write("work/.git/hooks/pre-commit", "kept\n")
        self.write("work/.vscode/tasks.json", "kept\n")
        outcome = self.shell("cat .git/hooks/pre-commit .vscode/tasks.json; echo x > .git/hooks/pre-commit; rm -rf .vscode; "
                             "mv .git .other; mv .vscode .other2; ln -sf /tmp .vscode/x; echo x > .git/hooks/post-commit; true",
                             "--work", self.work)
        self.assertEqual(outcome["stdout"], "kept\nkept\n")
        self.assertNotIn("planted", outcome)
        self.assertEqual((self.read("work/.git/hooks/pre-commit"), self.read("work/.vscode/tasks.json")), ("kept\n", "kept\n"))
        self.assertEqual(os.listdir(self.work + "/.git/hooks"), ["pre-commit"])

    @row("a protected file does not exist")
    def test_missing(self):
        outcome = self.shell("mkdir -p .git/hooks .idea; echo x > .git/hooks/pre-commit; ln -s /etc .claude", "--work", self.work)
        self.assertEqual(sorted(outcome["planted"]), [".claude", ".git", ".git/hooks", ".idea"])

    @row("a protected name is a symbolic link")
    def test_links(self):
        self.write("work/tools/hooks/pre-commit", "kept\n")
        self.write("work/dot/bashrc", "kept\n")
        self.folder("work/.git")
        os.symlink("../tools/hooks", self.work + "/.git/hooks")
        os.symlink("dot/bashrc", self.work + "/.bashrc")
        os.symlink("dot/zshrc", self.work + "/.zshrc")
        os.symlink("/etc/hostname", self.work + "/.profile")
        outcome = self.shell("true", "--work", self.work)
        self.assertNotIn("planted", outcome, "nothing was made by the run")
        outcome = self.shell("echo x > tools/hooks/pre-commit; echo x > .git/hooks/new; echo x > .bashrc; echo x > dot/bashrc; "
                             "cat .bashrc .git/hooks/pre-commit", "--work", self.work)
        self.assertEqual(outcome["stdout"], "kept\nkept\n")
        self.assertNotIn("planted", outcome)
        outcome = self.shell("rm .bashrc .git/hooks; echo x > .bashrc; mkdir .git/hooks; echo x > dot/zshrc; "
                             "mv dot dot2; mkdir dot; echo x > dot/bashrc", "--work", self.work)
        self.assertEqual(sorted(outcome["planted"]), [".bashrc", ".git/hooks", "dot/bashrc"])

    @row("a repository in a sub-folder")
    def test_repositories_below(self):
        self.write("work/lib/one/.git/hooks/pre-commit", "kept\n")
        self.write("work/lib/one/.git/config", "kept\n")
        self.write("work/two/.git", "gitdir: ../elsewhere\n")
        self.write("work/a/b/c/.git/config", "too deep\n")
        outcome = self.shell("echo x > lib/one/.git/hooks/pre-commit; echo x > lib/one/.git/config; echo x > two/.git; "
                             "echo x > lib/one/.git/index; echo x > lib/one/.envrc; echo changed > a/b/c/.git/config", "--work", self.work)
        self.assertEqual(outcome["planted"], ["lib/one/.envrc"])
        self.assertEqual((self.read("work/lib/one/.git/hooks/pre-commit"), self.read("work/two/.git"), self.read("work/a/b/c/.git/config")),
                         ("kept\n", "gitdir: ../elsewhere\n", "changed\n"))
        outcome = self.shell("mv lib old; mkdir -p lib/one/.git/hooks; echo x > lib/one/.git/config", "--work", self.work)
        self.assertEqual(sorted(outcome["planted"]), ["lib/one/.git/config", "lib/one/.git/hooks"])

    @row("a submodule, a linked worktree, hooks kept elsewhere, an included configuration")
    def test_what_git_obeys_besides(self):
        self.write("work/.git/config", "[core]\n\thooksPath = \".githooks\" ; ours\n[include]\n\tpath = ../team.conf\n")
        self.write("work/.githooks/pre-commit", "kept\n")
        self.write("work/team.conf", "kept\n")
        self.write("work/.git/modules/libs/one/HEAD", "ref: refs/heads/main\n")
        self.write("work/.git/modules/libs/one/config", "[core]\n\tworktree = ../../../../libs/one\n\thooksPath = own-hooks\n")
        self.write("work/libs/one/own-hooks/pre-push", "kept\n")
        self.write("work/.git/worktrees/side/commondir", "../..\n")
        self.write("work/.git/worktrees/side/gitdir", "/somewhere/.git\n")
        outcome = self.shell(
            "for f in .githooks/pre-commit team.conf .git/modules/libs/one/config libs/one/own-hooks/pre-push "
            ".git/worktrees/side/commondir .git/worktrees/side/gitdir; do (echo evil > $f) 2>/dev/null && echo wrote $f; done; "
            "mkdir -p .git/modules/libs/one/hooks; echo x > .git/worktrees/side/config.worktree; "
            "echo x > .git/modules/libs/one/index; echo x > .git/worktrees/side/HEAD", "--work", self.work)
        self.assertEqual(outcome["stdout"], "", outcome)
        self.assertEqual(sorted(outcome["planted"]), [".git/modules/libs/one/hooks", ".git/worktrees/side/config.worktree"])
        outcome = self.shell("mv .githooks old; mkdir .githooks; echo evil > .githooks/pre-commit", "--work", self.work)
        self.assertIn(".githooks", outcome.get("planted", [".githooks"] if outcome["stderr"] else []))
        self.assertEqual(self.read("work/.githooks/pre-commit"), "kept\n")

    @row("`--allow-protected`")
    def test_allowed(self):
        self.write("work/.git/config", "old\n")
        outcome = self.shell("echo new > .git/config; echo x > .envrc", "--work", self.work, "--allow-protected")
        self.assertNotIn("planted", outcome)
        self.assertEqual(self.read("work/.git/config"), "new\n")


class Git(FilesTest):
    NAME = ("--env", "GIT_AUTHOR_NAME=A", "--env", "GIT_AUTHOR_EMAIL=a@example.org", "--env", "GIT_COMMITTER_NAME=A",
            "--env", "GIT_COMMITTER_EMAIL=a@example.org")

    def setUp(self):
        super().setUp()
        if not shutil.which("git"):
            cannot("git is not installed")

    def git(self, *words, cwd):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=cwd, check=True, env=self.env,
                       capture_output=True)

    def repository(self, name):
        path = self.folder(name)
        self.git("init", "-q", "-b", "main", cwd=path)
        self.write(name + "/a.txt", "one\n")
        self.git("add", ".", cwd=path)
        self.git("commit", "-q", "-m", "first", cwd=path)
        return path

    @row("a repository in `--work`")
    def test_commit(self):
        work = self.repository("work")
        outcome = self.shell("git status --short && echo two >> a.txt && git add a.txt && git commit -q -m second && "
                             "git checkout -q -b other && git log --format=%s && git config core.editor evil", "--work", work, *self.NAME)
        self.assertEqual(outcome["stdout"], "second\nfirst\n", outcome["stderr"])
        self.assertNotEqual(outcome["exit_code"], 0)
        self.assertIn("config", outcome["stderr"])
        self.assertNotIn("planted", outcome)
        self.git("fsck", "--strict", cwd=work)

    def test_submodule(self):
        """All of git works in one, and what a guest changed for it is not obeyed outside."""
        self.repository("sub")
        work = self.repository("work")
        self.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", self.base + "/sub", "sub", cwd=work)
        self.git("commit", "-q", "-m", "with sub", cwd=work)
        outcome = self.shell("cd sub && echo two >> a.txt && git commit -q -a -m second && git log --format=%s && cd .. && "
                             "git commit -q -a -m moved && git status --short; git -C sub config core.fsmonitor 'touch owned; false'",
                             "--work", work, *self.NAME)
        self.assertEqual(outcome["stdout"], "second\nfirst\n", outcome["stderr"])
        self.assertNotEqual(outcome["exit_code"], 0)
        self.git("status", cwd=work)
        self.assertFalse(os.path.exists(work + "/sub/owned"))

    @row("a worktree whose repository is elsewhere")
    def test_worktree_alone(self):
        tree = self.worktree("free/tree")
        outcome = self.shell("git status", "--work", tree)
        self.assertEqual((outcome["exit_code"], outcome["stdout"]), (128, ""))
        self.assertIn("not a git repository", outcome["stderr"])

    def worktree(self, name):
        repository = self.repository("repo")
        self.folder("free")
        self.git("worktree", "add", "-q", os.path.join(self.base, name), "-b", "side", cwd=repository)
        return os.path.join(self.base, name)

    @row("the same with `--ro REPOSITORY/.git`")
    def test_worktree_with_its_repository_read_only(self):
        tree = self.worktree("free/tree")
        options = ("--work", tree, "--ro", self.base + "/repo/.git", *self.NAME)
        outcome = self.shell("echo two >> a.txt; git status --short; git log --format=%s; git diff --stat | tail -1", *options)
        self.assertEqual(outcome["exit_code"], 0, outcome)
        self.assertEqual(outcome["stdout"].splitlines()[:2], [" M a.txt", "first"])
        outcome = self.shell("git commit -q -a -m second", *options)
        self.assertNotEqual(outcome["exit_code"], 0)
        self.assertIn("Read-only file system", outcome["stderr"])

    @row("the same with `--work REPOSITORY --cwd WORKTREE`, the worktree lying in it")
    def test_worktree_in_its_repository(self):
        tree = self.worktree("repo/trees/side")
        outcome = self.shell("echo two >> a.txt; git commit -q -a -m second && git log --format=%s", "--work", self.base + "/repo",
                             "--cwd", tree, *self.NAME)
        self.assertEqual((outcome["exit_code"], outcome["stdout"]), (0, "second\nfirst\n"), outcome["stderr"])
        self.assertNotIn("planted", outcome)


if __name__ == "__main__":
    main()
