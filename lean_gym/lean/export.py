"""Constants of an environment of Lean's, as rows of lean4export's format.

What is written is what one command added (axioms, definitions and theorems, since a proof adds no other kind), or all
that a theorem rests on but for what the reader has.

Source: `format_ndjson.md` of leanprover/lean4export (3.1.0); Lean 4 `src/Lean/Declaration.lean`, `src/Lean/Expr.lean`,
`src/Lean/Level.lean`, `src/Lean/Data/PersistentHashMap.lean`, `src/Lean/Data/SMap.lean` (4.35).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.lean.kernel import shown_name
from lean_gym.lean.objects import Address, box
from lean_gym.lean.values import Runtime, Value

VERSION: Final = "3.1.0"
Row = dict[str, Any]
Name = tuple[str | int, ...]
"""Components of a name."""
_CONSTANTS, _MAP = 0, 1
_ENTRIES, _SUBTREE = 0, 1
_NO_ENTRY: Final = box(2)
AXIOM, DEFINITION, THEOREM, OPAQUE, QUOTIENT, INDUCTIVE, CONSTRUCTOR, RECURSOR = range(8)
"""Numbers of constructors of `ConstantInfo`."""
HEAD, VALUE = 0, 1
"""Fields of what a `ConstantInfo` holds: the `ConstantVal` that all have, and the value of those that have one."""
LEVEL_PARAMS, TYPE = 1, 2
"""Fields of a `ConstantVal`."""
_BINDERS: Final = ("default", "implicit", "strictImplicit", "instImplicit")
_BVAR, _FVAR, _MVAR, _SORT, _CONST, _APP, _LAM, _PI, _LET, _LIT, _MDATA, _PROJ = range(12)
_ZERO, _SUCC, _MAX, _IMAX, _PARAM = range(5)
_ABBREV: Final = 1
# The scalars of an expression begin with its 8 bytes of cached data, the binder's kind comes after them.
_AFTER_DATA: Final = 8


# Fields and flags of what a `ConstantInfo` of these kinds holds, by their names in the format.
_TYPE_NUMBERS: Final = {"numParams": 1, "numIndices": 2, "numNested": 5}
_TYPE_FLAGS: Final = {"isRec": 0, "isUnsafe": 1, "isReflexive": 2}
_CONSTRUCTOR_NUMBERS: Final = {"cidx": 2, "numParams": 3, "numFields": 4}
_RECURSOR_NUMBERS: Final = {"numParams": 2, "numIndices": 3, "numMotives": 4, "numMinors": 5}
_RECURSOR_FLAGS: Final = {"k": 0, "isUnsafe": 1}
_TYPES, _CONSTRUCTORS, _NESTED = 3, 4, 5
_OWNER: Final = 1
"""Field of a constructor with the name of its type, and of a recursor with those of its types."""
_RULES: Final = 6


class NotWritten(ValueError):
    """A constant of a kind that is not expected there, or a term that is not finished."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Constants of an environment.

    Attributes:
        infos: `ConstantInfo` by `Name`.
        kept: What keeps these objects.
    """

    infos: dict[Address, Address]
    kept: tuple[Value, ...]


def added_constants(lean: Runtime, before: Value, after: Value) -> Constants:
    """Return the constants that an environment has and an earlier one has not.

    Args:
        lean: The library.
        before: The earlier environment, of Lean's elaborator.
        after: The later one.
    """
    kernels = [lean.call("lean_elab_environment_to_kernel_env", env) for env in (before, after)]
    roots = [lean.field(lean.field(kernel.at, _CONSTANTS), _MAP) for kernel in kernels]
    known = {lean.name(name) for name, _ in _entries(lean, roots[0], roots[1])}
    added = _entries(lean, roots[1], roots[0])
    return Constants({name: info for name, info in added if lean.name(name) not in known}, tuple(kernels))


def constant_in(lean: Runtime, env: Value, name: Value) -> Value | None:
    """Return the `ConstantInfo` of a name in an environment of the kernel's; `None` if there is none."""
    found = lean.call("lean_environment_find", env, name)
    return None if found.is_small else lean.part(found, 0)


def terms_of(lean: Runtime, info: Address) -> list[Address]:
    """Return the type of a constant, and its value or the right-hand sides of its rules if it has some."""
    body, kind = lean.field(info, 0), lean.tag(info)
    terms = [lean.field(lean.field(body, HEAD), TYPE)]
    if kind in (DEFINITION, THEOREM, OPAQUE):
        terms.append(lean.field(body, VALUE))
    elif kind == RECURSOR:
        terms += [lean.field(rule, 2) for rule in lean.items(lean.field(body, _RULES))]
    return terms


