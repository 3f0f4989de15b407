"""The library as it was before one of its own declarations.

A position is `FILE:NAME`, e.g. `NatBasic.lean:Nat.add_comm`: a file of the library and a constant that a command of
this file declares. The environment at a position has what the commands before that command added, and nothing else:
declarations, instances, `@[simp]` lemmas, and all other tables. It is read off the proved library, so that making one
takes about a millisecond.

What keeps a proof from using later lemmas is the kernel: the environment that checks it sees the first declarations
only. The tables decide what tactics try.
"""

from __future__ import annotations

import difflib
import functools

from minilean.library import library
from minilean.meta.extension import TABLES, LeanEnv

MAX_PREFIXES = 16
"""Greatest number of environments that are kept; each keeps its index of simp lemmas."""


class PositionError(ValueError):
    """A position that the library does not have; the text says what is expected."""


@functools.lru_cache(maxsize=MAX_PREFIXES)
def library_before(position: str) -> LeanEnv:
    """Return minilean's library as it was before the command that declares the constant of `position`.

    Add to a `child()` of it, never to it.

    Raises:
        PositionError: No command of that file declares that constant.
    """
    return prefix_of(library(), position)


def prefix_of(whole: LeanEnv, position: str) -> LeanEnv:
    """Return a library as it was before the command that declares the constant of `position`.

    It shares the declarations with the library, and nothing that tactics change.

    Args:
        whole: The library with its history.
        position: `FILE:NAME`.

    Raises:
        PositionError: No command of that file declares that constant.
    """
    step = _step(whole, position)
    env = LeanEnv()
    env.is_prefix = True
    env.kernel = whole.kernel.prefix(whole.history.size_before(step))
    for table in TABLES:
        rows = whole.history.rows_before(table, step)
        if isinstance(getattr(env, table), dict):
            setattr(env, table, dict(rows))
        else:
            setattr(env, table, type(getattr(env, table))(key for key, _ in rows))
    # names that sources must not use stay hidden, although only the finished library says so
    env.hidden = whole.hidden
    return env


def _step(whole: LeanEnv, position: str) -> int:
    """Return the number of the command that declares the constant of `position`."""
    file, colon, name = position.partition(":")
    declaration = whole.kernel.position(name) if colon else None
    if declaration is None:
        near = difflib.get_close_matches(name, whole.kernel, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise PositionError(
            f"position: got {position!r}, expected FILE:NAME with a constant that minilean's library declares, "
            f"e.g. 'NatBasic.lean:Nat.add_comm'{hint}"
        )
    step = whole.history.step_of(declaration)
    actual = whole.history.file_of(step)
    if actual != file:
        raise PositionError(
            f"position: got {position!r}, but {name!r} is declared in {actual!r}; write '{actual}:{name}'"
        )
    return step
