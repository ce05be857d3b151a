"""What belongs to the caller and to the host stays invisible inside."""
import json
import os
import pty
import pwd
import socket
import subprocess
import threading

from cocoon_test import PYTHON, CocoonTest, cannot, main

SECRET = "secret-7d3c1f"


class Secrets(CocoonTest):
    def setUp(self):
        super().setUp()
        for name in (".ssh/id_ed25519", ".ssh/config", ".aws/credentials", ".netrc", ".npmrc", ".git-credentials",
                     ".docker/config.json", ".kube/config", ".config/gh/hosts.yml", ".bash_history", ".env"):
            self.write("home/" + name, SECRET + "\n", 0o600)

    def test_a_home_folder_is_not_shown_because_one_stands_in_it(self):
        home = os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir)
        if not os.path.isdir(home):  # then HOME says where it is
            home = self.home
        for folder in {home, os.path.dirname(home)} - {"/"}:
            outcome = self.assert_ok(self.outcome("run", "--json", "--", "/bin/sh", "-c", 'pwd; ls -a "%s"; :' % folder,
                                                  cwd=folder))
            self.assertEqual(outcome["stdout"], "/\n", folder)

    def test_environment(self):
        secret = {"AWS_SECRET_ACCESS_KEY": SECRET, "GITHUB_TOKEN": SECRET, "SOMETHING": SECRET, "LD_LIBRARY_PATH": "/" + SECRET,
                  "PYTHONPATH": "/" + SECRET, "SSH_AUTH_SOCK": "/run/" + SECRET, "HTTP_PROXY": "http://" + SECRET, "TZ": SECRET}
        code = ("import glob, os\n"
                "print(sorted(os.environ))\n"
                "for p in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):\n"
                "    try: print(p, open(p, 'rb').read())\n"
                "    except OSError as e: print(p, e.errno)\n")
        outcome = self.assert_ok(self.outcome("run", "--json", "--", PYTHON, "-c", code, env=secret))
        self.assertNotIn(SECRET, outcome["stdout"])
        names = set(eval(outcome["stdout"].splitlines()[0]))
        self.assertTrue({"PATH", "HOME", "LANG", "TMPDIR", "TMP", "TEMP"} <= names)
        self.assertFalse(names - {"PATH", "HOME", "LANG", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "SHELL", "TERM", "PWD",
                                  "OLDPWD", "SHLVL", "_", "LC_CTYPE", "PIP_RETRIES", "npm_config_fetch_retries"}, "something leaked from the caller")

    def test_values_given_on_purpose_arrive(self):
        outcome = self.python("import os; print(os.environ['A'], os.environ['B'], os.environ['HOME'])",
                              "--env", "A=1=2", "--env", "B=", "--env", "HOME=/elsewhere")
        self.assertEqual(outcome["stdout"], "1=2  /elsewhere\n")

    def test_home_and_system_secrets(self):
        paths = [os.path.join(d, f) for d, _, fs in os.walk(self.home) for f in fs]
        paths += ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/root/.bashrc", "/root", "/etc/ssh/ssh_host_ed25519_key",
                  "/proc/kcore", "/proc/1/root/etc/shadow", "/proc/sys/kernel/random/../../../../etc/shadow", "/dev/mem", "/dev/sda",
                  "/dev/vda", "/sys/kernel", "/var/run/docker.sock", "/run/systemd", "/var/log", "/boot", "/proc/keys",
                  "/proc/timer_list", "/proc/kallsyms/..", "/home", "/var/lib"]
        code = ("import os, sys\n"
                "for p in sys.argv[1:]:\n"
                "    try:\n"
                "        got = os.listdir(p) if os.path.isdir(p) and not p.endswith('..') else open(p, 'rb').read(100)\n"
                "        if got: print('READ', p, got)\n"
                "    except OSError: pass\n"
                "print(os.path.exists(%r), os.path.exists(%r))\n" % (self.home, self.home + "/.ssh"))
        outcome = self.assert_ok(self.outcome("run", "--json", "--", PYTHON, "-c", code, *paths))
        self.assertEqual(outcome["stdout"], "False False\n")

    def test_a_home_as_current_directory_shows_it_on_request_only(self):
        # Running in one's home shows the home, since it is the current directory; another folder named by --ro doesn't.
        code = "import os; print(os.path.exists(%r))" % (self.home + "/.ssh/id_ed25519")
        outcome = self.python(code, "--ro", self.project, cwd=self.home)
        self.assertEqual(outcome["stdout"], "False\n")

    def test_siblings_and_parents_of_a_grant(self):
        self.write("sibling/secret.txt", SECRET)
        code = ("import os\n"
                "print(os.path.exists(%r), sorted(os.listdir(%r)))\n"
                "os.chdir('..'); print(sorted(os.listdir('.')))\n" % (self.base + "/sibling", self.base))
        outcome = self.assert_ok(self.python(code))
        self.assertEqual(outcome["stdout"], "False ['project']\n['project']\n")


