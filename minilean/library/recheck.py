"""`python -m minilean recheck-library`: proves the library anew and compares it with the file that is loaded.

The file holds statements without proofs, so minilean believes it. This command does not: it proves every declaration
from the Lean sources and compares name, type, value, axioms and all that the elaborator knows of a name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from minilean.command_line import Parser
from minilean.kernel.declaration import Axiom, TheoremDecl
from minilean.library import cache
from minilean.library.encoding import EncodingError, Writer, declaration_row, history_rows, table_rows
from minilean.library.load import LibraryError, build_library, library_files
from minilean.library.progress import Progress
from minilean.meta.extension import TABLES, LeanEnv

_SHOWN = 10
"""How many differences are printed."""


def differences(proved: LeanEnv, loaded: LeanEnv) -> Iterator[str]:
    """Yield one line for each difference between the library as it was proved and as a file has it.

    Proofs are not compared, since files have none. Binder names count: they are named arguments.
    """
    # With one writer, equal terms have equal numbers.
    writer = Writer()
    names, others = list(proved.kernel), list(loaded.kernel)
    for name in names:
        if name not in loaded.kernel:
            yield f"{name}: proved from the sources, not in the file"
        else:
            yield from _changed_fields(proved, loaded, name, writer)
    yield from (
        f"{name}: in the file, not proved from the sources" for name in others if name not in proved.kernel
    )
    if names != others and set(names) == set(others):
        yield "the declarations are in another order in the file"
    for name in sorted(proved.kernel.computing ^ loaded.kernel.computing):
        where = "the file" if name in loaded.kernel.computing else "the sources"
        yield f"{name}: computes on literals by {where} only"
    for table in TABLES:
        yield from _changed_rows(table, getattr(proved, table), getattr(loaded, table), writer)
    yield from _changed_history(history_rows(proved, writer), history_rows(loaded, writer))


def _changed_history(proved: dict[str, Any], loaded: dict[str, Any]) -> Iterator[str]:
    """Yield one line for each part of the order of commands that differs; of values, the earlier ones only."""
    for part in ("files", "sizes"):
        if proved[part] != loaded[part]:
            yield f"history: the {part} differ"
    ours, theirs = proved["tables"], loaded["tables"]
    for table in {**ours, **theirs}:
        if ours.get(table) != theirs.get(table):
            yield f"history: the changes of the table {table!r} differ"


def _changed_fields(proved: LeanEnv, loaded: LeanEnv, name: str, writer: Writer) -> Iterator[str]:
    ours, theirs = proved.kernel.get(name), loaded.kernel.get(name)
    if type(ours) is not type(theirs):
        yield f"{name}: {type(ours).__name__} by the sources, {type(theirs).__name__} in the file"
        return
    rows = zip(declaration_row(ours, writer)[1:], declaration_row(theirs, writer)[1:], strict=True)
    for field, (right, found) in zip(fields(ours), rows, strict=True):
        if right != found:
            yield f"{name}: the field `{field.name}` differs"


def _changed_rows(table: str, proved: Any, loaded: Any, writer: Writer) -> Iterator[str]:
    kind, _, right = table_rows(proved, writer)
    other_kind, _, found = table_rows(loaded, writer)
    if right == found and kind == other_kind:
        return
    if not isinstance(proved, dict):
        yield from (f"{table}: {name!r} differs" for name in sorted(set(right) ^ set(found)))
        return
    ours, theirs = dict(right), dict(found)
    changed = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
    yield from (f"{table}: the entry of {key!r} differs" for key in changed)
    if not changed:
        yield f"{table}: the entries are in another order or of another kind"


def main(argv: Sequence[str]) -> int:
    """Run the command line; the exit status is 0 if all agrees, 1 if something differs or is refused."""
    Parser(
        prog="python -m minilean recheck-library",
        description="Prove minilean's library anew from its Lean sources and compare it with the file that is loaded.",
    ).parse_args(list(argv))
    files = library_files()
    try:
        proved = build_library(Progress(len(files)))
    except LibraryError as error:
        print(f"minilean: the sources do not prove the library: {error}", file=sys.stderr)
        return 1
    print(f"proved from {len(files)} files: {_counts(proved)}")
    found = cache.find(cache.library_key(files))
    if found is None:
        print("no shipped or cached file is in use, so there is nothing to compare")
        return 0
    loaded, path = found
    print(f"loaded from {path}: {_counts(loaded)}")
    try:
        wrong = list(differences(proved, loaded))
    except EncodingError as error:
        wrong = [f"the file cannot be compared: {error}"]
    if not wrong:
        print("every declaration and every table agrees")
        return 0
    print(*wrong[:_SHOWN], sep="\n")
    if len(wrong) > _SHOWN:
        print(f"... and {len(wrong) - _SHOWN} more")
    print(
        f"{len(wrong)} differences: do not trust {path}; delete it, or install lean-gym again",
        file=sys.stderr,
    )
    return 1


def _counts(env: LeanEnv) -> str:
    declarations = [env.kernel.get(name) for name in env.kernel]
    theorems = sum(type(declaration) is TheoremDecl for declaration in declarations)
    axioms = sum(type(declaration) is Axiom for declaration in declarations)
    return f"{len(declarations):,} declarations, {theorems:,} of them theorems and {axioms} axioms"
