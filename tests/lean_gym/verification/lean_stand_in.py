"""Stand-in for the programs `lean` and `lean4export`, made of minilean: the same command lines, the same files.

`lean -o X.olean X.lean` copies the source; `lean4export MODULE ... -- NAME ...` elaborates the source that it finds
on `LEAN_PATH` and writes it in lean4export's format, on top of the first files of minilean's library, which it proves.
A name that does not exist is passed over with a line on standard error, as in lean4export.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from minilean.check_command import check_text
from minilean.elab.sorry import with_sorry
from minilean.export.format import export_ndjson
from minilean.library.load import library_files, run_source
from minilean.meta.extension import LeanEnv

FILES = 4
"""Number of files of the library that stand for `Init`."""


def init() -> LeanEnv:
    env = LeanEnv()
    for path in library_files()[:FILES]:
        run_source(env, path.read_text("utf-8"), path.name, print, trusted=True)
    return env


def lean(arguments: list[str]) -> int:
    option, target, source = arguments
    assert option == "-o"
    text = Path(source).read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("import ")]
    Path(target).write_text("\n".join(lines), "utf-8")
    return 0


def lean4export(arguments: list[str]) -> int:
    cut = arguments.index("--")
    modules, names = arguments[:cut], arguments[cut + 1 :]
    env = with_sorry(init())
    for module in modules:
        found = [
            path
            for folder in os.environ.get("LEAN_PATH", "").split(":")
            if folder and (path := Path(folder, f"{module}.olean")).is_file()
        ]
        for path in found:
            for message in check_text(path.read_text("utf-8"), env):
                if message.severity == "error":
                    print(message.text, file=sys.stderr)
                    return 1
    known = [name for name in names if env.find(name) is not None]
    for name in names:
        if name not in known:
            print(f"PANIC: Constant {name} not found in environment.", file=sys.stderr)
    sys.stdout.write(export_ndjson(env.kernel, known))
    return 0


if __name__ == "__main__":
    sys.exit({"lean": lean, "lean4export": lean4export}[sys.argv[1]](sys.argv[2:]))
