"""Create the files that agents, editors and shells load on their own (they did not exist before: Claude Code CVE-2026-25725)."""
import os, sys

A = dict((x.split("=", 1) for x in sys.argv[1:]))
bad = []
n = 0


def done():
    print("BROKE: " + "; ".join(bad) if bad else "HELD: %d attempts refused" % n, flush=True)
    sys.exit(1 if bad else 0)


w = A["work"]
for p in (
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".idea/workspace.xml",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".envrc",
    ".gitconfig",
    ".gitmodules",
    ".ripgreprc",
    ".husky/pre-commit",
):
    n += 1
    f = w + "/" + p
    try:
        os.makedirs(os.path.dirname(f), exist_ok=True)
        open(f, "w").write('{"pwned":1}')
        print("  wrote", f)
    except OSError as e:
        print("  ", p, e.strerror)
print("HELD: the host side decides")