class Processes(CocoonTest):
    def test_only_its_own_processes(self):
        victim = self.helper(["/bin/sleep", "60"], env={"TOKEN": SECRET})
        code = ("import glob, os, signal, sys\n"
                "names = []\n"
                "for p in sorted(os.listdir('/proc')):\n"
                "    if p.isdigit(): names.append(open('/proc/%s/comm' % p).read().strip())\n"
                "print(len(names))\n"
                "for s in (0, signal.SIGTERM):\n"
                "    try: os.kill(int(sys.argv[1]), s); print('signalled')\n"
                "    except OSError: pass\n")
        outcome = self.outcome("run", "--json", "--", PYTHON, "-c", code, str(victim.pid))
        self.assertLessEqual(int(outcome["stdout"].split()[0]), 3)
        self.assertNotIn("signalled", outcome["stdout"])
        self.assertIsNone(victim.poll())

    def test_pid_one_shows_nothing_of_the_host(self):
        code = ("import os\n"
                "for p in (1, os.getppid()):\n"
                "    for n in ('environ', 'maps', 'mem', 'exe', 'root', 'cwd', 'fd'):\n"
                "        q = '/proc/%d/%s' % (p, n)\n"
                "        try: print(n, os.listdir(q) if n == 'fd' else os.readlink(q) if n in ('exe', 'root', 'cwd') else open(q, 'rb').read(300))\n"
                "        except OSError as e: print(n, 'refused')\n")
        outcome = self.assert_ok(self.outcome("run", "--json", "--", PYTHON, "-c", code, env={"TOKEN": SECRET}))
        self.assertNotIn(SECRET, outcome["stdout"])
        self.assertNotIn("cocoon", outcome["stdout"], "pid 1 shows the program's path on the host")

    def test_open_descriptors_of_the_caller_are_closed(self):
        path = self.write("home/open.txt", SECRET)
        fd = os.open(path, os.O_RDWR)
        folder = os.open("/", os.O_RDONLY)
        a, b = socket.socketpair()
        code = ("import os\n"
                "print({f: os.path.realpath('/proc/self/fd/' + f) for f in os.listdir('/proc/self/fd')})\n"
                "for p in ('/proc/1/fd', '/proc/self/fd'):\n"
                "    try:\n"
                "        for f in os.listdir(p): print(p, f, os.path.exists(p + '/' + f + '/etc/shadow'))\n"
                "    except OSError: pass\n")
        process = self.start("run", "--json", "--", PYTHON, "-c", code,
                             pass_fds=(fd, folder, a.fileno(), b.fileno()))
        out, _ = process.communicate(timeout=20)
        self.helpers.discard(process.pid)
        for f in (fd, folder):
            os.close(f)
        a.close(), b.close()
        text = json.loads(out)["stdout"]
        self.assertNotIn("open.txt", text)
        self.assertNotIn("True", text)
        self.assertFalse({k for k in eval(text.splitlines()[0])} - {"0", "1", "2", "3"}, text)  # 3 is listdir's own

    def test_the_working_directory_is_not_inherited(self):
        secret = self.folder("elsewhere")
        self.write("elsewhere/secret.txt", SECRET)
        outcome = self.outcome("run", "--ro", self.project, "--json", "--", "/bin/sh", "-c",
                               "pwd; cat /proc/self/cwd/secret.txt ../elsewhere/secret.txt; ls -d %s" % secret, cwd=secret)
        self.assertEqual(outcome["stdout"], self.project + "\n")

    def test_no_terminal(self):
        master, slave = pty.openpty()
        code = ("import os, fcntl\n"
                "for p in ('/dev/tty',):\n"
                "    try: open(p); print('has', p)\n"
                "    except OSError as e: print('no tty')\n"
                "for fd in (0, 1, 2):\n"
                "    try: fcntl.ioctl(fd, 0x5412, b'x'); print('typed')\n"
                "    except OSError: pass\n")
        process = self.start("run", "--json", "--stdin", "-", "--", PYTHON, "-c", code, stdin=slave, stderr=slave)
        out, _ = process.communicate(timeout=20)
        self.helpers.discard(process.pid)
        os.close(slave), os.close(master)
        self.assertEqual(json.loads(out)["stdout"], "no tty\n")


