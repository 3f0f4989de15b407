"""`python -m trainers.prove --file F.lean`: search for a proof for each `sorry` of a file, and write the file back.

The theorems are searched one after another, since a later proof may use an earlier theorem. What counts:

1. The environment verified the proof, behind the commands before it that hold no `sorry`: a lemma that is not proved
   cannot be used.
2. In the whole file, with all proofs filled in, there is no error, the other commands are still the same, and the
   axioms of the theorem there are permitted ones, see `trainers.proving.editing.file_check`.

Proofs that fail the second test are taken out again. A file that does not check is never written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from lean_gym.backends.registry import resolve_name
from lean_gym.backends.statement import rooted_name
from lean_gym.datasets.formats.lean_source import Command, commands
from lean_gym.types import Theorem
from trainers.config.tasks import ProveConfig
from trainers.errors import ConfigError
from trainers.policies.base import SeededPolicy
from trainers.policies.premises import Retriever
from trainers.policies.source import PolicySource
from trainers.proving.editing.file_check import Checked, Filled, check_file
from trainers.proving.editing.file_text import Edit, FileText, after_edits
from trainers.proving.editing.holes import Hole, LeftAlone, sorries, theorem_of
from trainers.proving.search.drawing import one_line
from trainers.proving.search.proving import check_place, load_policy, opened_for, search_on, told_use
from trainers.proving.search.searcher import Frame, Search
from trainers.rollouts.env import check_backend
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import progress_on, warn


@dataclass(frozen=True, slots=True)
class InProject:
    """The project of a file.

    Attributes:
        root: Folder in which the modules that the file imports are found.
        theorem_of: Returns the theorem of a hole as it is played at its place in the project; `None` where it is not
            known there, and is played behind the commands before it.
        domain: Domain of the theorems that are not known, by which a retriever finds their file.
    """

    root: Path
    theorem_of: Callable[[Hole], Theorem | None]
    domain: str = ""


@dataclass(slots=True)
class _Filling:
    """A hole, the search for its proof, and the reason why the proof found does not count, if there is one."""

    hole: Hole
    search: Search | None = None
    refusal: str = ""

    @property
    def script(self) -> tuple[str, ...]:
        """Return the tactics to write; none where there is no proof."""
        if self.search is None or self.search.proof is None or self.refusal:
            return ()
        tactics = self.search.proof.tactics
        return tactics[bool(self.hole.before) : len(tactics) - bool(self.hole.after)]

    @property
    def edits(self) -> list[Edit]:
        """Return the edit of the file."""
        return [self.hole.edit(self.script)] if self.script else []


def fill(
    config: ProveConfig,
    source: PolicySource | None,
    retriever: Retriever | None = None,
    project: InProject | None = None,
) -> int:
    """Fill the `sorry`s of a file.

    Args:
        config: The settings.
        source: Source of the policy; `None` without one.
        retriever: Finds premises for the prompts, where the settings name a retriever.
        project: The project that the file is part of, if it imports other files of it.

    Returns:
        The exit code: 0 if no `sorry` is left, else 1, or 128 plus the number of the signal that interrupted.

    Raises:
        ConfigError: The file or a setting cannot be used.
        PolicyError: The policy cannot be used.
    """
    file = FileText.read(Path(config.file))
    target = _target(config)
    parts = commands(file.text)
    found = list(sorries(file.text, parts))
    root = None if project is None else project.root
    if (error := check_file(config, file.text, (), root).error) is not None:
        raise ConfigError(f"{config.file}:{error[0]}: expected a file that checks, got: {one_line(error[1])}")
    fillings = [_Filling(each) for each in found if isinstance(each, Hole)]
    holes = [each.hole for each in fillings]
    check_backend(config, [_played(config, file.text, parts, hole, project) for hole in holes])
    interrupted = 0
    # The file is printed on standard output.
    with StopRequest() as stop, progress_on(Console(stderr=True)) as bars:
        try:
            if fillings:
                with bars.doing("loading the policy"):
                    policy = load_policy(config, source, stop.check)
                with bars.doing("sorries searched", len(fillings)) as task:
                    for done in _search(config, file.text, fillings, policy, stop, retriever, project):
                        bars.update(task, completed=done)
        except Interrupted as interruption:
            interrupted = interruption.signal_number
            warn("interrupted")
    checked = _settle(config, file.text, parts, fillings, root)
    content = file.edited([edit for each in fillings for edit in each.edits])
    left = [each for each in found if isinstance(each, LeftAlone)]
    try:
        if target is not None:
            file.write(target, content)
    except ConfigError:
        # The proofs are not lost.
        print(content.decode("utf-8"), end="")
        raise
    print("\n".join(_report(config, content, fillings, left, checked)), flush=True)
    if interrupted:
        return 128 + interrupted
    return 1 if left or not all(each.script for each in fillings) else 0


def theorems_in_file(config: ProveConfig) -> list[Theorem]:
    """Return the theorems of a file whose `sorry`s can be filled.

    Raises:
        ConfigError: The file cannot be read.
    """
    text = FileText.read(Path(config.file)).text
    parts = commands(text)
    holes = [each for each in sorries(text, parts) if isinstance(each, Hole)]
    return [_played(config, text, parts, each, None) for each in holes]


def _played(
    config: ProveConfig, text: str, parts: Sequence[Command], hole: Hole, project: InProject | None
) -> Theorem:
    known = None if project is None else project.theorem_of(hole)
    if known is not None:
        return known
    found = theorem_of(text, parts, hole, with_options=_with_options(config))
    return found if project is None else replace(found, domain=project.domain)


def _with_options(config: ProveConfig) -> bool:
    return resolve_name(config.backend, config.env.backend_options) != "minilean"


def _target(config: ProveConfig) -> Path | None:
    """Return the file to write, if there is one.

    Raises:
        ConfigError: Its folder does not exist, or takes no files.
    """
    if not (config.in_place or config.out):
        return None
    written = config.out or config.file
    check_place(written, "out")
    return Path(written)


def _search(
    config: ProveConfig,
    text: str,
    fillings: Sequence[_Filling],
    policy: SeededPolicy | None,
    stop: StopRequest,
    retriever: Retriever | None,
    project: InProject | None,
) -> Iterator[int]:
    """Search for the proofs in the order of the file, and yield the number of searches that ended.

    Raises:
        Interrupted: A signal came; what was found is kept.
    """
    # All theorems of a file have its imports, so one environment does for all of them.
    first = _played(config, text, commands(text), fillings[0].hole, project)
    with opened_for(config, [first]) as env:
        for done, each in enumerate(fillings, 1):
            stop.check()
            now = after_edits(text, [edit for other in fillings for edit in other.edits])
            theorem = _played(config, now, commands(now), each.hole, project)
            frames = {theorem.name: Frame(each.hole.before, each.hole.after)}
            (each.search,) = search_on(env, config, [theorem], policy, stop.check, frames, retriever)
            yield done
        stop.check()


def _settle(
    config: ProveConfig,
    text: str,
    parts: Sequence[Command],
    fillings: Sequence[_Filling],
    root: Path | None,
) -> dict[str, tuple[str, ...]]:
    """Take out the proofs that do not count in the file, and return the axioms of the others by name."""
    while proofs := [each for each in fillings if each.script]:
        now = after_edits(text, [edit for each in proofs for edit in each.edits])
        after = commands(now)
        if (culprit := _changed(parts, after, proofs)) is not None:
            culprit.refusal = "its text changes other commands of the file"
            continue
        places = []
        for each in proofs:
            part, before = after[each.hole.command], parts[each.hole.command]
            head = part.start + each.hole.head - before.start
            name = rooted_name(theorem_of(now, after, each.hole)) if each.hole.protected else each.hole.name
            places.append(Filled(name, head, part.start + len(part.text)))
        checked = check_file(config, now, places, root)
        if not _refused(proofs, places, now, checked):
            axioms = {each.hole.name: found or () for each, found in zip(proofs, checked.axioms, strict=True)}
            # The file as it is written has no questions about axioms, and examples without names.
            if not _refused(proofs, places, now, check_file(config, now, (), root)):
                return axioms
    return {}


def _changed(
    before: Sequence[Command], after: Sequence[Command], proofs: Sequence[_Filling]
) -> _Filling | None:
    """Return the proof that changes the commands of the file beside its own proof; `None` if there is none."""
    holes = {each.hole.command: each.hole for each in proofs}
    pairs = list(zip(before, after, strict=False))
    same = len(before) == len(after)
    for number, (old, new) in enumerate(pairs):
        kept = holes[number].start - old.start if number in holes else max(len(old.text), len(new.text))
        if old.text[:kept] != new.text[:kept]:
            return _last_before(proofs, number)
    return None if same else _last_before(proofs, len(pairs))


def _last_before(proofs: Sequence[_Filling], command: int) -> _Filling:
    """Return the last proof up to a command, or the last of all where there is none."""
    return next((each for each in reversed(proofs) if each.hole.command <= command), proofs[-1])


def _refused(proofs: Sequence[_Filling], places: Sequence[Filled], text: str, checked: Checked) -> bool:
    """Take out the proofs that a check blames: that of the first error, or those with axioms that are not permitted."""
    if checked.error is None:
        blamed = [each for each, axioms in zip(proofs, checked.axioms, strict=False) if axioms is None]
        for each in blamed:
            each.refusal = "in the file it may depend on a `sorry` or an axiom that is not permitted"
        return bool(blamed)
    line, message = checked.error
    begun = [
        each for each, place in zip(proofs, places, strict=True) if text.count("\n", 0, place.head) < line
    ]
    (begun or proofs)[-1].refusal = f"the file would not check with it: {message}"
    return True


def _report(
    config: ProveConfig,
    content: bytes,
    fillings: Sequence[_Filling],
    left: Sequence[LeftAlone],
    axioms: dict[str, tuple[str, ...]],
) -> Iterator[str]:
    """Yield the lines about the file: itself if it is not written to one, its theorems, and what is left."""
    text = content.decode("utf-8-sig")
    written = config.file if config.in_place else config.out
    open_lines = sorted(
        [each.hole.line for each in fillings if not each.script] + [each.line for each in left]
    )
    if config.as_json:
        yield from (json.dumps(_row(each, axioms), ensure_ascii=False) for each in fillings)
        yield from (json.dumps({"line": each.line, "proved": False, "failure": each.reason}) for each in left)
        whole: dict[str, Any] = {"file": config.file, "written": written or None, "left": open_lines}
        yield json.dumps(whole | {"source": text}, ensure_ascii=False)
        return
    if not written and text:
        yield text.removesuffix("\n")
    for each in fillings:
        yield f"-- {one_line(each.hole.name)} (line {each.hole.line}): {_told(config, each)}"
    yield from (f"-- line {each.line}: left alone: {each.reason}" for each in left)
    count = sum(bool(each.script) for each in fillings)
    lines = f", on {'line' if len(open_lines) == 1 else 'lines'} {', '.join(map(str, open_lines))}"
    rest = f"{len(open_lines)} without{lines if open_lines else ''}"
    yield f"-- {one_line(config.file)}: {count} filled in, {rest}" + (
        f"; written to {one_line(written)}" if written else ""
    )


def _told(config: ProveConfig, filling: _Filling) -> str:
    """Return what came of a search."""
    search = filling.search
    if search is None:
        return "not searched"
    if search.failure:
        return f"not searched: {one_line(search.failure)}"
    if filling.refusal:
        return f"not proved: {one_line(filling.refusal)}"
    return f"{'proved' if filling.script else 'not proved'} by {told_use(config, search)}"


def _row(filling: _Filling, axioms: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the JSON object of a hole."""
    name, search = filling.hole.name, filling.search
    row: dict[str, Any] = {"name": name, "line": filling.hole.line, "proved": bool(filling.script)}
    row |= {"tactics": list(filling.script), "axioms": list(axioms.get(name, ()))}
    row["failure"] = filling.refusal or ("" if search is None else search.failure)
    if search is not None:
        row["spent"] = search.spent.as_row()
    return row
