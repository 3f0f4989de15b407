"""The `sorry`s of a repository: proofs searched file by file, written as a patch, and kept in the store.

Each file is filled by `trainers.proving.editing`, which gives a file back only if it checks and the proofs in it depend
on permitted axioms. A proof enters the store only if the theorem as it is played is proved by exactly its tactics, from
the bare statement: a file may hold more before and after a `sorry` than the tactics that replace it.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lean_gym.types import Theorem
from trainers.config.tasks import ProveConfig
from trainers.corpora.lifelong.records import StoredTheorem, TracedTheorem
from trainers.corpora.lifelong.store import Store
from trainers.corpora.retrieval.retriever import retriever_of
from trainers.errors import ConfigError
from trainers.policies.base import SeededPolicy
from trainers.policies.source import PolicySource
from trainers.proving.editing.filling import InProject, fill
from trainers.proving.editing.holes import Hole
from trainers.rollouts.env import verify_proofs
from trainers.runtime.atomic_files import write_text
from trainers.runtime.signals import Interrupted

PATCH = "proofs.patch"


@dataclass(frozen=True, slots=True)
class _LoadedOnce(PolicySource):
    """Source whose policy is loaded for the first file only."""

    policy: SeededPolicy | None = None

    def load(self, *_: Any, **__: Any) -> SeededPolicy:
        """Return the policy.

        Raises:
            ValueError: It was not given.
        """
        if self.policy is None:
            raise ValueError("expected a policy")
        return self.policy


def fill_repository(
    config: ProveConfig,
    store: Store,
    theorems: Sequence[StoredTheorem],
    root: Path,
    folder: Path,
    on_step: Callable[[], None],
) -> dict[str, Any]:
    """Search for the proofs of a repository's `sorry`s.

    Args:
        config: The settings, without files.
        store: Takes the proofs.
        theorems: The theorems of the repository.
        root: Folder of its files; they are read, never written.
        folder: Where the filled files and `proofs.patch` are written.
        on_step: Raises `Interrupted` to stop.

    Returns:
        Numbers of `sorry`s and of those filled in, names of the proofs in the store, files that cannot be filled with
        the reason, and a row for each `sorry` that is filled in: file, name, line, tactics, axioms.

    Raises:
        Interrupted: A stop was requested.
        PolicyError: The policy cannot be used.
    """
    open_ones = [each for each in theorems if each.traced.status == "sorry"]
    source: PolicySource | None = None
    filled: list[dict[str, Any]] = []
    patches, failures = [], {}
    for name in dict.fromkeys(each.traced.file for each in open_ones):
        on_step()
        out = folder / name
        out.parent.mkdir(parents=True, exist_ok=True)
        settings = config.model_copy(update={"file": str(root / name), "out": str(out), "as_json": True})
        if source is None:
            found = PolicySource.find(config.policy)
            parts = (settings.rollout, settings.endpoint, settings.engine, settings.torch_threads)
            loaded = found.load(*parts, on_step, settings.search.decoding)
            source = _LoadedOnce(found.name, found.kind, found.model, found.defaults, found.search, loaded)
        try:
            own = [each.traced for each in open_ones if each.traced.file == name]
            rows = _fill(
                settings, source, InProject(root, partial(_episode_at, own), name.removesuffix(".lean"))
            )
        except ConfigError as error:
            failures[name] = str(error)
            continue
        filled += [{**row, "file": name} for row in rows if row["proved"]]
        patches.append(patch_of(name, (root / name).read_bytes(), out.read_bytes()))
    write_text(folder / PATCH, "".join(patches))
    kept = _keep(config, store, open_ones, filled, str(folder), on_step)
    counts = {"sorries": len(open_ones), "filled": len(filled)}
    return {**counts, "proofs": kept, "failures": failures, "rows": filled}


def patch_of(name: str, before: bytes, after: bytes) -> str:
    """Return the change of a file as a patch for `git apply` and `patch -p1`; empty without a change.

    Args:
        name: Path of the file in its repository.
        before: Its content.
        after: Its new content; both are UTF-8.
    """
    old, new = (_lines(content) for content in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(content: bytes) -> list[str]:
    # Only "\n" ends a line of a patch.
    return [line for line in content.decode("utf-8").replace("\n", "\n\0").split("\0") if line]


def _episode_at(theorems: Sequence[TracedTheorem], hole: Hole) -> Theorem | None:
    """Return the theorem around a hole, if it can be played at its place in the project."""
    around = (each for each in theorems if each.start[0] <= hole.line <= each.end[0])
    episode = next((each.episode for each in around), None)
    return replace(episode, proof="") if episode is not None and episode.position else None


def _fill(settings: Any, source: PolicySource, project: InProject) -> Iterator[dict[str, Any]]:
    """Fill a file and return its rows.

    Raises:
        Interrupted: A stop was requested.
        ConfigError: The file cannot be filled.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = fill(settings, source, retriever_of(settings.rollout), project)
    if code > 128:
        raise Interrupted(code - 128)
    return (row for row in map(json.loads, printed.getvalue().splitlines()) if "name" in row)


def _keep(
    config: ProveConfig,
    store: Store,
    theorems: Sequence[StoredTheorem],
    filled: Sequence[dict[str, Any]],
    source: str,
    on_step: Callable[[], None],
) -> list[str]:
    """Add the proofs that a replay from the bare statement accepts to the store, and return their names."""
    by_place = {(each.traced.file, each.traced.name): each for each in theorems}
    by_end = {(file, name.rpartition(".")[2]): each for (file, name), each in by_place.items()}
    claims = []
    for row in filled:
        each = by_place.get((row["file"], row["name"])) or by_end.get(
            (row["file"], row["name"].rpartition(".")[2])
        )
        if each is not None and each.traced.episode is not None:
            claims.append((each, tuple(row["tactics"])))
    # Names may occur in several files, and must be unique in a set: one at a time.
    kept = []
    for each, script in claims:
        assert each.traced.episode is not None
        episode = replace(each.traced.episode, proof="")
        prover = (config.backend, config.workers, on_step, config.env)
        (axioms,) = verify_proofs([episode], [(episode.name, script)], *prover)
        if axioms is not None:
            store.add_proof(each.id, script, axioms, source)
            kept.append(each.traced.name)
    return kept
