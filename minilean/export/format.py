"""lean4export's format: declarations with all that they depend on, for independent kernels.

Names, levels and expressions are numbered rows, each after the rows of its parts; a declaration
follows those that it mentions. Rows are built once and then written as version 3.1.0 (a JSON object a line) or as
version 2.0.0 (words).

Source: `format_ndjson.md` and `Export.lean` of leanprover/lean4export (3.1.0), `format.md` (2.0.0).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from minilean.export.words import in_words
from minilean.kernel.declaration import (
    ABBREV_HEIGHT,
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    QuotDecl,
    Recursor,
    TheoremDecl,
)
from minilean.kernel.environment import Environment
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    App,
    BVar,
    Const,
    Expr,
    Lam,
    Let,
    Lit,
    Pi,
    Proj,
    Sort,
)
from minilean.kernel.level import IMax, Level, Max, Param, Succ, mk_param
from minilean.kernel.traversal import subterms
from minilean.syntax.digits import decimal
from minilean.syntax.lexer import split_name

VERSION = "3.1.0"

Row = dict[str, Any]
"""A JSON object, as `format_ndjson.md` describes it."""

_INFOS = {DEFAULT: "default", IMPLICIT: "implicit", STRICT: "strictImplicit", INST: "instImplicit"}
_QUOT_KINDS = {"Quot": "type", "Quot.mk": "ctor", "Quot.lift": "lift", "Quot.ind": "ind"}


class UnprovedError(ValueError):
    """A theorem without a proof: it was read from the library cache."""


def export_ndjson(
    env: Environment,
    names: Iterable[str],
    base: Environment | None = None,
    stated: Environment | None = None,
) -> str:
    """Return the declarations `names` and all that they depend on, in version 3.1.0.

    Args:
        env: Has the declarations.
        names: Names of declarations in `env`.
        base: Declarations that the reader has; they are not written.
        stated: Write its theorems as axioms, without their proofs and what only these depend on.

    Raises:
        UnprovedError: A proof is missing: build the library anew instead of reading its cache.
    """
    meta = {
        "meta": {
            "exporter": {"name": "minilean", "version": VERSION},
            "lean": {"githash": "", "version": ""},
            "format": {"version": VERSION},
        }
    }
    return "\n".join([_json(meta), *(_json(row) for row in _rows(env, names, base, stated))]) + "\n"


def export_text(env: Environment, names: Iterable[str]) -> str:
    """Return the declarations `names` and all that they depend on, in version 2.0.0.

    Raises:
        UnprovedError: A proof is missing: build the library anew instead of reading its cache.
    """
    return "\n".join(in_words(_rows(env, names))) + "\n"


def _json(row: Row) -> str:
    # keys in alphabetical order, as Lean's own writer has them
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _rows(
    env: Environment,
    names: Iterable[str],
    base: Environment | None = None,
    stated: Environment | None = None,
) -> list[Row]:
    writer = _Writer(env, base, stated)
    for name in names:
        writer.declare(name)
    return writer.rows


class _Writer:
    def __init__(self, env: Environment, base: Environment | None, stated: Environment | None) -> None:
        self.env = env
        self._base = base
        self._stated = stated
        self.rows: list[Row] = []
        self._names: dict[str, int] = {"": 0}
        self._levels: dict[Level, int] = {}
        self._level_count = 1
        self._terms: dict[Expr, int] = {}
        # by the rows written: two terms may differ only in the marks of machine-made names, which are dropped
        self._written: dict[str, int] = {}
        self._done: set[str] = set()

    def name(self, name: str) -> int:
        known = self._names.get(name)
        if known is not None:
            return known
        parts = split_name(name)
        parent = self.name(".".join(parts[:-1]))
        index = self._names[name] = len(self._names)
        last = parts[-1]
        part = (
            {"num": {"pre": parent, "i": int(last)}}
            if last.isdecimal()
            else {"str": {"pre": parent, "str": last}}
        )
        self.rows.append({**part, "in": index})
        return index

    def level(self, level: Level) -> int:
        known = self._levels.get(level)
        if known is not None:
            return known
        kind = type(level)
        row: Row
        if kind is Succ:
            row = {"succ": self.level(level.of)}  # type: ignore[attr-defined]
        elif kind is Max or kind is IMax:
            word = "max" if kind is Max else "imax"
            row = {word: [self.level(level.left), self.level(level.right)]}  # type: ignore[attr-defined]
        elif kind is Param:
            row = {"param": self.name(level.name)}  # type: ignore[attr-defined]
        else:
            self._levels[level] = 0
            return 0
        index = self._levels[level] = self._level_count
        self._level_count += 1
        self.rows.append({**row, "il": index})
        return index

    def term(self, e: Expr) -> int:
        known = self._terms.get(e)
        if known is not None:
            return known
        row = self._term_row(e)
        key = _json(row)
        index = self._written.get(key)
        if index is None:
            index = self._written[key] = len(self._written)
            self.rows.append({**row, "ie": index})
        self._terms[e] = index
        return index

    def _term_row(self, e: Expr) -> Row:
        if isinstance(e, BVar):
            return {"bvar": e.idx}
        if isinstance(e, Sort):
            return {"sort": self.level(e.level)}
        if isinstance(e, Const):
            return {"const": {"name": self.name(e.name), "us": [self.level(level) for level in e.levels]}}
        if isinstance(e, App):
            return {"app": {"fn": self.term(e.fn), "arg": self.term(e.arg)}}
        if isinstance(e, Lam | Pi):
            parts = {"name": self.name(_plain(e.name)), "type": self.term(e.type), "body": self.term(e.body)}
            return {"lam" if isinstance(e, Lam) else "forallE": {**parts, "binderInfo": _INFOS[e.info]}}
        if isinstance(e, Let):
            terms = {"type": self.term(e.type), "value": self.term(e.value), "body": self.term(e.body)}
            return {"letE": {"name": self.name(_plain(e.name)), **terms, "nondep": False}}
        if isinstance(e, Proj):
            return {"proj": {"typeName": self.name(e.struct), "idx": e.idx, "struct": self.term(e.expr)}}
        if isinstance(e, Lit) and isinstance(e.value, int):
            return {"natVal": decimal(e.value)}
        if isinstance(e, Lit):
            return {"strVal": e.value}
        raise TypeError(f"a {type(e).__name__} in a finished proof")

    # --- declarations ---------------------------------------------------------------------------------------

    def declare(self, name: str) -> None:
        """Write a declaration after all that it mentions."""
        todo: list[tuple[str, bool]] = [(name, False)]
        while todo:
            current, ready = todo.pop()
            if self._base is not None and current in self._base:
                continue
            declaration = self._whole(self.env.get(current))
            if declaration.name in self._done:
                continue
            if ready:
                self._done.add(declaration.name)
                self._write(declaration)
                continue
            todo.append((declaration.name, True))
            own = self._family(declaration)
            todo += [(other, False) for other in self._mentioned(declaration) if other not in own]

    def _whole(self, declaration: Declaration) -> Declaration:
        """Return the first inductive type of the group that a declaration belongs to."""
        if isinstance(declaration, Constructor):
            declaration = self.env.get(declaration.inductive)
        if isinstance(declaration, Inductive | Recursor):
            return self.env.get(declaration.all[0])
        if isinstance(declaration, QuotDecl):
            return self.env.get("Quot")
        if isinstance(declaration, TheoremDecl) and self._stated and declaration.name in self._stated:
            return Axiom(declaration.name, declaration.level_params, declaration.type)
        return declaration

    def _family(self, declaration: Declaration) -> set[str]:
        if isinstance(declaration, Inductive):
            constructors = [c.name for _, c in self._constructors(declaration)]
            return {*declaration.all, *declaration.recursors, *constructors}
        return set(_QUOT_KINDS) if isinstance(declaration, QuotDecl) else {declaration.name}

    def _mentioned(self, declaration: Declaration) -> list[str]:
        terms = [declaration.type]
        if isinstance(declaration, Definition):
            terms.append(declaration.value)
        elif isinstance(declaration, TheoremDecl):
            if declaration.value is None:
                raise UnprovedError(f"the proof of `{declaration.name}` is missing: build the library anew")
            terms.append(declaration.value)
        elif isinstance(declaration, Inductive):
            terms += [self.env.get(name).type for name in declaration.all[1:]]
            terms += [c.type for _, c in self._constructors(declaration)]
        elif isinstance(declaration, QuotDecl):
            terms += [self.env.get(name).type for name in _QUOT_KINDS]
        found: dict[str, None] = {}
        for term in terms:
            for node in subterms(term):
                if type(node) is Const:
                    found[node.name] = None
                elif type(node) is Proj:
                    found[node.struct] = None
                elif type(node) is Lit:
                    found["Nat" if isinstance(node.value, int) else "String"] = None
        return [name for name in found if name != declaration.name]

    def _head(self, d: Declaration) -> Row:
        params = [self.name(param) for param in d.level_params]
        for param in d.level_params:
            self.level(mk_param(param))
        return {"name": self.name(d.name), "levelParams": params, "type": self.term(d.type)}

    def _write(self, d: Declaration) -> None:
        if isinstance(d, Inductive):
            self._write_inductive(d)
        elif isinstance(d, QuotDecl):
            for name, kind in _QUOT_KINDS.items():
                self.rows.append({"quot": {**self._head(self.env.get(name)), "kind": kind}})
        elif isinstance(d, Axiom):
            self.rows.append({"axiom": {**self._head(d), "isUnsafe": False}})
        elif isinstance(d, TheoremDecl):
            assert d.value is not None, "checked in advance"
            head, value = self._head(d), self.term(d.value)
            self.rows.append({"thm": {**head, "value": value, "all": [head["name"]]}})
        elif isinstance(d, Definition):
            head = {**self._head(d), "value": self.term(d.value)}
            head["all"] = [head["name"]]
            if d.is_opaque:
                self.rows.append({"opaque": {**head, "isUnsafe": False}})
                return
            hints = "abbrev" if d.height == ABBREV_HEIGHT else {"regular": d.height}
            self.rows.append({"def": {**head, "hints": hints, "safety": "safe"}})
        else:
            raise TypeError(f"no rule for a {type(d).__name__}")

    def _constructors(self, d: Inductive) -> list[tuple[Inductive, Constructor]]:
        """Return the constructors of the group of a type, each with its type."""
        found = []
        for own in map(self.env.get, d.all):
            assert isinstance(own, Inductive)
            for ctor in map(self.env.get, own.constructors):
                assert isinstance(ctor, Constructor)
                found.append((own, ctor))
        return found

    def _is_reflexive(self, d: Inductive) -> bool:
        """Return whether a constructor of a group, or of a type that its types are nested in, takes such a function."""
        types = set(d.all)
        own = self._constructors(d)
        if any(_takes_function_into(c.type, types) for _, c in own):
            return True
        rec = self.env.get(d.recursors[0])
        assert isinstance(rec, Recursor)
        type_, minors = rec.type, []
        while isinstance(type_, Pi):
            minors.append(type_.type)
            type_ = type_.body
        copied = minors[rec.first_minor + len(own) : rec.first_index]
        return any(_takes_function_into(minor, types) for minor in copied)

    def _write_inductive(self, d: Inductive) -> None:
        """Write the group of types whose first one is `d`."""
        recs = [self.env.get(name) for name in d.recursors]
        names = [self.name(name) for name in d.all]
        reflexive = self._is_reflexive(d)
        types = []
        for own in map(self.env.get, d.all):
            assert isinstance(own, Inductive)
            types.append(
                {
                    **self._head(own),
                    "numParams": own.num_params,
                    "numIndices": own.num_indices,
                    "all": names,
                    "ctors": [self.name(name) for name in own.constructors],
                    "numNested": own.num_nested,
                    "isRec": own.is_recursive,
                    "isUnsafe": False,
                    "isReflexive": reflexive,
                }
            )
        ctors = []
        for own, c in self._constructors(d):
            counts = {"cidx": c.index, "numParams": c.num_params, "numFields": c.num_fields}
            ctors.append({**self._head(c), "induct": self.name(own.name), **counts, "isUnsafe": False})
        made = [self._recursor(rec, names) for rec in recs]
        self.rows.append({"inductive": {"types": types, "ctors": ctors, "recs": made}})

    def _recursor(self, rec: Declaration, names: list[int]) -> Row:
        assert isinstance(rec, Recursor)
        rules = [
            {"ctor": self.name(rule.constructor), "nfields": rule.num_fields, "rhs": self.term(rule.rhs)}
            for rule in rec.rules
        ]
        return {
            **self._head(rec),
            "all": names,
            "numParams": rec.num_params,
            "numIndices": rec.num_indices,
            "numMotives": rec.num_motives,
            "numMinors": rec.num_minors,
            "rules": rules,
            "k": rec.k,
            "isUnsafe": False,
        }


def _takes_function_into(constructor: Expr, inductives: set[str]) -> bool:
    """Return whether a field of a constructor or minor premise is written as a function into one of the types."""
    while isinstance(constructor, Pi):
        field = constructor.type
        if isinstance(field, Pi) and any(type(e) is Const and e.name in inductives for e in subterms(field)):
            return True
        constructor = constructor.body
    return False


def _plain(name: str) -> str:
    """Return the name of a binder without the mark of machine-made names; a name with dots becomes one part."""
    return name.replace("✝", "").replace(".", "_") or "a"
