"""The MCP bundle of the installed program and its announcement to the registry: made by scripts/bundle, held against the
official tool (mcpb) and the registry's format, unpacked, and started from there."""
import hashlib
import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))

# What the registry's published schema (2025-12-11) says of the fields that we have, and its rules for bundles. Its validator
# is no npm package.
TEXTS = {"$schema": (r"https://static\.modelcontextprotocol\.io/schemas/2025-12-11/server\.schema\.json", 255),
         "name": (r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", 200), "title": (r".+", 100), "description": (r".+", 100),
         "version": (r"\d+\.\d+\.\d+", 255)}
OF_PACKAGE = {"registryType": r"mcpb", "identifier": r"https://\S*mcp\S*", "version": r"\d+\.\d+\.\d+",
              "fileSha256": r"[a-f0-9]{64}"}


def announcement_errors(server):
    errors = []
    for key, (pattern, longest) in TEXTS.items():
        value = server.get(key)
        if not isinstance(value, str) or not re.fullmatch(pattern, value) or len(value) > longest:
            errors.append("%s: %r" % (key, value))
    errors += ["%s is not known" % key for key in server if key not in TEXTS and key != "packages"]
    for package in server.get("packages") or [{}]:
        for key, pattern in OF_PACKAGE.items():
            if not re.fullmatch(pattern, str(package.get(key))):
                errors.append("packages.%s: %r" % (key, package.get(key)))
        errors += ["packages.%s is not known" % key for key in package if key not in OF_PACKAGE and key != "transport"]
        if package.get("transport") != {"type": "stdio"}:
            errors.append("packages.transport: %r" % package.get("transport"))
    return errors


def check(node, folder, scratch, cocoon):
    failed = []

    def case(name, good, told=""):
        print("%-5s bundle, %s" % ("ok" if good else "WRONG", name))
        if not good:
            failed.append("bundle " + name)
            print(told)

    def run(name, *words):
        done = subprocess.run(words, cwd=scratch, capture_output=True, text=True, timeout=300)
        case(name, done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done

    mcpb = [node, os.path.join(folder, "node_modules", ".bin", "mcpb")]
    prefix = os.path.dirname(os.path.dirname(cocoon))
    make = os.path.join(SOURCE, "scripts", "bundle")
    made = [run("is made", make, prefix, os.path.join(scratch, name)) for name in ("once", "again")]
    if failed:
        return failed
    path, again = (done.stdout.strip() for done in made)
    with open(path, "rb") as f, open(again, "rb") as g:
        data = f.read()
        case("is the same when it is made again", data == g.read())
    case("is of a size to download", len(data) < 40 << 20, str(len(data)))

    with open(os.path.join(os.path.dirname(path), "server.json"), encoding="utf-8") as f:
        server = json.load(f)
    errors = announcement_errors(server)
    case("server.json has the registry's form", not errors, "\n".join(errors))
    package = server["packages"][0]
    case("server.json names this bundle", package["fileSha256"] == hashlib.sha256(data).hexdigest() and
         package["identifier"].endswith("/" + os.path.basename(path)), json.dumps(package))

    run("the manifest is valid", *mcpb, "validate", os.path.join(SOURCE, "packaging", "mcpb", "manifest.json"))
    unpacked = os.path.join(scratch, "unpacked")
    run("can be unpacked", *mcpb, "unpack", path, unpacked)
    run("can be packed", *mcpb, "pack", unpacked, os.path.join(scratch, "packed.mcpb"))
    script = shutil.copy(os.path.join(HERE, "bundle.mjs"), folder)
    run("its server lists tools and runs code", node, script, unpacked)
    return failed
