"""The program `python -m trainers.prove`: searches, replays every proof from its text, and prints the results."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from os.path import dirname, isdir
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from rich.console import Console

from lean_gym import LeanProofVectorEnv
from lean_gym.backends.statement import tactic_body
from lean_gym.datasets import load_theorems
from lean_gym.datasets.formats.lean_source import statement_of, without_comments
from lean_gym.errors import DataError, unknown_name
from lean_gym.types import Theorem
from trainers.config.names import POLICY
from trainers.config.search import SearchConfig
from trainers.config.tasks import ProgressConfig, ProveConfig
from trainers.curriculum.theorems import load_sets
from trainers.errors import ConfigError
from trainers.policies.base import SeededPolicy
from trainers.policies.premises import Retriever
from trainers.policies.source import PolicySource
from trainers.policies.views import create_view
from trainers.proving.search.beam import Beam
from trainers.proving.search.best_first import BestFirst
from trainers.proving.search.budget import Budget
from trainers.proving.search.drawing import draw_tree, one_line
from trainers.proving.search.mcts import Mcts
from trainers.proving.search.portfolio import Portfolio
from trainers.proving.search.proposals import core_lemmas
from trainers.proving.search.puct import Puct
from trainers.proving.search.rules import Rule
from trainers.proving.search.sample import Sample
from trainers.proving.search.scores import create_score
from trainers.proving.search.searcher import NO_FRAMES, Frame, Search, Searcher
from trainers.proving.search.tree_states import states_of_tree
from trainers.proving.search.value import load_progress
from trainers.proving.search.whole_proof import WholeProof
from trainers.reporting.lean_source import in_project, lean_file
from trainers.rollouts.env import Script, check_backend, opened_env, verify_proofs
from trainers.rollouts.step_rows import rows_of
from trainers.runtime.atomic_files import naming_unwritable, write_text
from trainers.runtime.seeding import derive_seed
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import progress_on, warn

_NO_PROOF: Final = re.compile(r":=\s*(?:by\s*)?(?:sorry|admit)?")

Verified = dict[str, tuple[Script, tuple[str, ...]]]
"""Name -> script and axioms of a proof that was replayed from its text."""


def prove(config: ProveConfig, source: PolicySource | None, retriever: Retriever | None = None) -> int:
    """Search for proofs of the chosen theorems and print them.

    Args:
        config: The settings.
        source: Source of the policy; `None` without one.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        The exit code: 0 if all are proved, else 1, or 128 plus the number of the signal that interrupted.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The policy cannot be used.
    """
    theorems = chosen_theorems(config)
    check_backend(config, theorems)
    check_place(config.steps_out, "steps_out")
    interrupted = 0
    # Proofs are printed on standard output.
    with StopRequest() as stop, progress_on(Console(stderr=True)) as bars:
        try:
            with bars.doing("loading the policy"):
                policy = load_policy(config, source, stop.check)
            with bars.doing("theorems searched", len(theorems)) as task:

                def show(searches: Sequence[Search]) -> None:
                    tried = sum(search.spent.tactics for search in searches)
                    done = sum(search.ended for search in searches)
                    bars.update(task, completed=done, note=f"{tried} tactics")

                searches = search_with(config, theorems, policy, stop.check, retriever=retriever, show=show)
        except Interrupted as interruption:
            warn("interrupted")
            return 128 + interruption.signal_number
        # A signal ends the search and not the program: what was found is replayed and printed.
        interrupted = stop.signal_number or 0
    verified = replayed(config, theorems, searches)
    for theorem, search in zip(theorems, searches, strict=True):
        print("\n".join(_report(config, theorem, search, verified)), flush=True)
    if config.steps_out:
        write_text(Path(config.steps_out), _steps(searches))
    if interrupted:
        return 128 + interrupted
    return 0 if len(verified) == len(theorems) else 1


def chosen_theorems(config: ProveConfig) -> list[Theorem]:
    """Return the theorems to prove.

    Raises:
        ConfigError: The statement cannot be used, or there is no such theorem or set.
    """
    if not config.theorem.strip():
        return load_sets(config.theorems)
    if len(config.theorem.split()) > 1:
        statement = statement_of(config.theorem)
        proof = without_comments(config.theorem)[len(statement) :].strip()
        if proof and not _NO_PROOF.fullmatch(proof):
            raise ConfigError(f"theorem: expected a statement without a proof, got the proof {proof!r}")
        try:
            return load_theorems([statement])
        except DataError as error:
            raise ConfigError(f"theorem: {error}") from None
    known = {theorem.name: theorem for theorem in load_sets(config.theorems)}
    if config.theorem not in known:
        near = unknown_name("theorem", config.theorem, list(known)).partition(" (known:")[0]
        raise ConfigError(
            f"{near}; looked in: {config.theorems}. A statement is given as in 'theorem t : 1 = 1'"
        )
    return [known[config.theorem]]


def load_policy(
    config: ProveConfig, source: PolicySource | None, check: Callable[[], None]
) -> SeededPolicy | None:
    """Load the policy of a search; `None` if none of its tactics come from one.

    Args:
        config: The settings.
        source: Source of the policy; `None` without one.
        check: Raises `Interrupted` to end a request to an endpoint.

    Raises:
        PolicyError: The policy cannot be loaded.
    """
    if source is None or POLICY not in config.sources:
        return None
    sampling = (config.rollout, config.endpoint, config.engine, config.torch_threads)
    return source.load(*sampling, check, config.search.decoding)


def search_with(
    config: ProveConfig,
    theorems: Sequence[Theorem],
    policy: SeededPolicy | None,
    check: Callable[[], None],
    frames: Mapping[str, Frame] = NO_FRAMES,
    retriever: Retriever | None = None,
    show: Callable[[Sequence[Search]], None] = lambda searches: None,
) -> tuple[Search, ...]:
    """Search for proofs on an environment of their own; see `search_on`.

    Raises:
        ConfigError: The prover cannot be used.
        PolicyError: The progress model cannot be used.
    """
    with opened_for(config, theorems) as env:
        return search_on(env, config, theorems, policy, check, frames, retriever, show)


def opened_for(
    config: ProveConfig, theorems: Sequence[Theorem]
) -> AbstractContextManager[LeanProofVectorEnv]:
    """Open an environment for searches of some theorems, or of others with the same imports."""
    prover = (config.backend, config.workers, config.env)
    return opened_env(theorems, config.side_by_side, *prover, **config.rollout.env_options)


def search_on(
    env: LeanProofVectorEnv,
    config: ProveConfig,
    theorems: Sequence[Theorem],
    policy: SeededPolicy | None,
    check: Callable[[], None],
    frames: Mapping[str, Frame] = NO_FRAMES,
    retriever: Retriever | None = None,
    show: Callable[[Sequence[Search]], None] = lambda searches: None,
) -> tuple[Search, ...]:
    """Search for proofs; an interruption ends the search and keeps what was found.

    Args:
        env: The environment; the theorems need not be its own.
        config: The settings.
        theorems: The theorems.
        policy: Proposes tactics; `None` where none of them come from a policy.
        check: Raises `Interrupted` to end the search.
        frames: By theorem, tactics around the part of its proof that is searched.
        retriever: Finds premises for the prompts and the tactics of lemmas, where the settings name a retriever.
        show: Told how far the searches are, before each call of the policy or the prover.

    Returns:
        One search for each theorem.

    Raises:
        PolicyError: The progress model cannot be used.
    """
    settings = config.rollout
    limits = config.search
    budget = Budget(limits.tactics, limits.model_calls or None, limits.seconds or None, limits.most_patience)
    create_rule = rule_maker(limits, settings.max_steps)
    if config.sources != (POLICY,):
        create_rule = _portfolio_maker(config, create_rule if POLICY in config.sources else None, retriever)

    def on_step() -> None:
        check()
        show(searcher.searches)

    searcher = Searcher(
        env,
        policy,
        create_rule,
        budget,
        on_step=on_step,
        view=create_view(settings, retriever),
        frames=frames,
        split_goals=limits.split_goals,
    )
    seeded = nullcontext() if policy is None else policy.seeded(derive_seed(config.seed, "prove"))
    with suppress(Interrupted), seeded:
        searcher.search(theorems)
    return searcher.searches


def rule_maker(search: SearchConfig, max_steps: int) -> Callable[[], Rule]:
    """Return a function that makes the rule of one search.

    Args:
        search: The settings; a progress model that they name is loaded at once.
        max_steps: Tactics of an episode, refused ones included.

    Raises:
        PolicyError: The progress model cannot be used.
    """
    score = create_score(search.score, search.length_exponent)
    value = load_progress(search.value).tactics_left if search.value else None
    rules: dict[str, Callable[[], Rule]] = {
        "best_first": lambda: BestFirst(score, search.samples, value, search.value_weight),
        "beam": lambda: Beam(score, search.samples, search.beam_width),
        "mcts": lambda: Mcts(Puct.of(search), search.samples, value, search.rollout_tactics),
        "sample": lambda: Sample(search.samples, max_steps),
        "whole_proof": lambda: WholeProof(search.samples, search.repairs),
    }
    return rules[search.method]


def _portfolio_maker(
    config: ProveConfig, of_policy: Callable[[], Rule] | None, retriever: Retriever | None
) -> Callable[[], Rule]:
    """Return a function that makes the rule of one search by several sources of tactics.

    Automation may use a quarter of the budget, and the whole where it is the only source.
    """
    search, sources = config.search, config.sources
    lemmas = retriever or core_lemmas()
    scripts = search.tactics if sources == ("automation",) else search.tactics // 4

    def make() -> Rule:
        rule = None if of_policy is None else of_policy()
        return Portfolio(rule, sources, search.samples, scripts, lemmas)

    return make


def check_place(file: str, setting: str) -> None:
    """Check that a file can be written before anything is searched.

    Raises:
        ConfigError: It is a folder, or in a folder that does not exist or takes no files.
    """
    # These functions take any text for a name, also one that no file can have.
    if file and (isdir(file) or not isdir(dirname(file) or ".") or "\0" in file):
        raise ConfigError(f"{setting}: expected a file in a folder that exists, got {file!r}")
    if file:
        with naming_unwritable(Path(file)), TemporaryFile(dir=dirname(file) or "."):
            pass


def _steps(searches: Sequence[Search]) -> str:
    """Return the states of the trees as lines of a file."""
    states = [
        state
        for search in searches
        if search.tree is not None
        for state in states_of_tree(search.theorem, search.tree)
    ]
    longest = max((state.left for state in states if state.left is not None), default=0)
    return rows_of(states, max(longest, ProgressConfig().longest))


def replayed(config: ProveConfig, theorems: Sequence[Theorem], searches: Sequence[Search]) -> Verified:
    """Replay the proofs found from their text in a new environment, and return those that pass."""
    claims = [(search.theorem, search.proof.tactics) for search in searches if search.proof is not None]
    verdicts = verify_proofs(theorems, claims, config.backend, config.workers, settings=config.env)
    return {
        name: (script, axioms)
        for (name, script), axioms in zip(claims, verdicts, strict=True)
        if axioms is not None
    }


def source_of(theorem: Theorem, script: Script) -> str:
    """Return a proof as Lean source.

    A lemma of minilean's own library stands without what is before it there; so does a theorem of a project whose file
    does not take the proof, and the first line says why.
    """
    alone = f"{theorem.statement.rstrip()} {tactic_body(script)}\n"
    if not in_project(theorem):
        return alone if theorem.position else lean_file(theorem, script)
    try:
        return lean_file(theorem, script)
    except DataError as error:
        return f"-- {one_line(str(error))}\n{alone}"


def told_use(config: ProveConfig, search: Search) -> str:
    """Return what proved a theorem or did not (sources; of a policy alone, the method), and what it used."""
    spent, actions = search.spent, "attempts" if config.rollout.actions == "proof" else "tactics"
    used = f"{spent.tactics} {actions}, {spent.model_calls} model calls, {spent.seconds:.1f} s"
    if config.sources == (POLICY,):
        return f"{config.search.method}: {used}"
    by = config.sources if search.proof is None else search.proof.sources
    return f"{', '.join(by)}: {used}"


def _report(config: ProveConfig, theorem: Theorem, search: Search, verified: Verified) -> Iterator[str]:
    """Yield the lines about one theorem."""
    script, axioms = verified.get(theorem.name, ((), ()))
    proved = theorem.name in verified
    drawn = draw_tree(search.tree) if config.show == "tree" and search.tree is not None else []
    if config.as_json:
        row: dict[str, Any] = {"name": theorem.name, "statement": theorem.statement, "proved": proved}
        row |= {"source": source_of(theorem, script) if proved else None, "tactics": list(script)}
        row |= {"axioms": list(axioms), "failure": search.failure, "method": config.search.method}
        row["proved_by"] = list(search.proof.sources) if proved and search.proof is not None else []
        row["spent"] = search.spent.as_row()
        row |= {"tree": drawn} if drawn else {}
        yield json.dumps(row, ensure_ascii=False)
        return
    if proved:
        yield source_of(theorem, script).rstrip("\n")
    name = one_line(theorem.name)
    if search.failure:
        yield f"-- {name}: does not elaborate: {one_line(search.failure)}"
    elif search.proof is not None and not proved:
        yield f"-- {name}: not proved: the replay of the proof found was refused"
    else:
        yield f"-- {name}: {'proved' if proved else 'not proved'} by {told_use(config, search)}"
    yield from (f"-- {line}" for line in drawn)
    yield ""
