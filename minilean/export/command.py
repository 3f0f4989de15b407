"""`python -m minilean export FILE.lean`: write finished theorems for other checkers.

    python -m minilean export Proofs.lean --theorem t                    the source, script and all
    python -m minilean export Proofs.lean --theorem t --as term          one explicit term a declaration
    python -m minilean export Proofs.lean --theorem t --as lean4export   lean4export's format, 3.1.0

`script` is for Lean itself. `term` writes `theorem t : .. := @And.intro p q ..` with every argument explicit;
declarations that Lean does not have come first, renamed. `lean4export` has everything down to the axioms, for
independent kernels; `lean4export-2.0` is the older text format for kernels that do not read JSON. The default of
`--theorem` is the last theorem of the file; `--all` exports the whole library and all declarations of the file, in
one of the two lean4export formats. With `--given` the theorems of the library are axioms, and only what the file rests
on is written: the proofs of the file are for the checker, those of the library are not.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from minilean.check_command import check_text
from minilean.command_line import Parser
from minilean.export.format import export_ndjson, export_text
from minilean.export.terms import export_terms
from minilean.kernel.declaration import TheoremDecl
from minilean.kernel.fuel import deep_stack
from minilean.library import library
from minilean.library.load import build_library
from minilean.meta.extension import LeanEnv

FORMATS = ("script", "term", "lean4export", "lean4export-2.0")


class ExportError(Exception):
    """A theorem or file that cannot be exported, with the reason."""


def script_text(statement: str, tactics: Sequence[str]) -> str:
    """Return a Lean 4 file with a statement and the tactics that prove it.

    Args:
        statement: `theorem name binders : proposition`.
        tactics: The steps, each of one or more lines.
    """
    lines = [f"  {line}" if line else "" for step in tactics for line in step.splitlines()]
    return f"{statement.rstrip()} := by\n" + "\n".join(lines) + "\n"


def exported(
    source: str, theorem: str | None, form: str, *, everything: bool = False, given: bool = False
) -> str:
    """Return a theorem of a Lean file as text in one of `FORMATS`.

    Args:
        source: A Lean file.
        theorem: A full name; `None` for the last theorem.
        form: One of `FORMATS`.
        everything: All declarations of the file and of the library instead; `form` is one of lean4export's.
        given: Theorems of the library as axioms, and no more of it than is needed; `form` is `"lean4export"`.

    Raises:
        ExportError: The file has errors, or no such theorem.
    """
    # the cached library does not have proofs, which a script does not need
    base = library() if form == "script" or given else build_library()
    env = base.child()
    errors = [message for message in check_text(source, env) if message.severity == "error"]
    if errors:
        raise ExportError(f"line {errors[0].line}: {errors[0].text}")
    names = list(env.kernel) if everything else [_chosen(base, env, theorem)]
    if given:
        names = [name for name in names if base.find(name) is None]
    if form == "script":
        return source
    with deep_stack():
        if form == "term":
            return export_terms(base, env, names[0])
        if given:
            return export_ndjson(env.kernel, names, stated=base.kernel)
        export = export_ndjson if form == "lean4export" else export_text
        return export(env.kernel, names)


def _chosen(base: LeanEnv, env: LeanEnv, wanted: str | None) -> str:
    theorems = [
        name for name in env.kernel
        if isinstance(env.find(name), TheoremDecl) and base.find(name) is None
        and not name.endswith((".eq_def", ".inj", ".injEq")) and not name.rpartition(".")[2].startswith("eq_")
    ]  # fmt: skip
    if wanted is None:
        if not theorems:
            raise ExportError("no theorem in the file; expected at least one")
        return theorems[-1]
    if wanted not in theorems:
        nearest = difflib.get_close_matches(wanted, theorems, n=1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise ExportError(
            f"unknown theorem {wanted!r}{hint} (known: {', '.join(sorted(theorems)) or 'none'})"
        )
    return wanted


def main(argv: Sequence[str]) -> int:
    """Run the command line.

    Returns:
        The exit status: 0, 1 if the export fails, 2 if the file cannot be read.
    """
    parser = Parser(
        prog="python -m minilean export", description="Write a proved theorem for other checkers."
    )
    parser.add_argument("file", metavar="FILE", help="a Lean source file without errors")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--theorem", metavar="NAME", help="full name; the last theorem of the file by default")
    which.add_argument("--all", action="store_true", help="the whole file and the library, for lean4export")
    parser.add_argument(
        "--given", action="store_true", help="the library's theorems as axioms, for lean4export"
    )
    parser.add_argument("--as", dest="form", choices=FORMATS, default="script", help="format of the output")
    parser.add_argument("--output", metavar="PATH", help="output file; standard output by default")
    options = parser.parse_args(list(argv))
    if options.all and not options.form.startswith("lean4export"):
        parser.error(f"--all writes lean4export's formats, got --as {options.form}")
    if options.given and options.form != "lean4export":
        parser.error(f"--given is for --as lean4export, got --as {options.form}")
    try:
        source = Path(options.file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        print(f"{options.file}: cannot be read: {error}; expected a UTF-8 text file", file=sys.stderr)
        return 2
    try:
        text = exported(source, options.theorem, options.form, everything=options.all, given=options.given)
    except ExportError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 1
    if options.output is None:
        sys.stdout.write(text)
    else:
        Path(options.output).write_text(text, "utf-8")
    return 0
