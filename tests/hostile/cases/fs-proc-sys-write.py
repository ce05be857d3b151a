"""Kernel settings under /proc/sys and other writable /proc files. Only opened; where a write is tried, it is the value that is there."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


own = {
    "kernel/hostname": "uts",
    "kernel/domainname": "uts",
    "kernel/ns_last_pid": "pid",
    "net/ipv4/ip_forward": "net",
    "user/max_user_namespaces": "user",
    "kernel/shmmax": "ipc",
}
only_open = ("kernel/hotplug", "kernel/modprobe", "vm/drop_caches", "fs/binfmt_misc/register")
for p in (
    "kernel/core_pattern",
    "kernel/modprobe",
    "kernel/hotplug",
    "kernel/hostname",
    "kernel/domainname",
    "kernel/ns_last_pid",
    "vm/overcommit_memory",
    "vm/drop_caches",
    "net/ipv4/ip_forward",
    "fs/binfmt_misc/register",
    "kernel/randomize_va_space",
    "kernel/yama/ptrace_scope",
    "user/max_user_namespaces",
    "kernel/shmmax",
    "fs/file-max",
):
    f = "/proc/sys/" + p
    n += 1
    try:
        if p in own and os.readlink("/proc/self/ns/" + own[p]) != A[own[p]]:
            continue
        if p in only_open:
            os.close(os.open(f, os.O_WRONLY))
            bad.append("opened for writing " + f)
            continue
        v = open(f, "rb").read()
        fd = os.open(f, os.O_WRONLY)
        os.write(fd, v)
        os.close(fd)
        bad.append("wrote " + f)
    except OSError as e:
        print("  ", f, e.strerror)
for f in ("/proc/sysrq-trigger", "/proc/irq/0/smp_affinity", "/proc/acpi/wakeup", "/proc/scsi/scsi", "/proc/mtrr"):
    n += 1
    try:
        os.close(os.open(f, os.O_WRONLY))
        bad.append("opened for writing " + f)
    except OSError as e:
        pass
done()
