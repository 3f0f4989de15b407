"""The command line of the programs that make a theorem set: write its file, or compare it with a new one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any


def run(path: Path, rows: Callable[[], Iterable[dict[str, Any]]], arguments: Sequence[str] | None) -> int:
    """Run the command line; return its exit status, 1 if `--check` finds a difference.

    Args:
        path: File of the set. Its stem names the set and the module of `envs_data` that makes it.
        rows: Makes the rows.
        arguments: Words of the command line; those of the process if left out.
    """
    program = f"python -m envs_data.{path.stem}"
    parser = argparse.ArgumentParser(prog=program, description=f"Make the set `{path.stem}`.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(arguments)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows())
    print(f"{text.count(chr(10))} rows")
    if not options.check:
        path.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path} is not what the generator gives; run `{program}`", file=sys.stderr)
    return 1
