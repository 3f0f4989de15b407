"""Traces in the layout of LeanDojo: `corpus.jsonl`, two splits of the theorems, `traced_files.jsonl`, `metadata.json`.

A traced tactic names its premises twice. `annotated_tactic` is LeanDojo's: the text with `<a>..</a>` around each name
that stands for a declaration of the corpus, and one entry with its place for each mark. `premises` adds the theorems
that the tactic brought into the proof term without naming them, as `simp` does; it holds full names.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from lean_gym.tracing.folder import write_whole
from lean_gym.tracing.records import CLOSE, OPEN, FileRecord, PremiseRecord, TacticRecord, TheoremRecord

SEED: Final = 3407
HELD_OUT: Final = 0.2
"""Share of the theorems in each of `val` and `test`."""
SPLITS: Final = ("train", "val", "test")
_THEOREM_KINDS: Final = ("theorem", "lemma")
_EQUATION: Final = re.compile(r"(.+)\.eq_(?:\d+|def)")
_BULLET: Final = "·"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """The repository that was traced: where it is, and its commit."""

    url: str
    commit: str


class Corpus:
    """The declarations of all files, with those that each file can see.

    Args:
        files: The files, imports before importers.
    """

    def __init__(self, files: Sequence[FileRecord]) -> None:
        self.files = files
        self._seen: dict[str, frozenset[str]] = {}
        self._by_name: dict[str, list[tuple[str, PremiseRecord]]] = {}
        for file in files:
            above = frozenset(file.imports).union(*(self._seen.get(path, ()) for path in file.imports))
            self._seen[file.path] = above
            for premise in file.premises:
                self._by_name.setdefault(premise.full_name, []).append((file.path, premise))

    def find(self, name: str, file: str) -> tuple[str, PremiseRecord] | None:
        """Return the path and the declaration of a name that a file can see, its own before a private one elsewhere."""
        found = [row for row in self._by_name.get(name, ()) if row[0] == file or row[0] in self._seen[file]]
        return next((row for row in found if row[0] == file), found[0] if found else None)

    def premise(self, name: str, file: str) -> tuple[str, PremiseRecord] | None:
        """Return the declaration that a constant belongs to: an equation `f.eq_1` belongs to `f`."""
        found = self.find(name, file)
        equation = None if found is not None else _EQUATION.fullmatch(name)
        return found if equation is None else self.find(equation[1], file)


def write_layout(
    out: Path,
    files: Sequence[FileRecord],
    around: Sequence[FileRecord],
    origin: Origin,
    metadata: Mapping[str, Any],
) -> Row:
    """Write a traced data set.

    Args:
        out: Its folder.
        files: The files of the project, imports before importers.
        around: Files outside of the project, with which the corpus begins; all files import the last one.
        origin: The project.
        metadata: More fields of `metadata.json`.

    Returns:
        The content of `metadata.json`.
    """
    outside = tuple(file.path for file in around[-1:])
    files = [replace(file, imports=(*outside, *file.imports)) for file in files]
    corpus = Corpus([*around, *files])
    theorems = [theorem_row(theorem, file, corpus, origin) for file in files for theorem in file.theorems]
    write_rows(out / "corpus.jsonl", map(_corpus_row, corpus.files))
    write_rows(out / "traced_files.jsonl", ({"traced_file_path": file.path} for file in files))
    for name, split in (("random", split_randomly), ("novel_premises", split_by_premise)):
        for part, rows in zip(SPLITS, split(theorems), strict=True):
            write_whole(out / name / f"{part}.json", json.dumps(rows, ensure_ascii=False, indent=1))
    steps = [step for theorem in theorems for step in theorem["traced_tactics"]]
    named = {place["full_name"] for step in steps for place in step["annotated_tactic"][1]}
    counts = {
        "files": len(files),
        "premises": sum(len(file.premises) for file in files),
        "theorems": len(theorems),
        "theorems_with_tactics": sum(bool(theorem["traced_tactics"]) for theorem in theorems),
        "theorems_with_sorry": sum(theorem["has_sorry"] for theorem in theorems),
        "tactics": len(steps),
        "tactics_with_named_premise": sum(bool(step["annotated_tactic"][1]) for step in steps),
        "tactics_with_premise": sum(bool(step["premises"]) for step in steps),
        "named_premises": len(named),
        "used_premises": len({name for step in steps for name in step["premises"]}),
    }
    content = {"from_repo": {"url": origin.url, "commit": origin.commit}, **metadata, "counts": counts}
    write_whole(out / "metadata.json", json.dumps(content, ensure_ascii=False, indent=2))
    return content


def theorem_row(theorem: TheoremRecord, file: FileRecord, corpus: Corpus, origin: Origin) -> Row:
    """Return the row of a theorem in a split."""
    rows = [tactic_row(tactic, file.path, corpus) for tactic in theorem.tactics if _is_kept(tactic)]
    return {
        "url": origin.url,
        "commit": origin.commit,
        "file_path": file.path,
        "full_name": theorem.full_name,
        "theorem_statement": theorem.statement,
        "start": theorem.start,
        "end": theorem.end,
        "has_sorry": theorem.has_sorry,
        "traced_tactics": rows,
    }


def _is_kept(tactic: TacticRecord) -> bool:
    """Return whether LeanDojo keeps a tactic: it had a goal to act on, and has no bullet in it."""
    return tactic.state_before != "no goals" and _BULLET not in tactic.tactic


def tactic_row(tactic: TacticRecord, file: str, corpus: Corpus) -> Row:
    """Return the row of a tactic, with the premises that the corpus has."""
    pieces = re.split(f"([{OPEN}{CLOSE}])", tactic.marked)
    places: list[Row] = []
    text: list[str] = []
    mentions = iter(tactic.mentions)
    marked = False
    for piece in pieces:
        if piece == OPEN:
            found = corpus.premise(next(mentions), file)
            marked = found is not None
            if found is not None:
                places.append(_place(*found))
                text.append("<a>")
        elif piece == CLOSE:
            text.append("</a>" if marked else "")
        else:
            text.append(piece)
    names = dict.fromkeys(place["full_name"] for place in places)
    for constant in tactic.used:
        found = corpus.premise(constant, file)
        if found is not None and (found[1].kind in _THEOREM_KINDS or found[1].full_name != constant):
            names.setdefault(found[1].full_name)
    return {
        "tactic": tactic.tactic,
        "annotated_tactic": ["".join(text), places],
        "premises": list(names),
        "state_before": tactic.state_before,
        "state_after": tactic.state_after,
    }


def _place(path: str, premise: PremiseRecord) -> Row:
    return {
        "full_name": premise.full_name,
        "def_path": path,
        "def_pos": premise.start,
        "def_end_pos": premise.end,
    }


def _corpus_row(file: FileRecord) -> Row:
    premises = [
        {"full_name": p.full_name, "code": p.code, "start": p.start, "end": p.end, "kind": p.kind}
        for p in file.premises
    ]
    return {"path": file.path, "imports": list(file.imports), "premises": premises}


def split_randomly(theorems: Sequence[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Return train, validation and test parts, drawn with the seed 3407."""
    shuffled = _shuffled(theorems)
    count = round(HELD_OUT * len(shuffled))
    return shuffled[2 * count :], shuffled[:count], shuffled[count : 2 * count]


