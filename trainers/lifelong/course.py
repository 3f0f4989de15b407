"""A course: repositories learned one after another, in stages that are each done once.

In the run folder:

config.yaml                the resolved settings
stages.json                the completed stages with their results
theorems.db                theorems, proofs and attempts, unless `database` names another file
start/policy/              the tiny model that `--model tiny` begins with
NUMBER-NAME/               a folder for each repository:
    traced/                what the tracer wrote
    set.jsonl              training theorems, replayed ones among them, and held-out ones
    sft/, grpo/            the runs of both stages
    retriever/             the premise retriever after it, if there is one
    filled/proofs.patch    proofs of its `sorry`s
    consolidation.safetensors    Fisher information up to here, with `ewc_weight`
    measured/              measurements after it
transfer.json              solve rates of all repositories after each one, and the measures of `transfer.py`
events.out.tfevents.*      the same for TensorBoard

A stage that was killed is carried out again; training goes on from its own checkpoint.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from lean_gym import LeanProofVectorEnv
from lean_gym.types import Theorem
from trainers.config.cli import Command
from trainers.config.lifelong import LifelongConfig
from trainers.config.run import RunConfig
from trainers.curriculum.theorems import TheoremSplit, load_sets
from trainers.evaluation.run import measure
from trainers.imitation.proof_pairs import collect, reference_claims
from trainers.imitation.sft import fine_tune
from trainers.learning.consolidation import Consolidation, measure_fisher
from trainers.lifelong.filling import fill_repository
from trainers.lifelong.keeping import by_difficulty
from trainers.lifelong.report import show, write_report
from trainers.lifelong.seams import Retriever, Tracer
from trainers.lifelong.sources import read_source, slug
from trainers.lifelong.stage_log import Result, StageLog
from trainers.lifelong.store import Store
from trainers.lifelong.theorem_parts import Parts, drawn_again, parts_of, write_set
from trainers.lifelong.transfer import measures
from trainers.policies.source import PolicySource
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.policies.views import create_view
from trainers.rollouts.env import SIDE_BY_SIDE, opened_env
from trainers.rollouts.player import EpisodePlayer
from trainers.run.models import make_tiny
from trainers.run.session import train
from trainers.runtime.seeding import derive_seed
from trainers.runtime.signals import Stop
from trainers.runtime.terminal import say


class StageEnded(Exception):
    """A stage ended before it was done: interrupted by a signal, or by a false theorem that counted as proved.

    Attributes:
        code: Exit code of the program.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


@dataclass(frozen=True, slots=True)
class Member:
    """A repository of the course.

    Attributes:
        source: As the user named it.
        name: Short name, of its folder and in tables.
        folder: Its folder.
        id: Its number in the store.
    """

    source: str
    name: str
    folder: Path
    id: int

    @property
    def set(self) -> Path:
        """The set of its theorems."""
        return self.folder / "set.jsonl"


