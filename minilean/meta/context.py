"""Local contexts and the metavariable context.

Both are values as far as callers can tell: a `LocalContext` is never changed after it was made, and a
`MetavarContext` is copied (`copy`) where a proof state branches. Inside one tactic the copy is changed in
place; `mark`/`rollback` undo, by a trail, what a failed attempt assigned.

Source: Lean 4 `src/Lean/LocalContext.lean`, `src/Lean/MetavarContext.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from minilean.kernel.expr import DEFAULT, Expr, FVar, mk_fvar
from minilean.kernel.interning import fresh_id
from minilean.kernel.level import Level


@dataclass(frozen=True, slots=True)
class LocalDecl:
    """One entry of a local context. `value` is set for `let` variables; `hidden` entries are never shown."""

    fvar: FVar
    name: str
    type: Expr
    value: Expr | None = None
    info: int = DEFAULT
    hidden: bool = False


class LocalContext:
    """Declarations in order of introduction, by free-variable id."""

    __slots__ = ("decls",)

    def __init__(self, decls: dict[int, LocalDecl] | None = None) -> None:
        self.decls: dict[int, LocalDecl] = {} if decls is None else decls

    def __iter__(self) -> Iterator[LocalDecl]:
        return iter(self.decls.values())

    def __len__(self) -> int:
        return len(self.decls)

    def __contains__(self, fvar_id: int) -> bool:
        return fvar_id in self.decls

    def get(self, fvar: Expr) -> LocalDecl:
        """The declaration of a free variable of this context."""
        return self.decls[fvar.id]  # type: ignore[attr-defined]

    def add(self, decl: LocalDecl) -> LocalContext:
        """This context with `decl` at its end."""
        decls = dict(self.decls)
        decls[decl.fvar.id] = decl
        return LocalContext(decls)

    def push(
        self, name: str, type_: Expr, info: int = DEFAULT, value: Expr | None = None, hidden: bool = False
    ) -> tuple[FVar, LocalContext]:
        """A fresh free variable and this context with it at its end."""
        fvar = mk_fvar(fresh_id())
        return fvar, self.add(LocalDecl(fvar, name, type_, value, info, hidden))

    def without(self, fvar_ids: set[int]) -> LocalContext:
        """This context with some entries gone."""
        return LocalContext({k: d for k, d in self.decls.items() if k not in fvar_ids})

    def replace_all(self, decls: Sequence[LocalDecl]) -> LocalContext:
        """A context of exactly these declarations."""
        return LocalContext({d.fvar.id: d for d in decls})

    def by_name(self, name: str) -> LocalDecl | None:
        """The last visible entry with this user name."""
        for decl in reversed(self.decls.values()):
            if decl.name == name and not decl.hidden:
                return decl
        return None


class Kind(IntEnum):
    """Kind of a metavariable: the unifier assigns NATURAL ones freely, SYNTHETIC ones if it must, OPAQUE ones never."""

    NATURAL = 0
    SYNTHETIC = 1
    OPAQUE = 2


@dataclass(frozen=True, slots=True)
class MVarDecl:
    """A metavariable: `tag` is its user name (`""` for none), `depth` the level at which it may be assigned."""

    id: int
    tag: str
    lctx: LocalContext
    type: Expr
    kind: Kind
    depth: int
    index: int


class MetavarContext:
    """All metavariables and what was assigned to them; `named` has the last one that was declared under a tag."""

    __slots__ = (
        "_postponed",
        "_trail",
        "assignment",
        "decls",
        "delayed",
        "depth",
        "level_assignment",
        "level_depth",
        "named",
    )

    def __init__(self) -> None:
        self.decls: dict[int, MVarDecl] = {}
        self.named: dict[str, int] = {}
        self.assignment: dict[int, Expr] = {}
        self.delayed: dict[int, tuple[tuple[Expr, ...], int]] = {}
        self.level_depth: dict[int, int] = {}
        self.level_assignment: dict[int, Level] = {}
        self.depth = 0
        self._postponed: dict[int, tuple[tuple[Level, Level], ...]] = {0: ()}
        self._trail: list[tuple[dict[Any, Any], int | str, object]] = []

    def copy(self) -> MetavarContext:
        """An independent context with the same content and an empty trail."""
        other = MetavarContext.__new__(MetavarContext)
        other.decls = dict(self.decls)
        other.named = dict(self.named)
        other.assignment = dict(self.assignment)
        other.delayed = dict(self.delayed)
        other.level_depth = dict(self.level_depth)
        other.level_assignment = dict(self.level_assignment)
        other.depth = self.depth
        other._postponed = dict(self._postponed)
        other._trail = []
        return other

    def keep(self) -> None:
        """Drop the trail: assignments made so far cannot be rolled back any more."""
        self._trail.clear()

    def mark(self) -> int:
        """A point to which `rollback` can return."""
        return len(self._trail)

    def rollback(self, mark: int) -> None:
        """Undo every assignment and declaration change since `mark`."""
        trail = self._trail
        while len(trail) > mark:
            table, key, old = trail.pop()
            if old is None:
                del table[key]
            else:
                table[key] = old

    def _set(self, table: dict[Any, Any], key: int | str, value: object) -> None:
        self._trail.append((table, key, table.get(key)))
        table[key] = value

    def declare(self, decl: MVarDecl) -> None:
        """Add a metavariable, or replace the declaration of one (a new tag or type)."""
        self._set(self.decls, decl.id, decl)
        if decl.tag:
            self._set(self.named, decl.tag, decl.id)

    def assign(self, mvar_id: int, value: Expr) -> None:
        """Assign without any check; the unifier's checks are in `unify`."""
        self._set(self.assignment, mvar_id, value)

    def assign_delayed(self, mvar_id: int, fvars: tuple[Expr, ...], target: int) -> None:
        """Make `?mvar_id fvars` stand for `?target`, whose context has `fvars`, once `?target` has no metavariables."""
        self._set(self.delayed, mvar_id, (fvars, target))

    def declare_level(self, level_id: int) -> None:
        """Add a universe metavariable at the present depth."""
        self._set(self.level_depth, level_id, self.depth)

    def assign_level(self, level_id: int, value: Level) -> None:
        """Assign a universe metavariable."""
        self._set(self.level_assignment, level_id, value)

    @property
    def postponed(self) -> tuple[tuple[Level, Level], ...]:
        """Equations between universe levels that cannot be decided yet."""
        return self._postponed[0]

    @postponed.setter
    def postponed(self, problems: tuple[tuple[Level, Level], ...]) -> None:
        self._set(self._postponed, 0, problems)

    def is_assigned(self, mvar_id: int) -> bool:
        """Return whether the metavariable has a value, possibly a delayed one."""
        return mvar_id in self.assignment or mvar_id in self.delayed
