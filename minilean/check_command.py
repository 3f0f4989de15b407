"""`python -m minilean check FILE.lean ...`: elaborate whole files and print Lean's messages.

    python -m minilean check Proofs.lean          Proofs.lean:3:2: error: unsolved goals ...
    python -m minilean check --json Proofs.lean   one JSON object a message

`import Foo.Bar` reads `Foo/Bar.lean` below the root of the project; `Init`, `Std` and `Lean` are minilean's library.
After an error the next command is tried. A theorem whose proof is refused is declared all the same, and a file that
imports one with errors finds what was accepted of it; then the last line, on standard error, says which theorems are
proved without such a theorem. Positions are Lean's: lines from 1, columns from 0. The exit status is
1 when there was an error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from minilean.command_line import Parser
from minilean.elab.sorry import with_sorry
from minilean.library import library
from minilean.meta.extension import LeanEnv
from minilean.project.checking import Account, CheckingRunner, checking_runner
from minilean.project.header import split_header, without_header
from minilean.project.loading import Project
from minilean.project.modules import ProjectError, project_root, read_source
from minilean.project.running import Message, run_text
from minilean.tactics.state import run_nested


def check_text(
    text: str, env: LeanEnv | None = None, seconds: float = 60.0, on_command: Callable[[], None] | None = None
) -> list[Message]:
    """Elaborate a whole file without imports on top of the library.

    Args:
        text: The source.
        env: The environment that gets the declarations; by default a new scope on top of the library, in which
            `sorry` is an axiom, reported by a warning. In an environment without that axiom `sorry` is refused.
        seconds: Time for one command.
        on_command: Called before each command.

    Returns:
        The messages, in order.
    """
    base = with_sorry(library()) if env is None else env
    return run_text(
        text, lambda report: CheckingRunner(base, run_nested, seconds=seconds, report=report), on_command
    )[1]


def check_file(file: Path, project: Project) -> tuple[list[Message], Account | None]:
    """Elaborate a file after the modules that it imports.

    Args:
        file: The file.
        project: The project in which its imports are looked for. In a lenient one the file finds what was accepted of
            a module with errors; each such module is an error of the file.

    Returns:
        The messages, in order, and what became of the theorems; an import that cannot be used is the only message.

    Raises:
        ProjectError: The file cannot be read.
    """
    source = read_source(file, file.parent, file.stem)
    text = without_header(source.text, split_header(source.text)[1])
    try:
        env, scope = project.environment(source.imports)
        failed = project.failed_imports(source.imports)
    except ProjectError as error:
        return [Message("error", 1, 0, str(error))], None
    runner, messages = run_text(text, lambda report: checking_runner(source, env, scope, report))
    return [*(Message("error", 1, 0, line) for line in failed), *messages], runner.account()


def main(argv: Sequence[str]) -> int:
    """Run the command line.

    Returns:
        The exit status: 0, 1 for errors in a file, 2 for a file that cannot be read.
    """
    parser = Parser(
        prog="python -m minilean check",
        description="Elaborate Lean files and print Lean's messages.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a Lean source file")
    parser.add_argument(
        "--root",
        metavar="DIR",
        type=Path,
        help="folder in which imports are looked for; by default the one with the lakefile, else that of the file",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a message")
    options = parser.parse_args(list(argv))
    status = 0
    projects: dict[Path, Project] = {}
    for name in options.files:
        root = options.root or project_root(Path(name))
        try:
            if root not in projects:
                projects[root] = Project(root, lenient=True, make_runner=checking_runner)
            messages, account = check_file(Path(name), projects[root])
        except ProjectError as error:
            print(f"{name}: {error}; expected a UTF-8 text file", file=sys.stderr)
            return 2
        failed = any(message.severity == "error" for message in messages)
        if failed:
            status = 1
        for message in messages:
            if options.json:
                row = {
                    "fileName": name, "severity": message.severity.replace("trace", "info"), "data": message.text,
                    "pos": {"line": message.line, "column": message.column},
                }  # fmt: skip
                print(json.dumps(row, ensure_ascii=False))
            else:
                print(message.format(name))
        if failed and account is not None:
            print(f"{name}: {account.text()}", file=sys.stderr)
    return status
