"""The host around a case: a folder tree with secrets, services that note every contact, and a victim process."""
import ctypes
import fcntl
import hashlib
import os
import re
import secrets
import select
import shutil
import socket
import stat
import struct
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
SECRET_FILES = (".ssh/id_ed25519", ".ssh/config", ".aws/credentials", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
                ".docker/config.json", ".kube/config", ".config/gh/hosts.yml", ".config/gcloud/credentials.db", ".bash_history",
                ".gnupg/private-keys-v1.d/k", ".claude/.credentials.json", ".codex/auth.json", ".env", ".bashrc")


def digest(root, skip=()):
    """Path below root -> kind, mode, owner, size, links and content: two of these compare a folder over time."""

    def one(path):
        info = os.lstat(path)
        entry = [stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), info.st_uid]
        if stat.S_ISREG(info.st_mode):
            entry += [info.st_size, info.st_nlink]
            if info.st_size < 1 << 20:
                with open(path, "rb") as f:
                    entry.append(hashlib.sha256(f.read()).hexdigest())
        elif stat.S_ISLNK(info.st_mode):
            entry.append(os.readlink(path))
        return tuple(entry)

    found = {}
    if not os.path.lexists(root):
        return found
    found["."] = one(root)
    if os.path.isdir(root) and not os.path.islink(root):
        for folder, folders, files in os.walk(root):
            folders[:] = [x for x in folders if os.path.join(folder, x) not in skip]
            for name in folders + files:
                path = os.path.join(folder, name)
                if path not in skip:
                    try:
                        found[os.path.relpath(path, root)] = one(path)
                    except OSError:
                        pass
    return found


def difference(before, after):
    return ["%s %s" % ("gone" if k not in after else "new" if k not in before else "changed", k)
            for k in sorted(set(before) | set(after)) if before.get(k) != after.get(k)]


class Services(threading.Thread):
    """All the host's listeners in one thread: every contact is noted by name and answered with the secret."""

    def __init__(self):
        super().__init__(daemon=True)
        self.names, self.contacts, self.ports = {}, [], {}
        self.secret, self.lock = b"none", threading.Lock()

    def add(self, name, family, kind, address):
        server = socket.socket(family, kind)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            server.bind(address)
        except OSError:
            server.close()
            return None
        if kind == socket.SOCK_STREAM:
            server.listen(20)
        server.setblocking(False)
        with self.lock:
            self.names[server] = name
        if family in (socket.AF_INET, socket.AF_INET6):
            self.ports[name] = server.getsockname()[1]
        elif not address.startswith("\0"):
            os.chmod(address, 0o777)
        return server

    def drop(self, server):
        with self.lock:
            self.names.pop(server, None)
        server.close()

    def run(self):
        while True:
            with self.lock:
                servers = list(self.names)
            try:
                ready, _, _ = select.select(servers, [], [], 0.05)
            except (OSError, ValueError):
                continue
            for server in ready:
                try:
                    self.answer(server, self.names.get(server))
                except OSError:
                    pass

    def answer(self, server, name):
        if server.type == socket.SOCK_STREAM:
            connection, _ = server.accept()
            self.contacts.append(name)
            with connection:
                connection.settimeout(0.5)
                connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + self.secret)
        else:
            _, sender = server.recvfrom(2048)
            self.contacts.append(name)
            if sender:
                server.sendto(self.secret, sender)


def private_network():
    """Puts this process into a network namespace of its own, with addresses for fake services: nothing here can leave
    the machine. True if that worked."""
    if LIBC.unshare(CLONE_NEWNET):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:

        def configure(request, name, *parts):
            fcntl.ioctl(control, request, struct.pack("16s", name) + b"".join(parts) + b"\0" * 32)

        def address(text):
            return struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))

        try:
            configure(0x8914, b"lo", struct.pack("=h", 0x49))  # SIOCSIFFLAGS: up
            for i, ip in enumerate(("169.254.169.254", "10.77.0.1")):  # cloud metadata, a neighbour in the LAN
                configure(0x8916, b"lo:%d" % (i + 1), address(ip))  # SIOCSIFADDR
                configure(0x891C, b"lo:%d" % (i + 1), address("255.255.255.255"))  # SIOCSIFNETMASK
            with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w") as f:  # services on ports 80 and 53
                f.write("0")
        except OSError:
            return False
    return True


