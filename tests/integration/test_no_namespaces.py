"""Where the host refuses user namespaces the program says so, names the cause and what to do, and runs nothing."""
import ctypes
import json
import struct
import subprocess

from cocoon_test import COCOON, LIBC, CocoonTest, cannot, main

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, CLONE_NEWUSER = 38, 22, 0x10000000
LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
CALL_NUMBER, FIRST_ARGUMENT = 0, 16  # offsets in struct seccomp_data
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def install(instructions):
    """Puts a seccomp filter, given as BPF (code, jump if true, jump if false, value), on this process for good."""
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    code = ctypes.create_string_buffer(program)
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code)))
    if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or LIBC.prctl(PR_SET_SECCOMP, 2, head, 0, 0):
        raise OSError("no seccomp")


def deny_calls(numbers, errno):
    """These system calls answer errno: a stand-in for a host that lacks or forbids them."""
    tests = [(JUMP_EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    install([(LOAD, 0, 0, CALL_NUMBER), *tests, (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ERRNO | errno)])


def deny_user_namespaces():
    """clone and unshare with CLONE_NEWUSER answer EPERM and clone3 ENOSYS, as a container runtime's default profile does."""
    install([(LOAD, 0, 0, CALL_NUMBER),          # 0
             (JUMP_EQUAL, 5, 0, 435),            # 1 clone3: 7
             (JUMP_EQUAL, 1, 0, 56),             # 2 clone: 4
             (JUMP_EQUAL, 0, 2, 272),            # 3 unshare: 4, anything else: 6
             (LOAD, 0, 0, FIRST_ARGUMENT),       # 4
             (JUMP_SET, 2, 0, CLONE_NEWUSER),    # 5 set: 8
             (RETURN, 0, 0, ALLOW),              # 6
             (RETURN, 0, 0, ERRNO | 38),         # 7 ENOSYS
             (RETURN, 0, 0, ERRNO | 1)])         # 8 EPERM


class NoNamespaces(CocoonTest):
    def check(self, run):
        self.assertEqual(run.code, 125, str(run))
        self.assertNotIn(b"guest ran", run.out + run.err)
        value = json.loads(run.out)
        error = value["error"]
        self.assertRegex(error["message"] + error["hint"], "user namespace")
        self.assertTrue(error["hint"], "the error says nothing about what to do")
        self.assertEqual(run.err.count(b"\n"), 1, str(run))
        return error

    def without_more(self, kind):
        """A run one user namespace further in, where the count of that kind of namespace is down to 0."""
        probe = subprocess.run(["unshare", "-Ur", "true"], capture_output=True)
        if probe.returncode:
            cannot("no user namespaces on this host at all")
        script = f'echo 0 > /proc/sys/user/max_{kind}_namespaces && exec "$0" "$@"'
        real = self.start

        def inside(*args, **kw):
            process = subprocess.Popen(["unshare", "-Ur", "sh", "-c", script, COCOON, *args], cwd=self.project, env=self.env,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.helpers.add(process.pid)
            return process

        self.start = inside
        try:
            return self.cocoon("run", "--json", "--", "/bin/echo", "guest ran")
        finally:
            self.start = real

    def test_all_used_up(self):
        error = self.check(self.without_more("user"))
        self.assertRegex(error["message"] + error["hint"], "max_user_namespaces")

    def test_no_network_namespace_left(self):
        run = self.without_more("net")
        self.assertEqual(run.code, 125, str(run))
        self.assertNotIn(b"guest ran", run.out)
        error = json.loads(run.out)["error"]
        self.assertIn("create the network namespace", error["message"])
        self.assertIn("max_net_namespaces", error["hint"])

    def test_refused_by_a_filter(self):
        self.check(self.cocoon("run", "--json", "--", "/bin/echo", "guest ran", preexec_fn=deny_user_namespaces))

    def test_info_tells_it_too(self):
        run = self.cocoon("info", preexec_fn=deny_user_namespaces)
        self.assertRegex(run.out.decode(), "user namespace")
        self.assertEqual(run.code, 1, "scripts ask by the exit code whether anything can run here")

    def test_mounts_refused(self):
        # mount, umount2, pivot_root, fsopen, fsmount, move_mount, open_tree, mount_setattr answer EACCES.
        run = self.cocoon("run", "--json", "--", "/bin/echo", "guest ran",
                          preexec_fn=lambda: deny_calls((165, 166, 155, 430, 432, 429, 428, 442), 13))
        self.assertEqual(run.code, 125, str(run))
        self.assertNotIn(b"guest ran", run.out)
        value = json.loads(run.out)
        self.assertTrue(value["error"]["message"])

    def test_without_seccomp_or_landlock_the_loss_is_visible(self):
        # seccomp(2) and landlock_create_ruleset answer ENOSYS; prctl(PR_SET_SECCOMP) still works, so it may be used.
        run = self.cocoon("run", "--json", "--", "/bin/echo", "guest ran", preexec_fn=lambda: deny_calls((444,), 38))
        value = json.loads(run.out)
        if "exit_code" in value and value["status"] == "exited":
            self.assertRegex(value["isolation"].get("landlock", "absent"), "(?i)absent|not|missing|no ")
        run = self.cocoon("run", "--require", "landlock", "--json", "--", "/bin/echo", "guest ran",
                          preexec_fn=lambda: deny_calls((444,), 38))
        self.assertEqual(run.code, 125, str(run))
        self.assertNotIn(b"guest ran", run.out)
        self.assertIn(b"landlock", run.err)


class Require(CocoonTest):
    def test_what_is_there_may_be_required(self):
        self.assert_ok(self.python("pass", *[x for layer in ("user", "mount", "pid", "net", "seccomp", "capabilities", "no_new_privs")
                                             for x in ("--require", layer)]))


if __name__ == "__main__":
    main()
