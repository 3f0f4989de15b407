"""Traces by real Lean through Pantograph: `frontend.process` with invocations, and `env.inspect`.

The REPL runs each file after its own imports, which `lake build` has compiled. It tells the tactics with the goals
around them, the constants in what they assigned, and the constants that a command declares. It does not tell the
offsets of tactics, nor what a name in them stands for:

- a name in a tactic is marked if it is the end of the full name of exactly one constant that the tactic used, so a
  definition that only `unfold` or a definitional step uses is no premise;
- the corpus has the project's declarations, and of other packages those that a tactic used, with their types as code;
- versions of Pantograph without `usedConstants` give no premises, and those without invocations no tactics.

`metadata.json` lists under `missing` what a REPL did not tell.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from lean_gym.backends.pantograph.discovery import find_repl, has_lakefile, known_lean_path
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.datasets.formats.lean_source import has_sorry, mask, statement_of
from lean_gym.errors import call_with_options
from lean_gym.tracing.planning import OtherProver, PlannedFile
from lean_gym.tracing.records import (
    CLOSE,
    OPEN,
    FileError,
    FileRecord,
    Lines,
    PremiseRecord,
    TacticRecord,
    TheoremRecord,
)

FILE_SECONDS: Final = 3600.0
_ASK_SECONDS: Final = 60.0
_NAME: Final = r"[^\s«»(){}\[\]⦃⦄⟨⟩:,;.|]+(?:\.[^\s«»(){}\[\]⦃⦄⟨⟩:,;.|]+)*"
_IDENTIFIER: Final = re.compile(r"(?<![\w.'!?])[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")
_DECLARATION: Final = re.compile(
    r"(?<!\S)(?P<kind>theorem|lemma|def|abbrev|instance|axiom|opaque|inductive|structure|class)\s+"
    rf"(?P<name>{_NAME})"
)
_THEOREMS: Final = ("theorem", "lemma")
_NO_INVOCATIONS: Final = "tactics: the REPL has no invocations"
_NO_CONSTANTS: Final = "premises: the REPL's invocations have no usedConstants"

Json = Mapping[str, Any]


class ReplFiles:
    """`Tracer` of the files of a built Lake project.

    Args:
        root: Its folder.
        modules: The module of each file of the project.
        repl_command: As for `PantographBackend`.
        lean_path: As for `PantographBackend`.
        sandbox: As for `PantographBackend`; the REPL writes its invocations into the folder for temporary files.
        start_seconds: As for `PantographBackend`.

    Raises:
        BackendUnavailable: There is no REPL, or `lake` refuses.
    """

    def __init__(
        self,
        root: Path,
        modules: Sequence[str],
        repl_command: Sequence[str] | str | None = None,
        lean_path: str | None = None,
        sandbox: str = "off",
        start_seconds: float = 300.0,
    ) -> None:
        if lean_path is None and has_lakefile(str(root)):
            lean_path = known_lean_path(str(root))
        self._root = root
        self._modules = frozenset(modules)
        self._settings = ReplSettings(
            find_repl(repl_command), (), lean_path, str(root), sandbox, start_seconds
        )
        self._inspected: dict[str, tuple[str, PremiseRecord] | None] = {}

    def trace(self, plan: PlannedFile) -> FileRecord:
        """Trace a file in a process of its own. See `Tracer.trace`."""
        repl = Repl(self._settings, ("Init",))
        try:
            repl.ready()
            with tempfile.TemporaryDirectory(prefix="lean-gym-") as folder:
                file = Path(folder, "invocations.json")
                request = {
                    "fileName": str(self._root / plan.path),
                    "readHeader": True,
                    "inheritEnv": True,
                    "newConstants": True,
                    "invocations": str(file),
                }
                answer = repl.ask("frontend.process", request, FILE_SECONDS)
                if "units" not in answer:
                    return self._failed(plan, str(answer.get("desc", answer)))
                invocations = _invocations(answer["units"], file)
            return self._record(plan, answer["units"], invocations, repl)
        finally:
            repl.close()

    def _failed(self, plan: PlannedFile, reason: str) -> FileRecord:
        return FileRecord(plan.path, plan.module, plan.imports, plan.key, errors=(FileError(reason),))

    def _record(
        self,
        plan: PlannedFile,
        units: Sequence[Json],
        invocations: Sequence[Sequence[Json]] | None,
        repl: Repl,
    ) -> FileRecord:
        content = (self._root / plan.path).read_bytes()
        text = content.decode("utf-8")
        lines = Lines(text)
        premises: list[PremiseRecord] = []
        theorems: list[TheoremRecord] = []
        errors: list[FileError] = []
        outside: dict[str, tuple[str, PremiseRecord]] = {}
        told = True
        for number, unit in enumerate(units):
            start, end = (len(content[:at].decode("utf-8", "ignore")) for at in unit["boundary"])
            source = text[start:end]
            errors += _errors(unit)
            found = _declaration(source, unit.get("newConstants") or ())
            if found is None:
                continue
            name, kind, begin, stop = found
            bare = source[begin:stop]
            theorem = kind in _THEOREMS
            head = bare[_DECLARATION.search(mask(bare)).start() :] if theorem else ""  # type: ignore[union-attr]
            statement = statement_of(head) if theorem else ""
            place = lines(start + begin), lines(start + stop)
            premises.append(PremiseRecord(name, statement or bare, *place, kind))
            if not theorem:
                continue
            rows = invocations[number] if invocations is not None else ()
            told = told and all("usedConstants" in row for row in rows)
            for constant in sorted({constant for row in rows for constant in row.get("usedConstants", ())}):
                premise = self._inspect(constant, repl)
                if premise is not None:
                    outside[constant] = premise
            gap = has_sorry(bare)
            tactics = tuple(_tactic(row) for row in rows if row.get("goalBefore")) if not gap else ()
            theorems.append(TheoremRecord(name, statement, *place, gap, "", start + begin, True, tactics))
        missing = [_NO_INVOCATIONS] if invocations is None else [] if told else [_NO_CONSTANTS]
        return FileRecord(
            plan.path,
            plan.module,
            plan.imports,
            plan.key,
            tuple(premises),
            tuple(theorems),
            tuple(errors),
            tuple(outside.values()),
            tuple(missing),
        )

    def _inspect(self, constant: str, repl: Repl) -> tuple[str, PremiseRecord] | None:
        """Return a theorem of another package with the path of its file, or `None`."""
        if constant not in self._inspected:
            answer = repl.ask("env.inspect", {"name": constant, "source": True}, _ASK_SECONDS)
            module = answer.get("module")
            known = isinstance(module, str) and module not in self._modules
            # a theorem is what is neither a definition nor a part of a type
            parts = ("value", "inductInfo", "constructorInfo", "recursorInfo")
            if not known or any(answer.get(part) is not None for part in parts):
                self._inspected[constant] = None
            else:
                code = f"theorem {constant} : {answer['type'].get('pp', '')}"
                first, last = (_source_position(answer, key) for key in ("sourceStart", "sourceEnd"))
                path = f"{str(module).replace('.', '/')}.lean"
                self._inspected[constant] = path, PremiseRecord(constant, code, first, last, "theorem")
        return self._inspected[constant]


def repl_prover(root: Path, options: dict[str, Any]) -> OtherProver:
    """Return real Lean as the prover of a project.

    Args:
        root: The folder of the project.
        options: Those of `ReplFiles`.

    Raises:
        BackendUnavailable: There is no REPL, or `lake` refuses.
        ValueError: There is no such option.
    """

    def tracer(modules: tuple[str, ...]) -> Callable[[], ReplFiles]:
        return partial(ReplFiles, root, modules, **options)

    # told before any file is traced
    call_with_options("backend 'pantograph'", partial(ReplFiles, root, ()), options)
    return OtherProver(json.dumps(options, sort_keys=True), tracer)


def other_packages(files: Sequence[FileRecord]) -> list[FileRecord]:
    """Return what the files use of other packages, one record for each of their files."""
    found: dict[str, dict[str, PremiseRecord]] = {}
    for file in files:
        for path, premise in file.outside:
            found.setdefault(path, {})[premise.full_name] = premise
    records: list[FileRecord] = []
    for path in sorted(found):
        above = tuple(record.path for record in records[-1:])
        records.append(FileRecord(path, "", above, "", tuple(found[path].values())))
    return records


def _invocations(units: Sequence[Json], file: Path) -> list[list[Json]] | None:
    """Return the invocations of each unit; `None` from a REPL that does not tell them.

    Older versions have them in the answer, newer ones write them to the file.
    """
    if file.is_file():
        return [list(unit["invocations"]) for unit in json.loads(file.read_bytes())["units"]]
    if any("invocations" in unit for unit in units):
        return [list(unit.get("invocations") or ()) for unit in units]
    return None


def _errors(unit: Json) -> Iterator[FileError]:
    for message in unit.get("messages", ()):
        if isinstance(message, str):  # older versions
            if ": error" in message:
                yield FileError(message)
        elif message.get("severity") == "error":
            place = message["pos"]
            yield FileError(str(message["data"]), (place["line"], place["column"] + 1))


def _declaration(source: str, constants: Sequence[str]) -> tuple[str, str, int, int] | None:
    """Return the full name and keyword of what a command declares, and the offsets of its first and last character."""
    masked = mask(source)
    found = _DECLARATION.search(masked)
    if found is None or not constants:
        return None
    short = found["name"].removeprefix("_root_.")
    full = [name for name in constants if name == short or name.endswith(f".{short}")]
    if not full:
        return None
    begin = len(masked) - len(masked.lstrip())
    return min(full, key=len), found["kind"], begin, len(masked.rstrip())


def _tactic(row: Json) -> TacticRecord:
    tactic = str(row["tactic"])
    used = [str(constant) for constant in row.get("usedConstants", ())]
    marked: list[str] = []
    mentions: list[str] = []
    at = 0
    for match in _IDENTIFIER.finditer(tactic):
        full = [name for name in used if name == match[0] or name.endswith(f".{match[0]}")]
        if len(full) == 1:
            marked += [tactic[at : match.start()], OPEN, match[0], CLOSE]
            mentions.append(full[0])
            at = match.end()
    marked.append(tactic[at:])
    after = str(row.get("goalAfter") or "") or "no goals"
    return TacticRecord(
        tactic, "".join(marked), tuple(mentions), tuple(sorted(used)), str(row["goalBefore"]), after
    )


def _source_position(answer: Json, key: str) -> tuple[int, int]:
    place = answer.get(key)
    if isinstance(place, Mapping) and isinstance(place.get("line"), int):
        return place["line"], int(place.get("column", 0)) + 1
    return 1, 1
