"""Measurements of a course: the held-out theorems of all repositories after each one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from trainers.config.lifelong import LifelongConfig
from trainers.corpora.lifelong.member import Indexes, Member
from trainers.corpora.lifelong.report import show, write_report
from trainers.corpora.lifelong.stage_log import Result, StageLog, expect_done
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.theorem_parts import Parts, write_set
from trainers.corpora.lifelong.transfer import measures
from trainers.corpora.retrieval.retriever import retriever_of
from trainers.evaluation.run import measure
from trainers.policies.source import PolicySource

Stage = Callable[[str, Callable[[], Result]], Result]
"""Carries out a stage unless it is done, and returns its result."""


class Measurements:
    """Solve rates of a course, and their report."""

    def __init__(
        self,
        config: LifelongConfig,
        folder: Path,
        store: Store,
        log: StageLog,
        members: Sequence[Member],
        parts: Sequence[Parts],
    ) -> None:
        """Keep the parts.

        Args:
            config: The settings.
            folder: The run folder.
            store: Takes the attempts.
            log: The stages that are done.
            members: The repositories in their order.
            parts: Their theorems.
        """
        self._config = config
        self._folder = folder
        self._store = store
        self._log = log
        self._members = members
        self._parts = parts

    def take(self, number: int, policy: str | Path, indexes: Indexes, stage: Stage, console: Console) -> None:
        """Measure the held-out theorems of all repositories after the first `number` of them, and report."""
        for member, part in zip(self._members, self._parts, strict=True):
            if part.test:
                source = member.folder / "held_out.jsonl"
                write_set(source, Parts((), part.test))
                work = partial(self._rate, member, number, str(source), str(policy), indexes.of(member))
                stage(f"measure {member.name} after {number}", work)
        if self._config.theorems:
            name = f"measure {self._config.theorems} after {number}"
            stage(name, partial(self._rate, None, number, self._config.theorems, str(policy), ""))
        report = self._report(number)
        write_report(self._folder, report)
        show(console, report)

    def rates(self, last: int) -> list[list[float | None]]:
        """Return the solve rates after each of the first `last` repositories, from the start on."""
        return [
            [(self._log.result(f"measure {m.name} after {t}") or {}).get("rate") for m in self._members]
            for t in range(last + 1)
        ]

    def _rate(self, member: Member | None, number: int, source: str, policy: str, retriever: str) -> Result:
        folder = (self._folder if member is None else member.folder) / "measured" / str(number)
        folder.parent.mkdir(exist_ok=True)
        config = self._config.to_evaluate(policy, source, str(folder), retriever)
        expect_done(measure(config, PolicySource.find(policy), retriever_of(config.rollout)))
        found = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        if member is not None:
            known = self._store.theorems(member.id)
            by_name = {each.traced.episode.name: each.id for each in known if each.traced.episode is not None}
            counts = {
                by_name[name]: (self._config.samples, solved)
                for name, solved in found["by_theorem"].items()
                if name in by_name
            }
            course = (self._log.result("folder") or {}).get("course", "")
            self._store.record_attempts(f"{course}/{folder.relative_to(self._folder).as_posix()}", counts)
        return {"rate": found["overall"]["pass@1"]["value"]}

    def _report(self, last: int) -> dict[str, Any]:
        rows = range(last + 1)
        rates = self.rates(last)
        beside = [self._log.result(f"measure {self._config.theorems} after {t}") or {} for t in rows]
        return {
            "repositories": [member.name for member in self._members],
            "rates": rates,
            "beside": [each.get("rate") for each in beside] if self._config.theorems else None,
            "measures": [measures(rates[: t + 1]) for t in rows],
        }