class Network(CocoonTest):
    def serve(self, family, address):
        contacts = []
        server = socket.socket(family, socket.SOCK_STREAM)
        server.bind(address)
        server.listen(5)
        if isinstance(address, str) and address[0] != "\0":
            os.chmod(address, 0o777)

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                contacts.append(1)
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        self.addCleanup(server.close)
        self.addCleanup(server.shutdown, socket.SHUT_RDWR)
        return server, contacts

    def test_loopback_of_the_host_is_out_of_reach_and_ones_own_works(self):
        server, contacts = self.serve(socket.AF_INET, ("127.0.0.1", 0))
        code = ("import socket, sys\n"
                "for host in ('127.0.0.1', '127.0.0.2', '0.0.0.0', 'localhost'):\n"
                "    try: socket.create_connection((host, int(sys.argv[1])), 3); print('REACHED', host)\n"
                "    except OSError as e: pass\n"
                "s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); print('own loopback')\n"
                "try: socket.create_connection(('192.0.2.1', 80), 5)\n"
                "except OSError as e: print(e.errno)\n"
                "try: socket.create_connection(('2001:db8::1', 80), 5)\n"
                "except OSError as e: print(e.errno)\n")
        outcome = self.assert_ok(self.outcome("run", "--json", "--", PYTHON, "-c", code, str(server.getsockname()[1])))
        lines = outcome["stdout"].splitlines()
        self.assertEqual(lines[:2], ["own loopback", "101"], "no network has to fail at once with ENETUNREACH")
        self.assertIn(lines[2], ("101", "97", "99"))
        self.assertEqual(contacts, [])
        self.assertLess(outcome["duration_ms"], 4000)

    def test_unix_sockets_by_path_and_by_abstract_name(self):
        path = self.base + "/service.sock"
        _, by_path = self.serve(socket.AF_UNIX, path)
        name = "cocoon-test-%d" % os.getpid()
        _, abstract = self.serve(socket.AF_UNIX, "\0" + name)
        code = ("import socket, sys\n"
                "for a in (sys.argv[1], '\\0' + sys.argv[2]):\n"
                "    s = socket.socket(socket.AF_UNIX)\n"
                "    try: s.connect(a); print('REACHED', a)\n"
                "    except OSError: print('refused')\n"
                "print(open('/proc/net/unix').read().count(sys.argv[2]))\n")
        outcome = self.outcome("run", "--json", "--", PYTHON, "-c", code, path, name)
        self.assertEqual(outcome["stdout"], "refused\nrefused\n0\n")
        self.assertEqual((by_path, abstract), ([], []))

    def test_names_of_servers_can_be_looked_up_with_the_hosts_network(self):
        """The file that says how is shown then, wherever a service keeps it; without a network it would be of no use."""
        outcome = self.shell("cat /etc/resolv.conf 2>/dev/null", "--net", "host")
        if not os.path.exists("/etc/resolv.conf"):
            cannot("this host has no /etc/resolv.conf")
        with open("/etc/resolv.conf") as host:
            self.assertEqual(outcome["stdout"], host.read())
        self.assertEqual(self.shell("ls /etc/resolv.conf 2>/dev/null")["stdout"], "")

    def test_net_host_is_an_explicit_choice_and_visible(self):
        server, contacts = self.serve(socket.AF_INET, ("127.0.0.1", 0))
        code = "import socket; socket.create_connection(('127.0.0.1', %d), 5); print('reached')" % server.getsockname()[1]
        outcome = self.python(code, "--net", "host")
        self.assertEqual(outcome["stdout"], "reached\n", json.dumps(outcome))
        self.refused("run", "--net", "host", "--require", "net", "--json", "--", "/bin/true")
        self.assertNotEqual(outcome["isolation"].get("net"), self.python("pass")["isolation"]["net"])

    def test_a_server_inside_cannot_be_reached(self):
        code = ("import socket, time\n"
                "s = socket.create_server(('0.0.0.0', 23456)); print('listening', flush=True); s.settimeout(2)\n"
                "try: s.accept(); print('REACHED')\n"
                "except OSError: print('alone')\n")
        process = self.start("run", "--runtime", "python", "-c", code)
        self.assertEqual(process.stdout.readline(), b"listening\n")
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", 23456), 1).close()
        out, _ = process.communicate(timeout=20)
        self.helpers.discard(process.pid)
        self.assertEqual(out, b"alone\n")

    def test_ipc_and_hostname_are_its_own(self):
        made = subprocess.run(["ipcmk", "-M", "4096"], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        segment = made.stdout.split()[-1]
        self.addCleanup(subprocess.run, ["ipcrm", "-m", segment])
        outcome = self.shell("ipcs -m | grep -c 0x; cat /proc/sys/kernel/hostname; cat /proc/sysvipc/shm | wc -l")
        count, hostname, _ = outcome["stdout"].split()
        self.assertEqual(count, "0")
        self.assertNotEqual(hostname, os.uname().nodename)


class Hardening(CocoonTest):
    def status(self, *options):
        outcome = self.shell("cat /proc/self/status", *options)
        return dict(line.split(":\t", 1) for line in outcome["stdout"].splitlines() if ":\t" in line)

    def test_identity_and_privileges(self):
        status = self.status()
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertEqual(status["Uid"].split()[0], str(os.geteuid()))

    def test_limits_of_the_process(self):
        outcome = self.python("import resource as r\n"
                              "print(r.getrlimit(r.RLIMIT_CORE), r.getrlimit(r.RLIMIT_NOFILE)[0])")
        self.assertEqual(outcome["stdout"], "(0, 0) 1024\n")

    def test_namespaces_are_its_own(self):
        outcome = self.shell("for n in user mnt pid net ipc uts cgroup; do readlink /proc/self/ns/$n; done")
        inside = outcome["stdout"].split()
        self.assertEqual(len(inside), 7)
        for text in inside:
            name = text.split(":")[0]
            self.assertNotEqual(text, os.readlink("/proc/self/ns/" + name), name)

    def test_no_new_namespaces_mounts_or_tracing(self):
        code = ("import ctypes, os\n"
                "c = ctypes.CDLL(None, use_errno=True)\n"
                "def t(name, *a):\n"
                "    ctypes.set_errno(0); r = c.syscall(*a); print(name, r, ctypes.get_errno())\n"
                "t('unshare', 272, 0x10000000)\n"
                "t('mount', 165, b'none', b'/tmp', b'tmpfs', 0, None)\n"
                "t('umount', 166, b'/tmp', 2)\n"
                "t('chroot', 161, b'/tmp')\n"
                "t('pivot_root', 155, b'/tmp', b'/tmp')\n"
                "t('setns', 308, 0, 0)\n"
                "t('ptrace', 101, 16, 1, 0, 0)\n"
                "t('bpf', 321, 0, 0, 0)\n"
                "t('perf', 298, 0, 0, 0, 0, 0)\n"
                "t('userfaultfd', 323, 1)\n"
                "t('keyctl', 250, 0, 0, 0)\n"
                "t('open_by_handle_at', 304, 0, 0, 0)\n"
                "t('fsopen', 430, b'tmpfs', 0)\n"
                "t('open_tree', 428, -100, b'/', 0)\n"
                "t('clone3', 435, 0, 0)\n"
                "t('io_uring', 425, 1, 0)\n"
                "t('vsock', 41, 40, 1, 0)\n"
                "t('packet', 41, 17, 3, 0)\n")
        outcome = self.assert_ok(self.python(code))
        for line in outcome["stdout"].splitlines():
            name, result, number = line.split()
            with self.subTest(call=name):
                self.assertEqual(result, "-1", line)
                expected = {"clone3": ("38",), "io_uring": ("38",), "vsock": ("1", "13", "97"), "packet": ("1", "13", "97")}
                self.assertIn(number, expected.get(name, ("1",)), line)

    def test_foreign_system_call_numbers_are_no_way_around(self):
        source = self.write("project/i386.c", "int main(void) { int r; __asm__ volatile(\"int $0x80\" : \"=a\"(r) : \"a\"(20)); "
                            "return r > 0 ? 42 : 0; }\n")
        if subprocess.run(["gcc", "-o", self.project + "/i386", source], capture_output=True).returncode:
            cannot("no C compiler for 32-bit system calls")
        outcome = self.outcome("run", "--json", "--", self.project + "/i386")
        self.assertNotEqual(outcome["exit_code"], 42, "getpid by int 0x80 was answered")


if __name__ == "__main__":
    main()