class Course:
    """A course, resumable at every stage."""

    def __init__(
        self,
        config: LifelongConfig,
        folder: Path,
        store: Store,
        stop: Stop,
        console: Console,
        tracer: Tracer,
        retriever: Retriever | None = None,
    ) -> None:
        """Keep the parts.

        Args:
            config: The settings.
            folder: The run folder.
            store: Keeps theorems, proofs and attempts.
            stop: Asked between stages and in long ones.
            console: Output.
            tracer: Traces projects.
            retriever: Trains a retriever; `None` for none.
        """
        self._config = config
        self._folder = folder.resolve()
        self._store = store
        self._stop = stop
        self._console = console
        self._tracer = tracer
        self._retriever = retriever
        self._log = StageLog(folder / "stages.json")

    def run(self) -> dict[str, float | None]:
        """Carry out the stages that are not done, and return the measures at the end.

        Raises:
            StageEnded: A stage ended before it was done.
            Interrupted: A stop was requested.
            ConfigError: A setting or a repository cannot be used.
        """
        for number, source in enumerate(self._config.repos):
            self._stage(f"trace {source}", partial(self._trace, number, source))
        order: list[int] = self._stage("order", self._choose_order)["order"]
        members = [self._member(number) for number in order]
        beside = load_sets(self._config.theorems) if self._config.theorems else []
        parts = parts_of([self._store.load(member.id) for member in members], beside)
        policy = Path(self._stage("start", partial(self._start, parts[0]))["policy"])
        self._measure(0, members, parts, policy)
        ewc = ""
        for number, member in enumerate(members):
            self._stage(f"{member.name}: set", partial(self._write_set, number, members, parts))
            if self._retriever is not None:
                self._stage(f"{member.name}: retriever", partial(self._retrieve, number, members))
            done = self._stage(f"{member.name}: sft", partial(self._fine_tune, member, policy, ewc))
            policy = Path(done["policy"])
            done = self._stage(f"{member.name}: grpo", partial(self._reinforce, member, policy, ewc))
            policy = Path(done["policy"])
            self._stage(f"{member.name}: prove", partial(self._prove, member, policy))
            if self._config.ewc_weight:
                work = partial(self._consolidate, member, policy, ewc, parts[number].train)
                ewc = self._stage(f"{member.name}: consolidate", work)["file"]
            self._measure(number + 1, members, parts, policy)
        return measures(self._rates(len(members), members))

    def _stage(self, name: str, work: Callable[[], Result]) -> Result:
        """Carry out a stage unless it is done, and return its result."""
        done = self._log.result(name)
        if done is None:
            self._stop.check()
            say(self._console, f"stage {name}")
            done = work()
            self._log.finish(name, done)
        return done

    def _trace(self, number: int, source: str) -> Result:
        folder = self._folder / f"{number + 1}-{slug(source)}"
        folder.mkdir(exist_ok=True)
        repository, traced, sources = read_source(source, folder / "traced", self._tracer)
        done = {"folder": str(folder), "traced": str(traced), "sources": str(sources)}
        return done | {"id": self._store.add(repository), "theorems": len(repository.theorems)}

    def _choose_order(self) -> Result:
        traced = [self._traced(source) for source in self._config.repos]
        if self._config.order == "given":
            return {"order": list(range(len(traced)))}
        rows = {row.id: row for row in self._store.repositories()}
        ids = [each["id"] for each in traced]
        ranked = by_difficulty(self._store, [rows[number] for number in ids])
        return {"order": [ids.index(row.id) for row in ranked]}

    def _member(self, number: int) -> Member:
        source = self._config.repos[number]
        done = self._traced(source)
        folder = Path(done["folder"])
        return Member(source, folder.name, folder, done["id"])

    def _traced(self, source: str) -> Result:
        """Return the result of the stage that traced a repository."""
        return self._log.result(f"trace {source}") or {}

    def _start(self, parts: Parts) -> Result:
        """Make the tiny model, with a tokenizer for the first repository."""
        config = self._config
        if config.model != "tiny":
            return {"policy": config.model}
        theorems = parts.train or parts.test
        with self._env(theorems) as env:
            settings = RunConfig(seed=config.seed, tiny=config.tiny)
            player = EpisodePlayer(env, self._stop.check, create_view(config.sampling))
            loaded = make_tiny(settings, player, TheoremSplit(theorems, ()))
        path = self._folder / "start" / "policy"
        path.parent.mkdir(exist_ok=True)
        TransformersPolicy(*loaded, config.sampling).save(path)
        return {"policy": str(path)}

    def _write_set(self, number: int, members: list[Member], parts: list[Parts]) -> Result:
        earlier = [theorem for part in parts[:number] for theorem in part.train]
        earlier += [theorem for member in members[:number] for theorem in self._proved(member)]
        own = [*parts[number].train, *parts[number].test]
        settings = self._config
        again = drawn_again(earlier, own, settings.replay_share, settings.seed, number)
        write_set(members[number].set, parts[number], again)
        return {"train": len(parts[number].train), "replayed": [theorem.name for theorem in again]}

    def _proved(self, member: Member) -> Iterator[Theorem]:
        """Yield the theorems whose `sorry` was proved here, with the shortest proof."""
        for each in self._store.theorems(member.id):
            if each.proofs and each.traced.status == "sorry_proved" and each.traced.episode is not None:
                yield replace(each.traced.episode, proof="\n".join(each.proofs[0]))

    def _retrieve(self, number: int, members: list[Member]) -> Result:
        assert self._retriever is not None
        folders = [Path(self._traced(each.source)["traced"]) for each in members]
        before = members[number - 1].folder / "retriever" if number else None
        out = members[number].folder / "retriever"
        self._retriever(folders[: number + 1], out, before)
        return {"retriever": str(out)}

    def _fine_tune(self, member: Member, policy: Path, ewc: str) -> Result:
        if not any(
            theorem.proof.strip() and theorem.split != "test" for theorem in load_sets(str(member.set))
        ):
            return {"policy": str(policy)}  # nothing to imitate
        folder = member.folder / "sft"
        resume = _resumable(folder, "policy")
        config = self._config.to_sft(str(policy), str(member.set), str(folder), ewc)
        _expect_done(fine_tune(config, resume, "python -m trainers.sft"))
        return {"policy": str(folder / "policy")}

    def _reinforce(self, member: Member, policy: Path, ewc: str) -> Result:
        folder = member.folder / "grpo"
        config = self._config.to_grpo(str(policy), str(member.set), str(folder), ewc)
        if not config.max_iterations or not any(one.split != "test" for one in load_sets(str(member.set))):
            return {"policy": str(policy)}
        resume = _resumable(folder, "checkpoint.pt")
        _expect_done(train(Command(config, resume)))
        return {"policy": str(folder / "policy")}

    def _prove(self, member: Member, policy: Path) -> Result:
        root = Path(self._traced(member.source)["sources"])
        folder = member.folder / "filled"
        folder.mkdir(exist_ok=True)
        theorems = self._store.theorems(member.id)
        settings = self._config.to_prove(str(policy), "", "")
        found = fill_repository(settings, self._store, theorems, root, folder, self._stop.check)
        del found["rows"]  # they are in the patch
        if found["sorries"]:
            say(
                self._console,
                f"{found['filled']} of {found['sorries']} sorries filled in: {folder / 'proofs.patch'}",
            )
        return found

    def _consolidate(self, member: Member, policy: Path, ewc: str, theorems: Sequence[Theorem]) -> Result:
        config = self._config
        claims = reference_claims(theorems, 1.0, config.seed)
        if not claims:
            return {"file": ewc}
        own = TransformersPolicy(*load_pretrained(str(policy)), config.sampling)
        own.model.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        with self._env(theorems, max(len(script) for _, script in claims)) as env:
            lessons = collect(EpisodePlayer(env, self._stop.check, create_view(config.sampling)), claims)
        if not lessons.pairs:
            return {"file": ewc}
        pairs = [(own.encode_prompt(goals), own.encode_tactic(text)) for goals, text in lessons.pairs]
        generator = torch.Generator().manual_seed(derive_seed(config.seed, "fisher", member.id))
        found = measure_fisher(own, pairs, config.fisher_steps, generator)
        if ewc:
            found = Consolidation.load(Path(ewc)).after(found)
        path = member.folder / "consolidation.safetensors"
        found.save(path)
        return {"file": str(path)}

    def _measure(self, number: int, members: list[Member], parts: list[Parts], policy: Path) -> None:
        """Measure the held-out theorems of all repositories after the first `number` of them."""
        for at, member in enumerate(members):
            write_set(member.folder / "held_out.jsonl", Parts((), parts[at].test))
            if parts[at].test:
                source = str(member.folder / "held_out.jsonl")
                name = f"measure {member.name} after {number}"
                self._stage(name, partial(self._rate, member, number, source, policy))
        if self._config.theorems:
            name = f"measure {self._config.theorems} after {number}"
            self._stage(name, partial(self._rate, None, number, self._config.theorems, policy))
        report = self._report(number, members)
        write_report(self._folder, report)
        show(self._console, report)

    def _rate(self, member: Member | None, number: int, source: str, policy: Path) -> Result:
        folder = (self._folder if member is None else member.folder) / "measured" / str(number)
        folder.parent.mkdir(exist_ok=True)
        config = self._config.to_evaluate(str(policy), source, str(folder))
        _expect_done(measure(config, PolicySource.find(str(policy))))
        found = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        if member is not None:
            by_name = {each.traced.name: each.id for each in self._store.theorems(member.id)}
            counts = {
                by_name[name]: (self._config.samples, solved)
                for name, solved in found["by_theorem"].items()
                if name in by_name
            }
            self._store.record_attempts(str(folder), counts)
        return {"rate": found["overall"]["pass@1"]["value"]}

    def _rates(self, last: int, members: list[Member]) -> list[list[float | None]]:
        """Return the solve rates up to a row."""
        return [
            [(self._log.result(f"measure {m.name} after {t}") or {}).get("rate") for m in members]
            for t in range(last + 1)
        ]

    def _report(self, last: int, members: list[Member]) -> dict[str, Any]:
        rows = range(last + 1)
        rates = self._rates(last, members)
        beside = [self._log.result(f"measure {self._config.theorems} after {t}") or {} for t in rows]
        return {
            "repositories": [member.name for member in members],
            "rates": rates,
            "beside": [each.get("rate") for each in beside] if self._config.theorems else None,
            "measures": [measures(rates[: t + 1]) for t in rows],
        }

    def _env(
        self, theorems: Sequence[Theorem], budget: int = 1
    ) -> AbstractContextManager[LeanProofVectorEnv]:
        """Open an environment for scripts of at most `budget` tactics."""
        config = self._config
        count = max(1, min(SIDE_BY_SIDE, len(theorems)))
        options: dict[str, Any] = {
            "max_steps": max(1, budget),
            "actions": config.sampling.actions,
            "reward": "binary",
        }
        return opened_env(theorems, count, config.backend, config.workers, config.env, **options)


def _resumable(folder: Path, needed: str) -> Path | None:
    """Return the folder of a run that was interrupted; one that cannot go on is removed."""
    if (folder / "config.yaml").is_file() and (folder / needed).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _expect_done(code: int) -> None:
    """Check the exit code of a stage.

    Raises:
        StageEnded: It is not 0.
    """
    if code:
        raise StageEnded(code)