def constants_in(lean: Runtime, terms: Iterable[Address]) -> dict[Name, Value]:
    """Return the names of the constants that terms mention."""
    used = (lean.elements(lean.call("l_Lean_Expr_getUsedConstants", lean.value(term))) for term in terms)
    return {lean.name(name.at): name for names in used for name in names}


def _entries(lean: Runtime, node: Address, other: Address) -> Iterator[tuple[Address, Address]]:
    """Yield the entries of a persistent map that are not part of another one in the same place."""
    if node == other:
        return
    if lean.tag(node) != _ENTRIES:
        yield from zip(lean.addresses(lean.field(node, 0)), lean.addresses(lean.field(node, 1)), strict=True)
        return
    parts = list(lean.addresses(lean.field(node, 0)))
    others = (
        list(lean.addresses(lean.field(other, 0)))
        if other and lean.tag(other) == _ENTRIES
        else [0] * len(parts)
    )
    for part, twin in zip(parts, others, strict=True):
        if part in (twin, _NO_ENTRY):
            continue
        if lean.tag(part) == _SUBTREE:
            below = lean.field(twin, 0) if twin and not twin & 1 and lean.tag(twin) == _SUBTREE else 0
            yield from _entries(lean, lean.field(part, 0), below)
        else:
            yield lean.field(part, 0), lean.field(part, 1)


