// Runtime preset: Python, from the system, a virtual environment or pyenv, with the packages that the user has installed.
#include <cocoon/plugin.hpp>

// -S keeps the site module from running what a project put into its environment, and with it the part of Python that
// knows virtual environments: the command looks for pyvenv.cfg itself, beside the program as it was found.
// No bytecode is written at all. Redirecting it (PYTHONPYCACHEPREFIX) would also hide what is compiled already: every run
// would compile the standard library anew (33 ms instead of 21 for the shortest program).
COCOON_RUNTIME("python", R"json({
  "name": "python",
  "title": "Python",
  "aliases": ["python3", "py"],
  "find": ["python3", "python"],
  "discover": ["{exe}", "-I", "-S", "-c", "import json, os, site, sys; here = os.path.dirname(os.path.dirname(sys.argv[1])); venv = os.path.exists(os.path.join(here, 'pyvenv.cfg')); exe = sys.argv[1] if venv else sys.executable; venv = venv or os.path.exists(os.path.join(os.path.dirname(os.path.dirname(exe)), 'pyvenv.cfg')); here = os.path.dirname(os.path.dirname(exe)); user = site.getusersitepackages(); user = [user] if not venv and os.path.isdir(user) else []; print(json.dumps({'executable': exe, 'version': '.'.join(map(str, sys.version_info[:3])), 'directories': sorted({os.path.normpath(d) for d in ([here] if venv else []) + user + [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(os.__file__)] if os.path.isdir(d)}), **({'env': {'PYTHONUSERBASE': site.getuserbase()}} if user else {})}))", "{found}"],
  "discover_env": ["PYENV_VERSION", "PYENV_ROOT", "PYENV_DIR", "VIRTUAL_ENV", "PYTHONUSERBASE", "HOME"],
  "discover_files": [".python-version", "~/.pyenv/version", "$PYENV_ROOT/version"],
  "snippet": ["{exe}", "-c", "{code}"],
  "snippet_file": "main.py",
  "script": ["{exe}", "{file}"],
  "env": {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PIP_CACHE_DIR": "{scratch}/pip"
  },
  "memory_rlimit": true,
  "install": "apt install python3, dnf install python3, or see https://www.python.org/downloads"
})json")