class World:
    """One case's surroundings. Values for {NAMES} in cases.json are in `values`."""

    def __init__(self, case, base, uid, services, become):
        self.case, self.uid, self.services = case, uid, services
        self.sockets, self.outside = [], []  # outside: paths not below the base, removed at the end
        nonce = secrets.token_hex(8)
        root = tempfile.mkdtemp(prefix="hostile-", dir=base)
        self.values = v = {"B": root, "NONCE": nonce, "SECRET": "SECRET-" + nonce, "TAG": "SECRET-" + nonce[:6], "PY": PYTHON,
                           "NAME": "hostile-" + secrets.token_hex(5), "HOME": root + "/home", "HOST": root + "/host",
                           "PROJ": root + "/home/proj", "WORK": root + "/home/proj/work", "RO": root + "/home/proj/ro",
                           "COPY": root + "/home/proj/copy", "CASE": root + "/case", "SOCK": root + "/s"}
        v["RTAG"] = v["TAG"][::-1]
        self.build()
        for step in case.get("setup", []):
            self.step({k: self.fill(x) if isinstance(x, str) else x for k, x in step.items()})
        self.give_to_user()
        self.start_victim(become)
        v.update({"TCP": str(services.ports.get("tcp", 0)), "UDP": str(services.ports.get("udp", 0)),
                  "TCP6": str(services.ports.get("tcp6", 0)), "LISTEN": str(20000 + secrets.randbelow(9000)),
                  "HOSTNAME": os.uname().nodename})
        for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
            v["NS_" + name] = os.readlink("/proc/self/ns/" + name)

    def fill(self, text):
        text = re.sub(r"\{BIG:(\d+)\}", lambda m: "A" * int(m[1]), text)
        return re.sub(r"\{([A-Za-z_0-9]+)\}", lambda m: self.values.get(m[1], m[0]), text)

    def write(self, path, text, mode=0o600):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)

    def build(self):
        v, secret = self.values, self.values["SECRET"] + "\n"
        for name in SECRET_FILES:
            self.write(v["HOME"] + "/" + name, "# " + secret)
        self.write(v["HOST"] + "/secret.txt", secret)
        self.write(v["HOST"] + "/victim.txt", "keep me\n", 0o644)
        self.write(v["PROJ"] + "/sibling/secret.txt", secret)
        for name in ("RO", "WORK", "COPY"):
            self.write(v[name] + "/file.txt", "hello from %s\n" % name, 0o644)
            self.write(v[name] + "/other.txt", "other\n", 0o644)
        self.write(v["COPY"] + "/sub/x.txt", "x\n", 0o644)
        for path in (v["SOCK"], v["B"] + "/run", v["B"] + "/cache", v["CASE"], v["HOME"] + "/.docker/run"):
            os.makedirs(path)
        for path in self.case["files"]:
            target = os.path.join(v["CASE"], os.path.basename(path))
            shutil.copy(path, target)
            os.chmod(target, 0o755)
        shared = "/tmp/%s.sock" % v["NAME"]
        self.outside.append(shared)
        for name, address in (("svc", v["SOCK"] + "/svc.sock"), ("agent", v["SOCK"] + "/agent.sock"), ("bus", v["B"] + "/run/bus"),
                              ("docker", v["HOME"] + "/.docker/run/docker.sock"), ("tmp", shared), ("abstract", "\0" + v["NAME"])):
            self.sockets.append(self.services.add("unix:" + name, socket.AF_UNIX, socket.SOCK_STREAM, address))

    def step(self, step):
        """One entry of a case's setup."""
        if "file" in step:
            self.write(step["file"], step["text"], step.get("mode", 0o600))
        elif "dir" in step:
            os.makedirs(step["dir"])
        elif "link" in step:
            os.symlink(step["to"], step["link"])
        elif "listen_unix" in step:
            self.sockets.append(self.services.add("unix:in-grant", socket.AF_UNIX, socket.SOCK_STREAM, step["listen_unix"]))
        elif "many" in step:
            for i in range(step["n"]):
                self.write(step["many"] + "/d%d/f%d" % (i % 30, i), "x%d\n" % i, 0o644)
        else:
            raise ValueError("unknown setup step: %r" % step)

    def give_to_user(self):
        v = self.values
        if os.geteuid() == 0:
            for folder, _, files in os.walk(v["B"]):
                os.lchown(folder, self.uid, self.uid)
                for name in files:
                    os.lchown(os.path.join(folder, name), self.uid, self.uid)
            for path in self.outside:
                os.lchown(path, self.uid, self.uid)
        os.chmod(v["B"], 0o755)
        os.chmod(v["HOST"], 0o755)

    def start_victim(self, become):
        v = self.values
        v["SHMKEY"] = str(secrets.randbelow(1 << 30) + 1)
        self.victim = subprocess.Popen(
            [os.path.join(HERE, "bin", "victim"), "secret=" + v["SECRET"], "file=" + v["HOST"] + "/secret.txt", "shmkey=" + v["SHMKEY"]],
            stdout=subprocess.PIPE, cwd=v["HOST"], env={"VICTIM_TOKEN": v["SECRET"]}, preexec_fn=become, start_new_session=True)
        v["VPID"], v["VADDR"], v["VFD"], v["VSHM"] = (x.decode() for x in self.victim.stdout.readline().split())

    def close(self):
        for server in self.sockets:
            if server:
                self.services.drop(server)
        if self.victim.poll() is None:
            self.victim.terminate()
        try:
            self.victim.wait(2)
        except subprocess.TimeoutExpired:
            self.victim.kill()
            self.victim.wait()
        self.victim.stdout.close()
        for path in self.outside:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.lexists(path):
                os.unlink(path)

        def retry(function, path, _):
            try:
                os.chmod(os.path.dirname(path), 0o700)
                os.chmod(path, 0o700)
                function(path)
            except OSError:
                pass

        shutil.rmtree(self.values["B"], onerror=retry)