class Exporter:
    """Writes constants.

    Args:
        lean: The library.
    """

    def __init__(self, lean: Runtime) -> None:
        self._lean = lean
        self._rows: list[Row] = [
            {
                "meta": {
                    "exporter": {"name": "lean-gym", "version": VERSION},
                    "lean": {"githash": "", "version": lean.version},
                    "format": {"version": VERSION},
                }
            }
        ]
        self._names: dict[Name, int] = {(): 0}
        self._levels: dict[Address, int] = {}
        self._level_count = 0
        self._terms: dict[Address, int] = {}
        self._term_count = 0
        # Objects whose addresses are kept above.
        self._kept: list[Value] = []

    def added(self, constants: Constants) -> str:
        """Return constants as text, each behind those among them that it mentions.

        Args:
            constants: From `added_constants`.

        Raises:
            NotWritten: A constant is no axiom, definition or theorem, or a term has metavariables.
        """
        lean = self._lean
        infos = {lean.name(name): (name, info) for name, info in constants.infos.items()}
        for name, (_, info) in infos.items():
            if lean.tag(info) not in (AXIOM, DEFINITION, THEOREM, OPAQUE):
                raise NotWritten(
                    f"the proof declares '{shown_name(name)}', which is no definition or theorem"
                )
        self._kept += constants.kept

        def find(name: Value) -> Value | None:
            known = infos.get(lean.name(name.at))
            return None if known is None else lean.value(known[1])

        return self._text({name: lean.value(at) for name, (at, _) in infos.items()}, find)

    def below(self, env: Value, root: Value, given: Collection[str]) -> str:
        """Return a constant and all that it rests on as text, each constant behind those that it mentions.

        Args:
            env: The environment, of Lean's elaborator.
            root: The name of the constant.
            given: Names of constants that are left out, their components with dots between them.

        Raises:
            NotWritten: There is no such constant, a quotient is not given, or a term has metavariables.
        """
        lean = self._lean
        kernel = lean.call("lean_elab_environment_to_kernel_env", env)

        def find(name: Value) -> Value | None:
            return (
                None if ".".join(map(str, lean.name(name.at))) in given else constant_in(lean, kernel, name)
            )

        if find(root) is None:
            raise NotWritten(f"there is no '{shown_name(lean.name(root.at))}' to be written")
        return self._text({lean.name(root.at): root}, find)

    def _text(self, roots: Mapping[Name, Value], find: Callable[[Value], Value | None]) -> str:
        for group in self._ordered(roots, find):
            if len(group) == 1:
                self._constant(*group[0])
            elif group:
                self._group(group)
        return "".join(
            f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n" for row in self._rows
        )

    def _ordered(
        self, roots: Mapping[Name, Value], find: Callable[[Value], Value | None]
    ) -> Iterator[list[tuple[Name, Address]]]:
        """Yield the constants below some, each behind those that it mentions; an inductive type comes as a group.

        Args:
            roots: Where to begin.
            find: Returns the `ConstantInfo` of a name; `None` for one that is not to be written.
        """
        lean = self._lean
        done: set[Name] = set()
        groups: dict[Name, list[tuple[Name, Address]]] = {}
        todo = [(name, value, False) for name, value in roots.items()]
        while todo:
            name, value, ready = todo.pop()
            if name in done:
                continue
            if ready:
                group = groups.pop(name)
                done |= {name, *(member for member, _ in group)}
                yield group
                continue
            if name in groups:
                continue
            group = groups[name] = self._with_its_group(value, find)
            todo.append((name, value, True))
            mentioned = constants_in(lean, [term for _, info in group for term in terms_of(lean, info)])
            own = {member for member, _ in group}
            todo += [(other, at, False) for other, at in mentioned.items() if other not in own]

    def _with_its_group(
        self, name: Value, find: Callable[[Value], Value | None]
    ) -> list[tuple[Name, Address]]:
        """Return a constant, with all that its inductive declaration declares; nothing if it is not to be written."""
        lean = self._lean

        def members(names: Iterable[Value]) -> list[tuple[Name, Address]]:
            infos = [(lean.name(each.at), find(each)) for each in names]
            self._kept += [info for _, info in infos if info is not None]
            return [(each, info.at) for each, info in infos if info is not None]

        own = members([name])
        if not own or lean.tag(own[0][1]) not in (INDUCTIVE, CONSTRUCTOR, RECURSOR):
            return own
        body, kind = lean.field(own[0][1], 0), lean.tag(own[0][1])
        if kind == CONSTRUCTOR:
            owner = members([lean.value(lean.field(body, _OWNER))])
            if not owner:
                return []
            body, kind = lean.field(owner[0][1], 0), INDUCTIVE
        named = [
            lean.value(at) for at in lean.items(lean.field(body, _TYPES if kind == INDUCTIVE else _OWNER))
        ]
        types = members(named)
        if not types:
            return []
        bodies = [lean.field(info, 0) for _, info in types]
        made = [lean.value(at) for body in bodies for at in lean.items(lean.field(body, _CONSTRUCTORS))]
        nested = lean.number(lean.field(bodies[0], _NESTED))
        recursors = [
            *((each, "rec") for each in named),
            *((named[0], f"rec_{number + 1}") for number in range(nested)),
        ]
        names = [lean.call("lean_name_mk_string", each, lean.text_of(word)) for each, word in recursors]
        return [*types, *members(made), *members(names)]

    def _group(self, group: Sequence[tuple[Name, Address]]) -> None:
        """Write the types, constructors and recursors of an inductive declaration."""
        lean = self._lean
        row: dict[str, list[Row]] = {"types": [], "ctors": [], "recs": []}
        for _, info in group:
            body, kind = lean.field(info, 0), lean.tag(info)
            head = self._head(lean.field(body, HEAD))
            if kind == INDUCTIVE:
                head |= self._numbers(body, _TYPE_NUMBERS) | self._flags(body, _TYPE_FLAGS)
                names = {"all": self._names_in(body, _TYPES), "ctors": self._names_in(body, _CONSTRUCTORS)}
                row["types"].append(head | names)
            elif kind == CONSTRUCTOR:
                head |= self._numbers(body, _CONSTRUCTOR_NUMBERS) | {"isUnsafe": lean.flag(body, 0)}
                row["ctors"].append({**head, "induct": self._name(lean.field(body, _OWNER))})
            else:
                head |= self._numbers(body, _RECURSOR_NUMBERS) | self._flags(body, _RECURSOR_FLAGS)
                rules = [
                    {
                        "ctor": self._name(lean.field(rule, 0)),
                        "nfields": lean.number(lean.field(rule, 1)),
                        "rhs": self._term(lean.field(rule, 2)),
                    }
                    for rule in lean.items(lean.field(body, _RULES))
                ]
                row["recs"].append({**head, "all": self._names_in(body, _OWNER), "rules": rules})
        self._rows.append({"inductive": row})

    def _numbers(self, body: Address, fields: Mapping[str, int]) -> Row:
        return {key: self._lean.number(self._lean.field(body, at)) for key, at in fields.items()}

    def _flags(self, body: Address, flags: Mapping[str, int]) -> Row:
        return {key: self._lean.flag(body, at) for key, at in flags.items()}

    def _names_in(self, body: Address, field: int) -> list[int]:
        return [self._name(name) for name in self._lean.items(self._lean.field(body, field))]

    def _head(self, head: Address) -> Row:
        """Return the name, the universes and the type of a constant."""
        lean = self._lean
        return {
            "name": self._name(lean.field(head, 0)),
            "levelParams": [self._name(param) for param in lean.items(lean.field(head, LEVEL_PARAMS))],
            "type": self._term(lean.field(head, TYPE)),
        }

    def _constant(self, name: Name, info: Address) -> None:
        lean = self._lean
        kind, value = lean.tag(info), lean.field(info, 0)
        row = self._head(lean.field(value, HEAD))
        if kind == AXIOM:
            self._rows.append({"axiom": {**row, "isUnsafe": lean.flag(value, 0)}})
            return
        if kind not in (DEFINITION, THEOREM, OPAQUE):
            raise NotWritten(f"'{shown_name(name)}' is not given, and is no definition or theorem")
        row |= {"value": self._term(lean.field(value, VALUE)), "all": [row["name"]]}
        if kind == THEOREM:
            self._rows.append({"thm": row})
        elif kind == OPAQUE:
            self._rows.append({"opaque": {**row, "isUnsafe": lean.flag(value, 0)}})
        else:
            safety = ("unsafe", "safe", "partial")[lean.byte(value, 0)]
            self._rows.append({"def": {**row, "hints": self._hints(lean.field(value, 2)), "safety": safety}})

    def _hints(self, hints: Address) -> str | Row:
        lean = self._lean
        if hints & 1:
            return "abbrev" if lean.tag(hints) == _ABBREV else "opaque"
        return {"regular": int.from_bytes(bytes(lean.byte(hints, at) for at in range(4)), "little")}

    def _name(self, name: Address) -> int:
        return self._parts(self._lean.name(name))

    def _parts(self, parts: Name) -> int:
        known = self._names.get(parts)
        if known is not None:
            return known
        before, last = self._parts(parts[:-1]), parts[-1]
        index = self._names[parts] = len(self._names)
        if isinstance(last, str):
            self._rows.append({"in": index, "str": {"pre": before, "str": last}})
        else:
            self._rows.append({"in": index, "num": {"pre": before, "i": last}})
        return index

    def _level(self, level: Address) -> int:
        lean = self._lean
        kind = lean.tag(level)
        if kind == _ZERO:
            return 0
        known = self._levels.get(level)
        if known is not None:
            return known
        row: Row
        if kind == _SUCC:
            row = {"succ": self._level(lean.field(level, 0))}
        elif kind in (_MAX, _IMAX):
            word = "max" if kind == _MAX else "imax"
            row = {word: [self._level(lean.field(level, 0)), self._level(lean.field(level, 1))]}
        elif kind == _PARAM:
            row = {"param": self._name(lean.field(level, 0))}
        else:
            raise NotWritten("the proof has universe metavariables")
        self._level_count += 1
        self._levels[level] = self._level_count
        self._rows.append({"il": self._level_count, **row})
        return self._level_count

    def _term(self, term: Address) -> int:
        """Write a term behind its parts; terms are deep, so this does not recurse."""
        lean, done = self._lean, self._terms
        todo = [term]
        while todo:
            current = todo[-1]
            if current in done:
                todo.pop()
                continue
            kind = lean.tag(current)
            below = [lean.field(current, at) for at in _SUBTERMS.get(kind, ())]
            missing = [part for part in below if part not in done]
            if missing:
                todo += missing
                continue
            todo.pop()
            if kind == _MDATA:
                done[current] = done[below[0]]
                continue
            row = self._term_row(current, kind, [done[part] for part in below])
            done[current] = self._term_count
            self._rows.append({"ie": self._term_count, **row})
            self._term_count += 1
        return done[term]

    def _term_row(self, term: Address, kind: int, below: list[int]) -> Row:
        lean = self._lean
        if kind == _APP:
            return {"app": {"fn": below[0], "arg": below[1]}}
        if kind == _CONST:
            levels = [self._level(level) for level in lean.items(lean.field(term, 1))]
            return {"const": {"name": self._name(lean.field(term, 0)), "us": levels}}
        if kind == _BVAR:
            return {"bvar": lean.number(lean.field(term, 0))}
        if kind in (_LAM, _PI):
            binder = _BINDERS[lean.byte(term, _AFTER_DATA)]
            parts = {"name": self._name(lean.field(term, 0)), "type": below[0], "body": below[1]}
            return {"lam" if kind == _LAM else "forallE": {**parts, "binderInfo": binder}}
        if kind == _SORT:
            return {"sort": self._level(lean.field(term, 0))}
        if kind == _LIT:
            literal = lean.field(term, 0)
            content = lean.field(literal, 0)
            return (
                {"natVal": self._digits(content)}
                if lean.tag(literal) == 0
                else {"strVal": lean.text(content)}
            )
        if kind == _LET:
            terms = dict(zip(("type", "value", "body"), below, strict=True))
            return {"letE": {"name": self._name(lean.field(term, 0)), **terms, "nondep": False}}
        if kind == _PROJ:
            at = lean.number(lean.field(term, 1))
            return {"proj": {"typeName": self._name(lean.field(term, 0)), "idx": at, "struct": below[0]}}
        raise NotWritten("the proof has metavariables")

    def _digits(self, number: Address) -> str:
        if number & 1:
            return str(number >> 1)
        lean = self._lean
        return lean.string_in(lean.call("l_Nat_reprFast", lean.value(number)))


# Numbers of the fields of a term that are terms.
_SUBTERMS: Final = {
    _APP: (0, 1), _LAM: (1, 2), _PI: (1, 2), _LET: (1, 2, 3), _MDATA: (1,), _PROJ: (2,),
}  # fmt: skip
