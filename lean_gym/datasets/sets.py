"""Theorem sets by name, by path or in place, and choosing from them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from lean_gym.datasets.formats.benchmarks import cut_layout, layout_names, read_benchmark
from lean_gym.datasets.formats.jsonl import parse_jsonl, read_jsonl
from lean_gym.datasets.formats.problems import usable_theorems
from lean_gym.datasets.formats.rows import check_unique, theorem_from_row, theorem_from_statement
from lean_gym.datasets.formats.saved import DATASETS_PREFIX, load_dataset
from lean_gym.datasets.generators.procedural import GENERATED_PREFIX, load_generated
from lean_gym.datasets.redefinitions import warn_of_redefinitions
from lean_gym.datasets.splits import cut_split, with_random_split
from lean_gym.datasets.traced import read_traced, traced_folder
from lean_gym.errors import DataError, excerpt, unknown_name
from lean_gym.types import Theorem

TheoremSource = str | os.PathLike[str] | Iterable[Theorem | Mapping[str, Any] | str]

DATA_PACKAGE: Final = "envs_data"
CORE: Final = "core"
CORE_RANDOM: Final = "core_random"
"""The set `core` under a second split, which holds out a quarter of its theorems at random."""
_STATEMENT: Final = re.compile(r"\s*(?:theorem|lemma|example|def|instance)\s")
_EXAMPLE: Final = "theorems=['theorem t (p : Prop) (h : p) : p']"
_HUB_ID: Final = re.compile(r"[\w-]+/[\w.-]+")


def load_theorems(source: TheoremSource) -> list[Theorem]:
    """Load theorems from wherever the user has them.

    Args:
        source: A set name, `"logic"`, or one split of it, `"logic:train"`; `"core_random"`, the set
            `core` split at random instead of by file; the path of a JSONL file, which
            may end in `:train` too; a benchmark for real Lean, `"minif2f:FOLDER_OR_HUB_ID"`, which may end in
            `:test`, see `layout_names`; generated theorems, `"generated:first_order?size=200&difficulty=0.3&seed=1"`,
            see `lean_gym.datasets.generators.procedural`; `"datasets:FOLDER_OR_HUB_ID"`, see
            `load_dataset`; the folder of a trace, see `lean_gym.tracing`; or a list whose items are theorems,
            rows (mappings) or statements (strings).

    A warning tells of contexts that give Lean's own words another meaning.

    Returns:
        The theorems in order, at least one, with names that are unique.

    Raises:
        DataError: The set, file or split does not exist, or a row cannot be used.
    """
    theorems = _load(source)
    warn_of_redefinitions(theorems, stacklevel=2)
    return theorems


def _load(source: TheoremSource) -> list[Theorem]:
    if isinstance(source, Mapping | Theorem | bytes) or not isinstance(source, str | os.PathLike | Iterable):
        raise DataError(
            f"theorems: got one {type(source).__name__}, expected a set name, a path or a list, e.g. {_EXAMPLE}"
        )
    if not isinstance(source, str | os.PathLike):
        return _from_items(list(source))
    text = os.fspath(source)
    if isinstance(source, str) and _STATEMENT.match(text):
        raise DataError(
            f"theorems: got one statement, {excerpt(text)}, expected a list of them, e.g. {_EXAMPLE}"
        )
    if isinstance(source, str) and text.startswith(GENERATED_PREFIX):
        return load_generated(text)
    if isinstance(source, str) and text.startswith(DATASETS_PREFIX):
        place, part = cut_split(text.removeprefix(DATASETS_PREFIX))
        saved = load_dataset(place)
        return saved if part is None else _one_split(saved, place, part)
    benchmark = cut_layout(text) if isinstance(source, str) else None
    if benchmark is not None:
        layout, rest = benchmark
        place, part = cut_split(rest)
        return usable_theorems(layout, read_benchmark(layout, place, part))
    name, split = cut_split(text)
    head, colon, rest = name.partition(":")
    if isinstance(source, str) and colon and os.sep in rest and head.isidentifier() and len(head) > 1:
        raise DataError(unknown_name("benchmark layout", head, layout_names()))
    traced = traced_folder(name)
    if traced is not None:
        theorems = read_traced(traced)
    elif isinstance(source, os.PathLike) or name.endswith(".jsonl") or os.sep in name:
        if isinstance(source, str) and _HUB_ID.fullmatch(name) and not os.path.exists(name):
            raise DataError(
                f"{name}: cannot be read: No such file; a data set of the Hugging Face hub is read by its layout, "
                f"e.g. 'minif2f:{name}' (layouts: {', '.join(layout_names())})"
            )
        theorems = read_jsonl(name)
    else:
        theorems = _read_named(name)
    return theorems if split is None else _one_split(theorems, name, split)


def set_names() -> tuple[str, ...]:
    """The sets that ship with the project, sorted, without `core_random`, which is `core` under another split."""
    return tuple(sorted(_named_files()))


def filter_theorems(
    theorems: Iterable[Theorem],
    *,
    split: str | None = None,
    domain: str | None = None,
    names: Collection[str] | None = None,
    max_difficulty: float | None = None,
    automation: bool | None = None,
    keep: Callable[[Theorem], bool] | None = None,
) -> list[Theorem]:
    """Keep the theorems that meet every condition that is given.

    Args:
        theorems: Where to choose from.
        split: Exactly this split.
        domain: Exactly this domain.
        names: One of these names.
        max_difficulty: At most this difficult, from 0 to 1; theorems of unknown difficulty are left out.
        automation: `False`: those that no automation script proves; `True`: those that one proves. Theorems on which
            that was not measured are left out of both.
        keep: Any other condition.

    Returns:
        The chosen theorems in their order; maybe none.
    """

    def chosen(theorem: Theorem) -> bool:
        return (
            (split is None or theorem.split == split)
            and (domain is None or theorem.domain == domain)
            and (names is None or theorem.name in names)
            and (
                max_difficulty is None
                or (theorem.difficulty is not None and theorem.difficulty <= max_difficulty)
            )
            and (automation is None or theorem.automation is automation)
            and (keep is None or keep(theorem))
        )

    return [theorem for theorem in theorems if chosen(theorem)]


def _from_items(items: Sequence[Theorem | Mapping[str, Any] | str]) -> list[Theorem]:
    theorems, places = [], []
    for index, item in enumerate(items):
        place = f"theorems[{index}]"
        places.append(place)
        if isinstance(item, Theorem):
            theorems.append(item)
        elif isinstance(item, str):
            theorems.append(theorem_from_statement(item, index, place))
        elif isinstance(item, Mapping):
            theorems.append(theorem_from_row(item, place))
        else:
            raise DataError(f"{place}: got {type(item).__name__}, expected a Theorem, a row or a statement")
    if not theorems:
        raise DataError("theorems: got an empty list, expected at least one theorem")
    check_unique(theorems, places)
    return theorems


def _one_split(theorems: Sequence[Theorem], name: str, split: str) -> list[Theorem]:
    chosen = filter_theorems(theorems, split=split)
    if not chosen:
        splits = {theorem.split for theorem in theorems if theorem.split}
        raise DataError(f"{name}: {unknown_name('split', split, splits)}")
    return chosen


def _named_files() -> dict[str, Traversable]:
    return {
        entry.name.removesuffix(".jsonl"): entry
        for entry in files(DATA_PACKAGE).iterdir()
        if entry.name.endswith(".jsonl")
    }


def _read_named(name: str) -> list[Theorem]:
    available = _named_files()
    if name in available:
        return list(_parsed(available[name].read_bytes(), f"{DATA_PACKAGE}/{name}.jsonl"))
    derived = [CORE_RANDOM] if CORE in available else []
    if name in derived:
        return with_random_split(_read_named(CORE))
    if name in layout_names():
        raise DataError(
            f"theorems: {name!r} is a benchmark that is read from a place: '{name}:FOLDER', or '{name}:OWNER/NAME' for "
            "a data set of the Hugging Face hub; see docs/lean_gym/datasets.md"
        )
    hint = f"; for the file of that name write {name!r} with its directory" if os.path.exists(name) else ""
    raise DataError(unknown_name("theorem set", name, [*available, *derived]) + hint)


# A plan, a run and its measurement each ask for the sets by name; the largest takes most of a second to read.
@lru_cache(maxsize=8)
def _parsed(content: bytes, label: str) -> tuple[Theorem, ...]:
    """Return the theorems of a set that ships with the project; arguments as for `parse_jsonl`."""
    return tuple(parse_jsonl(content, label))
