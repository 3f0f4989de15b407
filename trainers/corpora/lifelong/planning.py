"""`--dry-run` of a course: repositories, order, stages done and to do, numbers of tactics, and what is missing here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from lean_gym.types import Theorem
from trainers.config.lifelong import LifelongConfig
from trainers.corpora.lifelong.keeping import by_difficulty
from trainers.corpora.lifelong.records import Repository
from trainers.corpora.lifelong.retriever_needs import check_retriever
from trainers.corpora.lifelong.sources import is_project, read_known, slug
from trainers.corpora.lifelong.stage_log import StageLog
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.theorem_parts import Parts, parts_of
from trainers.curriculum.theorems import load_sets
from trainers.errors import ConfigError
from trainers.run.plan import missing
from trainers.run.plan.sizes import measure


def print_plan(config: LifelongConfig, resume: Path | None, program: str) -> int:
    """Print the plan of a course, and start nothing.

    Args:
        config: The settings.
        resume: Folder of a course that was interrupted; `None` for a new one.
        program: How the program was started.

    Returns:
        The exit code: 0, or 1 where something is missing on this machine.

    Raises:
        ConfigError: The folder of the interrupted course cannot be read.
    """
    print(f"plan of {program}; nothing is started")
    log = StageLog(resume / "stages.json") if resume is not None else None
    lacking: list[str] = []
    known: list[Repository | None] = []
    for source in config.repos:
        try:
            known.append(_repository(source, log))
        except ConfigError as error:
            known.append(None)
            lacking.append(" ".join(str(error).split()))
    found = [one for one in known if one is not None]
    beside: list[Theorem] = []
    try:
        beside = load_sets(config.theorems) if config.theorems else []
    except ConfigError as error:
        lacking.append(" ".join(str(error).split()))
    parts = parts_of(found, beside)
    lines = [("prover", config.prover())]
    lines += [*_repositories(config, known, parts), ("order", _order(config, known, log))]
    lines += [*_stages(config, found, parts, len(beside)), *_progress(config, log)]
    for label, text in lines:
        print(f"  {label:<12}{text}")
    size = measure(config.model, config.tiny, None)
    theorems = [each.episode for one in found for each in one.theorems if each.episode is not None]
    lacking += [*missing.of_prover(config, theorems), *missing.of_model(config.model, size)]
    lacking += missing.of_packages("trl", "datasets", "tensorboard")
    try:
        check_retriever(config, is_new=log is None)
    except ConfigError as error:
        lacking.append(str(error))
    if not lacking:
        print("nothing is missing on this machine")
        return 0
    print("missing on this machine", *(f"  {line}" for line in lacking), sep="\n")
    return 1


def _repository(source: str, log: StageLog | None) -> Repository | None:
    """Return a repository as far as it is known; `None` for a project that is to be traced.

    Raises:
        ConfigError: There is no such repository.
    """
    done = None if log is None else log.result(f"trace {source}")
    traced = source if done is None else str(done["traced"])
    if done is not None and (Path(traced) / "metadata.json").is_file():
        return read_known(traced)
    return None if is_project(source) else read_known(source)


def _repositories(
    config: LifelongConfig, known: Sequence[Repository | None], parts: Sequence[Parts]
) -> Iterator[tuple[str, str]]:
    divided = iter(parts)
    for source, repository in zip(config.repos, known, strict=True):
        if repository is None:
            yield "repository", f"{source}: " + ("to be traced" if is_project(source) else "missing")
            continue
        part, gaps = next(divided), _sorries(repository)
        counts = f"{len(part.train)} to train on, {len(part.test)} held out, {gaps} sorries"
        yield "repository", f"{source}: {len(repository.theorems)} theorems, {counts}"


def _order(config: LifelongConfig, known: Sequence[Repository | None], log: StageLog | None) -> str:
    names = list(map(slug, config.repos))
    done = None if log is None else log.result("order")
    if done is not None:
        return ", ".join(names[number] for number in done["order"])
    if config.order == "given":
        return ", ".join(names)
    found = [one for one in known if one is not None]
    if len(found) < len(known):
        return "by difficulty, once all are traced"
    with TemporaryDirectory() as place, Store(Path(place) / "plan.db") as store:
        ids = [store.add(one) for one in found]
        ranked = [row.id for row in by_difficulty(store, store.repositories())]
    return ", ".join(names[ids.index(number)] for number in ranked) + ", by difficulty"


def _stages(
    config: LifelongConfig, found: Sequence[Repository], parts: Sequence[Parts], beside: int
) -> Iterator[tuple[str, str]]:
    """Yield the work of the stages; numbers of theorems are those that are known, `beside` those of no repository."""
    sft, grpo, prove = (
        config.to_sft("x", "x", "x"),
        config.to_grpo("x", "x", "x"),
        config.to_prove("x", "x", "x"),
    )
    if config.retriever != "none":
        yield "premises", f"{config.premises} by {config.retriever}"
    yield "sft", f"{sft.epochs} passes, {sft.batch_size} rows per step, for each repository"
    rollout = grpo.rollout
    drawn = sum(min(rollout.theorems_per_iteration, len(part.train)) for part in parts)
    tactics = grpo.max_iterations * drawn * rollout.group_size * rollout.max_steps
    yield "grpo", f"{grpo.max_iterations} rounds for each repository, at most {tactics} tactics in all"
    gaps = sum(map(_sorries, found))
    yield "prove", f"{gaps} sorries, at most {prove.search.tactics} tactics each"
    rounds, held_out = 1 + len(config.repos), beside + sum(len(part.test) for part in parts)
    episodes = rounds * held_out * config.samples
    most = episodes * config.sampling().max_steps
    yield (
        "measure",
        f"{rounds} times {held_out} theorems x {config.samples} episodes, at most {most} tactics in all",
    )
    if len(found) < len(config.repos):
        yield "", "theorems of repositories that are not traced yet are not counted"


def _progress(config: LifelongConfig, log: StageLog | None) -> Iterator[tuple[str, str]]:
    """Yield the stages that are done and those to do, by the name of a repository and for all of them."""
    if log is None:
        return
    names = [*(f"trace {source}" for source in config.repos), "order"]
    names += ["premises"] * (config.retriever != "none") + ["start"]
    order = (log.result("order") or {}).get("order")
    if order is None:
        yield "stages", _done(names, log) + "; those of each repository follow"
        return
    folders = [(log.result(f"trace {config.repos[number]}") or {})["folder"].name for number in order]
    yield "stages", _done(names, log)
    each = ["set", "premises", "sft", "grpo", "prove", "consolidate"]
    if config.retriever == "none":
        each.remove("premises")
    if not config.ewc_weight:
        each.remove("consolidate")
    for folder in folders:
        yield "", f"{folder}: {_done([f'{folder}: {name}' for name in each], log, len(folder) + 2)}"


def _done(names: Sequence[str], log: StageLog, skipped: int = 0) -> str:
    done = [name[skipped:] for name in names if log.result(name) is not None]
    todo = [name[skipped:] for name in names if log.result(name) is None]
    return f"done {', '.join(done) or 'none'}; to do {', '.join(todo) or 'none'}"


def _sorries(repository: Repository) -> int:
    return sum(each.status == "sorry" for each in repository.theorems)
