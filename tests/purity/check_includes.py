#!/usr/bin/env python3
"""The planner, the protocol and the values are pure: what they include and name leads to no operating system, clock or exception."""
import pathlib
import re
import sys

# Pure parts of the standard library. Not here on purpose: filesystem, fstream, iostream, chrono, thread, mutex, atomic,
# random, cstdio, cstdlib, ctime, locale and everything of POSIX.
PURE_STANDARD = {
    "algorithm", "array", "cassert", "charconv", "cmath", "cstddef", "cstdint", "iterator", "limits", "map", "optional", "span", "string",
    "string_view", "utility", "variant", "vector", "stddef.h", "stdint.h",
}
PURE_LIBRARIES = {"nlohmann/json.hpp"}

# Pure folders and files, and the own headers that they may include in quotes (path prefixes). plugin.hpp is not among
# them: it holds the barrier that plugins' exceptions end at.
LAYERS = [
    ("sdk/include/cocoon/result.hpp", ()),
    ("sdk/include/cocoon/json_writer.hpp", ()),
    ("sdk/include/cocoon/plan.hpp", ()),
    ("sdk/include/cocoon/outcome.hpp", ()),
    ("sdk/include/cocoon/lexical.hpp", ()),
    ("sdk/src", ("json_quick.hpp", "json_reader.hpp", "utf8.hpp")),
    ("server/plan", ("plan/", "json_quick.hpp", "json_reader.hpp", "utf8.hpp")),
    ("server/mcp", ("mcp/", "json_reader.hpp")),
]
# Names of the standard library's headers above, and built-ins, that still reach the outside.
FORBIDDEN_WORDS = re.compile(
    r"\b(getenv|system|popen|fopen|printf|puts|clock|time|rand|getpid|throw|try|catch|thread_local|std::cout|std::cerr)"
    r"\s*\(|\b(throw|try|catch)\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def sources(folder):
    if folder.is_file():
        return [folder]
    return sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp", ".h", ".c"))


def without_comments_and_strings(line):
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    return line.split("//")[0]


def check_pure(root, path, own):
    name = str(path.relative_to(root))
    allowed = PURE_STANDARD | PURE_LIBRARIES
    in_comment = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if include := INCLUDE.match(line):
            kind, header = include.groups()
            fine = header in allowed or header.startswith("cocoon/") if kind == "<" else header.startswith(own)
            if not fine:
                yield f"{name}:{number}: must not include {header}"
            continue
        if line.lstrip().startswith("/*"):
            in_comment = True
        if not in_comment and (word := FORBIDDEN_WORDS.search(without_comments_and_strings(line))):
            yield f"{name}:{number}: must not use {word.group().strip('( ')}"
        if "*/" in line:
            in_comment = False


def check(root):
    for folder, own in LAYERS:
        files = sources(root / folder)
        if not files:
            yield f"{folder}: holds no source at all"
        for path in files:
            yield from check_pure(root, path, own)


def main():
    problems = list(check(pathlib.Path(sys.argv[1])))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
