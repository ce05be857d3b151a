#!/usr/bin/env python3
"""bwrap_policy.py PLAN_JSON FILTERS_INC FOLDER: writes into FOLDER the arguments for bubblewrap that give a guest what the plan
gives it (bwrap.args, one a line) and the plan's seccomp filter as bubblewrap takes it (seccomp.bpf).

What bubblewrap cannot do is left out, in its favour: Landlock, limits, measuring, limits of inodes, capture of output."""
import json
import os
import pathlib
import re
import struct
import sys


def mount_arguments(mounts, folder):
    for number, mount in enumerate(mounts):
        kind, target = mount["kind"], mount["target"]
        if target == "/dev" or target.startswith("/dev/") and kind != "tmpfs":
            continue  # its --dev makes the same nodes and links
        if kind == "bind":
            yield from ("--bind" if mount.get("writable") else "--ro-bind", mount["source"], target)
        elif kind == "symlink":
            yield from ("--symlink", mount["source"], target)
        elif kind == "file":
            content = folder / f"file-{number}"
            content.write_text(mount["content"])
            content.chmod(0o644)
            yield from ("--ro-bind", str(content), target)
        elif kind == "directory":
            yield from ("--perms", f"{mount['mode']:04o}", "--dir", target)
        elif kind == "tmpfs":
            yield from ("--perms", f"{mount['mode']:04o}", "--size", str(mount["size_kib"] * 1024), "--tmpfs", target)
        elif kind == "proc":
            yield from ("--proc", target, "--dev", "/dev")
        elif kind == "remount_ro":
            yield from ("--ro-bind", target, target)
        elif kind == "mask":
            if os.path.isdir(target):
                yield from ("--tmpfs", target, "--remount-ro", target)
            elif os.path.lexists(target):
                yield from ("--ro-bind", "/dev/null", target)
        else:
            sys.exit(f"bwrap_policy: the plan has a mount of the kind {kind}, which is not known here")


def arguments(stage, folder):
    yield from ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    yield from ("--hostname", stage["hostname"], "--clearenv")
    for name, value in stage["env"].items():
        yield from ("--setenv", name, value)
    yield from mount_arguments(stage["mounts"], folder)
    yield from ("--remount-ro", "/", "--chdir", stage["cwd"], "--")


def filter_program(text, name):
    array = re.search(r"filter_" + name.replace("-", "_") + r"\[\] = \{(.*?)\n\};", text, re.DOTALL)
    words = re.findall(r"\{(\w+), (\w+), (\w+), (\w+)\}", array.group(1))
    return b"".join(struct.pack("=HBBI", *(int(word, 0) for word in line)) for line in words)


def main():
    plan, filters, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    stage = json.loads(plan.read_text())["stages"][0]
    lines = list(arguments(stage, folder))
    (folder / "bwrap.args").write_text("".join(line + "\n" for line in lines))
    (folder / "seccomp.bpf").write_bytes(filter_program(filters.read_text(), stage["seccomp"]))


main()
