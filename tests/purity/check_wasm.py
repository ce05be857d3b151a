#!/usr/bin/env python3
"""Builds the planner as WebAssembly, where there is no operating system to call, and compares its plans with ours.

Usage: check_wasm.py SOURCE_FOLDER BUILD_FOLDER. Skipped where a tool is missing, unless COCOON_MUST_WORK=1.
"""
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77


def missing():
    if not (shutil.which("clang++-14") or shutil.which("clang++")):
        return "clang++"
    for tool in ("wasm-ld-14", "node", "ninja"):
        if not shutil.which(tool) and not (tool == "wasm-ld-14" and shutil.which("wasm-ld")):
            return tool
    for library in ("libc.a", "libc++.a", "libc++abi.a"):
        if not pathlib.Path("/usr/lib/wasm32-wasi", library).exists():
            return f"wasm32-wasi/{library}"
    return ""


def main():
    source, build = map(pathlib.Path, sys.argv[1:])
    if tool := missing():
        print(f"needs {tool}")
        return 1 if os.environ.get("COCOON_MUST_WORK") == "1" else SKIPPED
    subprocess.run(["cmake", "--preset", "wasm", "-B", build], cwd=source, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "-j2", "--quiet"], check=True)
    module = build / "bin" / "cocoon-plan.wasm"
    return subprocess.run(["node", source / "tests/purity/run_wasm.mjs", module, source / "tests/golden"]).returncode


if __name__ == "__main__":
    sys.exit(main())