def split_by_premise(theorems: Sequence[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Return parts such that each theorem with premises that is held out uses one that no theorem in train uses.

    All users of the rarest premises are held out, until two fifths of the theorems that use premises are. The theorems
    without premises are split at random.
    Source: LeanDojo (arXiv 2306.15626, section 4, split `novel_premises`).
    """
    users: dict[str, list[int]] = {}
    for index, theorem in enumerate(theorems):
        for name in sorted(_named(theorem)):
            users.setdefault(name, []).append(index)
    using = {index for indices in users.values() for index in indices}
    held: dict[int, None] = {}
    names = list(users)
    random.Random(SEED).shuffle(names)
    for name in sorted(names, key=lambda name: len(users[name])):
        if len(held) >= 2 * HELD_OUT * len(using):
            break
        held.update(dict.fromkeys(users[name]))
    chosen = _shuffled([theorems[index] for index in held])
    plain = split_randomly([theorem for index, theorem in enumerate(theorems) if index not in using])
    train = [theorems[index] for index in sorted(using.difference(held))]
    middle = (len(chosen) + 1) // 2
    return _shuffled([*train, *plain[0]]), [*chosen[:middle], *plain[1]], [*chosen[middle:], *plain[2]]


def _named(theorem: Row) -> set[str]:
    return {place["full_name"] for step in theorem["traced_tactics"] for place in step["annotated_tactic"][1]}


def _shuffled(rows: Sequence[Row]) -> list[Row]:
    mixed = list(rows)
    random.Random(SEED).shuffle(mixed)
    return mixed


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows to a JSONL file; a reader sees the old content or the new one."""
    write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
