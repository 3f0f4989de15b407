"""Cache of what automation proves: one file per prover in the user's cache folder.

The file stands in `$XDG_CACHE_HOME/lean-gym`, by default below `~/.cache`. An entry belongs to one theorem and holds
one letter for each text that was tried: `1` proved, `0` not, `t` out of time. Its key is a hash of the statement, the
context, the imports, the permitted axioms and the texts, so a change of any of them, or of the list of scripts, is
measured anew. The file's name is a hash of the prover and of the limit of seconds. The content of a damaged file is
measured anew as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from lean_gym.atomic_files import write_text
from lean_gym.cache_folder import cache_folder
from lean_gym.types import Theorem

PROVED: Final = "1"
FAILED: Final = "0"
OUT_OF_TIME: Final = "t"
UNUSABLE: Final = "!"
"""First letter of the entry of a statement that does not elaborate; the prover's message follows."""


def entry_key(theorem: Theorem, texts: Sequence[str]) -> str:
    """Return the key of a theorem on which these texts are tried."""
    content = [theorem.statement, theorem.context, list(theorem.imports), theorem.position, list(texts)]
    return _digest(content if theorem.permitted_axioms is None else [*content, theorem.permitted_axioms])


def cache_path(prover: str, seconds: float) -> Path:
    """Return the file for a prover, a text that changes where its results may, and a limit of seconds."""
    return cache_folder() / f"automation-{_digest([prover, seconds])[:24]}.json"


def read_entries(path: Path) -> dict[str, str]:
    """Return the entries of a file; none if it is absent or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        entries = content["entries"]
        if content["sha256"] == _digest(entries):
            return {str(key): str(value) for key, value in entries.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    return {}


def add_entries(path: Path, fresh: Mapping[str, str]) -> None:
    """Add entries to a file by atomic replacement; a folder that cannot be written keeps nothing."""
    entries = {**read_entries(path), **fresh}
    content = json.dumps({"sha256": _digest(entries), "entries": entries}, indent=0)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, content)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
