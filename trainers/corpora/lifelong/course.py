"""A course: repositories learned one after another, in stages that are each done once.

In the run folder, which may be moved:

config.yaml                the resolved settings
stages.json                the completed stages with their results
theorems.db                theorems, proofs and attempts, unless `database` names another file
start/policy/              the tiny model that `--model tiny` begins with
start/premises/            indexes of premises, with `retriever`
NUMBER-NAME/               a folder for each repository:
    traced/                what the tracer wrote
    set.jsonl              training theorems, replayed ones among them, and held-out ones
    premises/              the retriever after it, see `premise_indexes.py`
    sft/, grpo/            the runs of both stages
    filled/proofs.patch    proofs of its `sorry`s
    consolidation.safetensors    Fisher information up to here, with `ewc_weight`
    measured/              measurements after it
transfer.json              solve rates of all repositories after each one, and the measures of `transfer.py`
events.out.tfevents.*      the same for TensorBoard

A stage that was killed is carried out again; training goes on from its own checkpoint.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import torch
from rich.console import Console

from lean_gym import LeanProofVectorEnv
from lean_gym.datasets.splits import train_and_test
from lean_gym.types import Theorem
from trainers.config.cli import Command
from trainers.config.lifelong import LifelongConfig
from trainers.config.run import RunConfig
from trainers.corpora.lifelong.filling import fill_repository
from trainers.corpora.lifelong.keeping import by_difficulty
from trainers.corpora.lifelong.measuring import Measurements
from trainers.corpora.lifelong.member import Indexes, Member, Replayed
from trainers.corpora.lifelong.records import StoredTheorem
from trainers.corpora.lifelong.seams import Tracer
from trainers.corpora.lifelong.sources import copied_sources, read_source, slug
from trainers.corpora.lifelong.stage_log import Result, StageLog, expect_done
from trainers.corpora.lifelong.store import Key, Store
from trainers.corpora.lifelong.theorem_parts import Parts, drawn_again, parts_of, write_set
from trainers.corpora.lifelong.traced import read_traced
from trainers.corpora.lifelong.transfer import measures
from trainers.corpora.retrieval.retriever import retriever_of
from trainers.curriculum.theorems import TheoremSplit, load_sets
from trainers.errors import ConfigError
from trainers.imitation.proof_pairs import collect, reference_claims
from trainers.imitation.sft import fine_tune
from trainers.learning.consolidation import Consolidation, measure_fisher
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.policies.views import create_view
from trainers.rollouts.env import SIDE_BY_SIDE, opened_env
from trainers.rollouts.player import EpisodePlayer
from trainers.run.models import make_tiny
from trainers.run.session import train
from trainers.runtime.seeding import derive_seed
from trainers.runtime.signals import Stop
from trainers.runtime.terminal import say, warn

FISHER_ROWS: Final = 200
"""Proof steps of a repository from which its Fisher information is measured."""
Model = str | Path
"""A folder of the course, or a model as the user names it."""


class Course:
    """A course, resumable at every stage."""

    def __init__(
        self, config: LifelongConfig, folder: Path, store: Store, stop: Stop, console: Console, tracer: Tracer
    ) -> None:
        """Keep the parts.

        Args:
            config: The settings.
            folder: The run folder.
            store: Keeps theorems, proofs and attempts.
            stop: Asked between stages and in long ones.
            console: Output.
            tracer: Traces projects.
        """
        self._config = config
        self._folder = folder.resolve()
        self._store = store
        self._stop = stop
        self._console = console
        self._tracer = tracer
        self._log = StageLog(self._folder / "stages.json")
        self._places: dict[int, dict[Key, Theorem | None]] = {}

    def run(self) -> dict[str, float | None]:
        """Carry out the stages that are not done, and return the measures at the end.

        Raises:
            StageEnded: A stage ended before it was done.
            Interrupted: A stop was requested.
            ConfigError: A setting or a repository cannot be used.
        """
        self._follow_a_move()
        for number, source in enumerate(self._config.repos):
            self._stage(f"trace {source}", partial(self._trace, number, source))
        members = [self._member(number) for number in self._stage("order", self._choose_order)["order"]]
        beside = load_sets(self._config.theorems) if self._config.theorems else []
        repositories = [
            replace(self._store.load(member.id), theorems=[each.traced for each in self._theorems(member)])
            for member in members
        ]
        parts = parts_of(repositories, beside)
        measurements = Measurements(self._config, self._folder, self._store, self._log, members, parts)
        indexes, premises = Indexes(), None
        if self._config.retriever != "none":
            # Imported here: without a retriever no course needs its packages.
            from trainers.corpora.lifelong.premise_indexes import PremiseIndexes

            premises = PremiseIndexes(self._config, members, repositories, parts, self._stop.check)
            indexes = Indexes.read(self._stage("premises", partial(premises.start, self._folder / "start")))
        policy: Model = self._stage("start", partial(self._start, members, parts, indexes))["policy"]
        measurements.take(0, policy, indexes, self._stage, self._console)
        ewc: Path | None = None
        for number, member in enumerate(members):
            again = self._prepare_set(number, members, parts)
            if premises is not None:
                work = partial(premises.after, number, indexes, again)
                indexes = Indexes.read(self._stage(f"{member.name}: premises", work))
            shown = indexes.for_training(member)
            policy = self._stage(f"{member.name}: sft", partial(self._fine_tune, member, policy, ewc, shown))[
                "policy"
            ]
            policy = self._stage(
                f"{member.name}: grpo", partial(self._reinforce, member, policy, ewc, shown)
            )["policy"]
            self._stage(f"{member.name}: prove", partial(self._prove, member, policy, indexes.of(member)))
            if self._config.ewc_weight:
                work = partial(self._consolidate, member, policy, ewc, parts[number].train, shown)
                ewc = self._stage(f"{member.name}: consolidate", work)["file"]
            measurements.take(number + 1, policy, indexes, self._stage, self._console)
        return measures(measurements.rates(len(members)))

    def _stage(self, name: str, work: Callable[[], Result]) -> Result:
        """Carry out a stage unless it is done, and return its result."""

        def begin() -> None:
            self._stop.check()
            say(self._console, f"stage {name}")

        return self._log.carry_out(name, work, begin)

    def _follow_a_move(self) -> None:
        """Bring up to date what names the run folder by its full path, as it may have been moved."""
        before = self._log.result("folder")
        # The course is named apart from its folder: a measurement repeated after a move counts once in the store.
        place = {"folder": str(self._folder), "course": (before or {}).get("course") or uuid4().hex}
        if before is not None:
            for source in self._config.repos:
                done = self._traced(source)
                traced = done.get("traced")
                if traced is not None and not traced.is_dir():
                    self._refuse_without(traced, done["id"], source)
                # Theorems are proved at their places. Another course may have named others, in the same database.
                if traced is not None and traced.is_relative_to(self._folder) and traced.is_dir():
                    self._store.add(read_traced(traced))
        if before != place:
            for folder in (*self._folder.glob("measured/*"), *self._folder.glob("*/measured/*")):
                if not (folder / "result.json").is_file():
                    shutil.rmtree(folder)  # it was interrupted, and goes on with the same paths only
            self._log.finish("folder", place)

    def _refuse_without(self, traced: Path, repository: int, source: str) -> None:
        """Refuse to go on without a traced folder in which theorems are proved.

        Raises:
            ConfigError: Theorems of the repository stand in it.
        """
        known = (each.traced.episode for each in self._store.theorems(repository))
        if any(one is not None and one.position.startswith(f"{traced}/") for one in known):
            raise ConfigError(
                f"repos: got no folder {traced}, expected the trace of {source} in it, where its theorems are proved; "
                "move it back or link it there"
            )

    def _trace(self, number: int, source: str) -> Result:
        folder = self._folder / f"{number + 1}-{slug(source)}"
        folder.mkdir(exist_ok=True)
        repository, traced, sources = read_source(source, folder / "traced", self._tracer)
        known = {self._traced(other).get("id"): other for other in self._config.repos[:number]}
        added = self._store.add(repository)
        if added in known:
            raise ConfigError(
                f"repos: {source} is the same repository as {known[added]}, address {repository.url} and commit "
                f"{repository.commit or 'none'}; name it once"
            )
        done: Result = {"folder": folder, "traced": traced, "sources": sources}
        return done | {"id": added, "theorems": len(repository.theorems)}

    def _choose_order(self) -> Result:
        ids = [self._traced(source)["id"] for source in self._config.repos]
        if self._config.order == "given":
            return {"order": list(range(len(ids)))}
        rows = {row.id: row for row in self._store.repositories()}
        ranked = by_difficulty(self._store, [rows[number] for number in ids])
        return {"order": [ids.index(row.id) for row in ranked]}

    def _member(self, number: int) -> Member:
        done = self._traced(self._config.repos[number])
        traced, sources = done["traced"], done["sources"]
        if not sources.is_dir():  # a project that was moved; the trace has a copy of its files
            sources = copied_sources(traced)
        return Member(done["folder"].name, done["folder"], done["id"], traced, sources)

    def _theorems(self, member: Member) -> list[StoredTheorem]:
        """Return the theorems of a repository from the store, at their places in the trace of this course.

        Another course may have put its own places there since, and its folder may be gone before this one ends.
        """
        known = self._store.theorems(member.id)
        if not member.traced.is_relative_to(self._folder) or not (member.traced / "metadata.json").is_file():
            return known
        own = self._places.get(member.id)
        if own is None:
            traced = read_traced(member.traced).theorems
            own = {(each.file, each.name, each.statement): each.episode for each in traced}
            self._places[member.id] = own
        return [
            replace(each, traced=replace(each.traced, episode=own[key])) if key in own else each
            for each in known
            for key in [(each.traced.file, each.traced.name, each.traced.statement)]
        ]

    def _traced(self, source: str) -> Result:
        """Return the result of the stage that traced a repository."""
        return self._log.result(f"trace {source}") or {}

    def _start(self, members: Sequence[Member], parts: Sequence[Parts], indexes: Indexes) -> Result:
        """Make the tiny model, with a tokenizer for the first repository that has a proof, else for the `sorry`s."""
        config = self._config
        if config.model != "tiny":
            return {"policy": config.model}
        proved = (pair for pair in zip(members, parts, strict=True) if pair[1].train or pair[1].test)
        member, part = next(proved, (members[0], Parts((), ())))
        known = (each.traced.episode for each in self._theorems(member))
        theorems = part.train or part.test or tuple(one for one in known if one is not None)
        sampling = config.sampling(indexes.of(member))
        with self._env(theorems) as env:
            settings = RunConfig(seed=config.seed, tiny=config.tiny)
            player = EpisodePlayer(env, self._stop.check, create_view(sampling, retriever_of(sampling)))
            loaded = make_tiny(settings, player, TheoremSplit(theorems, ()))
        path = self._folder / "start" / "policy"
        path.parent.mkdir(exist_ok=True)
        TransformersPolicy(*loaded, sampling).save(path)
        return {"policy": path}

    def _prepare_set(self, number: int, members: list[Member], parts: list[Parts]) -> list[Replayed]:
        """Choose the theorems of the stages that train, write them where one is not done, and return replayed ones."""
        member, part = members[number], parts[number]
        earlier = [Replayed(theorem, at) for at in range(number) for theorem in parts[at].train]
        earlier += [Replayed(theorem, at) for at in range(number) for theorem in self._proved(members[at])]

        def choose() -> Result:
            settings = self._config
            own, known = [*part.train, *part.test], [one.theorem for one in earlier]
            drawn = drawn_again(known, own, settings.replay_share, settings.seed, number)
            return {"train": len(part.train), "replayed": [theorem.name for theorem in drawn]}

        names = self._stage(f"{member.name}: set", choose)["replayed"]
        by_name = {one.theorem.name: one for one in earlier}
        again = [by_name[name] for name in names if name in by_name]
        if self._log.result(f"{member.name}: grpo") is None:
            write_set(member.set, part, [one.theorem for one in again])
        return again

    def _proved(self, member: Member) -> Iterator[Theorem]:
        """Yield the theorems whose `sorry` was proved here, with the shortest proof."""
        for each in self._theorems(member):
            if each.proofs and each.traced.status == "sorry_proved" and each.traced.episode is not None:
                yield replace(each.traced.episode, proof="\n".join(each.proofs[0]))

    def _fine_tune(self, member: Member, policy: Model, ewc: Path | None, shown: str) -> Result:
        if not any(theorem.proof.strip() for theorem in train_and_test(_set_of(member))[0]):
            return {"policy": policy}  # nothing to imitate
        folder = member.folder / "sft"
        resume = _resumable(folder, "policy")
        config = self._config.to_sft(str(policy), str(member.set), str(folder), _text(ewc), shown)
        expect_done(fine_tune(config, resume, "python -m trainers.sft", retriever_of(config.rollout)))
        return {"policy": folder / "policy"}

    def _reinforce(self, member: Member, policy: Model, ewc: Path | None, shown: str) -> Result:
        folder = member.folder / "grpo"
        config = self._config.to_grpo(str(policy), str(member.set), str(folder), _text(ewc), shown)
        if not config.max_iterations or not train_and_test(_set_of(member))[0]:
            return {"policy": policy}
        resume = _resumable(folder, "checkpoint.pt")
        expect_done(train(Command(config, resume), retriever=retriever_of(config.rollout)))
        return {"policy": folder / "policy"}

    def _prove(self, member: Member, policy: Model, shown: str) -> Result:
        folder = member.folder / "filled"
        folder.mkdir(exist_ok=True)
        theorems = self._theorems(member)
        settings = self._config.to_prove(str(policy), "", "", shown)
        found = fill_repository(settings, self._store, theorems, member.sources, folder, self._stop.check)
        del found["rows"]  # they are in the patch
        for name, reason in found["failures"].items():
            warn(f"{member.name}: the sorries of {name} are left: {reason}")
        if found["sorries"]:
            say(
                self._console,
                f"{found['filled']} of {found['sorries']} sorries filled in: {folder / 'proofs.patch'}",
            )
        return found

    def _consolidate(
        self, member: Member, policy: Model, ewc: Path | None, theorems: Sequence[Theorem], shown: str
    ) -> Result:
        config, sampling = self._config, self._config.sampling(shown)
        claims = reference_claims(theorems, 1.0, config.seed)
        if not claims:
            return {"file": ewc}
        own = TransformersPolicy(*load_pretrained(str(policy)), sampling)
        own.model.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        with self._env(theorems, max(len(script) for _, script in claims)) as env:
            lessons = collect(
                EpisodePlayer(env, self._stop.check, create_view(sampling, retriever_of(sampling))), claims
            )
        if not lessons.pairs:
            return {"file": ewc}
        pairs = own.encode_pairs(lessons.pairs)
        generator = torch.Generator().manual_seed(derive_seed(config.seed, "fisher", member.id))
        found = measure_fisher(own, pairs, FISHER_ROWS, generator)
        if ewc is not None:
            found = Consolidation.load(ewc).after(found)
        path = member.folder / "consolidation.safetensors"
        found.save(path)
        return {"file": path}

    def _env(
        self, theorems: Sequence[Theorem], budget: int = 1
    ) -> AbstractContextManager[LeanProofVectorEnv]:
        """Open an environment for scripts of at most `budget` tactics."""
        config = self._config
        count = max(1, min(SIDE_BY_SIDE, len(theorems)))
        options: dict[str, Any] = {
            "max_steps": max(1, budget),
            "actions": config.sampling().actions,
            "reward": "binary",
        }
        return opened_env(theorems, count, config.backend, config.workers, config.env, **options)


def _text(path: Path | None) -> str:
    return "" if path is None else str(path)


def _set_of(member: Member) -> list[Theorem]:
    """Return the theorems of the training stages; none in a set without a row."""
    return load_sets(str(member.set)) if member.set.stat().st_size else []


def _resumable(folder: Path, needed: str) -> Path | None:
    """Return the folder of a run that was interrupted; one that cannot go on is removed."""
    if (folder / "config.yaml").is_file() and (folder / needed).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    return None
