"""Lean 4 source in explicit terms: every argument, every universe, every binder type.

Declarations of the library are referred to by core Lean's names. Declarations of the file, and auxiliary ones of
minilean (`match_1`, `below`, `brecOn`), are written first. The latter are renamed, since Lean makes its own.
"""

from __future__ import annotations

import re

from minilean.kernel.declaration import (
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    Recursor,
    TheoremDecl,
)
from minilean.kernel.expr import (
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
    get_app,
    is_app_of,
)
from minilean.kernel.level import IMax, Level, Max, Param, Succ
from minilean.kernel.traversal import subterms
from minilean.meta.extension import LeanEnv
from minilean.printer.scope import string_literal
from minilean.syntax.text_literals import STRING_LITERAL, text_value

# Lemmas of the library that core Lean does not have under this name and statement.
NOT_IN_CORE = frozenset(
    [
        "Nat.div.go_add_mod",
        "Nat.modCore.go_lt",
        "Nat.div_mod_unique",
        "Nat.div.go",
        "Nat.modCore.go",
        "Nat.modCore",
        "Nat.dvd_iff_mod_eq_zero",
        "Nat.one_dvd",
        "List.append_cancel_left",
        "List.decMem",
        "instDecidableEqUnit",
    ]
)
_BRACKETS = {IMPLICIT: "{}", STRICT: "⦃⦄", INST: "[]"}
_PREFIX = "MiniLean"
_AUXILIARY = re.compile(r"\.(?:below|brecOn)(?:_\d+)?$")


def export_terms(library: LeanEnv, env: LeanEnv, name: str) -> str:
    """Return a Lean 4 file that states and proves the theorem `name` in explicit terms."""
    writer = _Writer(library, env)
    writer.declare(name)
    return "set_option autoImplicit false\nset_option linter.all false\n\n" + "\n\n".join(writer.texts) + "\n"


class _Writer:
    def __init__(self, library: LeanEnv, env: LeanEnv) -> None:
        self.library = library
        self.env = env
        self.texts: list[str] = []
        self._done: set[str] = set()

    # --- what is written ------------------------------------------------------------------------------------

    def declare(self, name: str) -> None:
        """Write a declaration after those that it depends on."""
        todo: list[tuple[str, bool]] = [(name, False)]
        while todo:
            current, ready = todo.pop()
            if current in self._done or not (self._is_own(current) or current == name):
                continue
            declaration = self.env.find(current)
            assert declaration is not None
            if ready:
                self._done.add(current)
                self.texts.append(self._declaration(declaration))
                continue
            todo.append((current, True))
            todo += [(other, False) for other in self._needs(declaration) if other != current]

    def _is_own(self, name: str) -> bool:
        """Return whether the file has to declare this constant: Lean neither has it nor generates it."""
        if self._is_generated(name) or name in NOT_IN_CORE:
            return True
        return self.library.find(name) is None and self._parent(name) is None

    def _is_generated(self, name: str) -> bool:
        return name in self.env.matchers or _AUXILIARY.search(name) is not None

    def _parent(self, name: str) -> str | None:
        """Return the inductive type or structure for which Lean generates this constant."""
        owner, _, last = name.rpartition(".")
        decl = self.env.find(name)
        if isinstance(decl, Recursor):
            return owner
        if isinstance(decl, Constructor):
            return decl.inductive
        if last in ("casesOn", "recOn") and isinstance(self.env.find(owner), Inductive):
            return owner
        if name in self.env.projections:
            return self.env.projections[name].struct
        if last in ("inj", "injEq") and isinstance(ctor := self.env.find(owner), Constructor):
            return ctor.inductive
        return None

    def _needs(self, declaration: Declaration) -> list[str]:
        terms = [declaration.type]
        if isinstance(declaration, Definition | TheoremDecl) and declaration.value is not None:
            terms.append(declaration.value)
        if isinstance(declaration, Inductive):
            for name in declaration.constructors:
                ctor = self.env.find(name)
                assert ctor is not None
                terms.append(ctor.type)
        found: dict[str, None] = {}
        for term in terms:
            for node in subterms(term):
                if type(node) is Const:
                    found[self._parent(node.name) or node.name] = None
                elif type(node) is Proj:
                    found[node.struct] = None
        return list(found)

    # --- declarations ---------------------------------------------------------------------------------------

    def _declaration(self, d: Declaration) -> str:
        head = f"{self._name(d.name)}{self._level_params(d)}"
        if isinstance(d, TheoremDecl):
            assert d.value is not None, "theorems of the library stand under their name only"
            return f"theorem {head} :\n    {self.term(d.type)} :=\n  {self.term(d.value)}"
        if isinstance(d, Definition):
            word = "@[reducible] " if self.env.reducibility.get(d.name) == 1 else ""
            return f"{word}noncomputable def {head} :\n    {self.term(d.type)} :=\n  {self.term(d.value)}"
        if isinstance(d, Axiom):
            return f"axiom {head} :\n    {self.term(d.type)}"
        assert isinstance(d, Inductive)
        return self._inductive(d, head)

    def _inductive(self, d: Inductive, head: str) -> str:
        names: list[str] = []
        binders = []
        type_ = d.type
        for _ in range(d.num_params):
            assert type(type_) is Pi
            binders.append(self._binder(type_, names))
            type_ = type_.body
        params = "".join(f" {binder}" for binder in binders)
        info = self.env.structures.get(d.name)
        if info is not None:
            return self._structure(d, head, params, names)
        lines = [f"inductive {head}{params} : {self._term(type_, names)} where"]
        for name in d.constructors:
            ctor = self.env.find(name)
            assert isinstance(ctor, Constructor)
            body = ctor.type
            for _ in range(d.num_params):
                body = body.body  # type: ignore[attr-defined]
            # parameters keep their names: constructors use the names of the header
            lines.append(f"  | {name.removeprefix(d.name + '.')} : {self._term(body, list(names))}")
        return "\n".join(lines)

    def _structure(self, d: Inductive, head: str, params: str, names: list[str]) -> str:
        info = self.env.structures[d.name]
        ctor = self.env.find(info.constructor)
        assert ctor is not None
        sort, body = d.type, ctor.type
        for _ in range(d.num_params):
            sort, body = sort.body, body.body  # type: ignore[attr-defined]
        word = "class" if d.name in self.env.classes else "structure"
        lines = [f"{word} {head}{params} : {self._term(sort, names)} where"]
        lines.append(f"  {info.constructor.removeprefix(d.name + '.')} ::")
        inner = list(names)
        for field in info.fields:
            assert type(body) is Pi
            lines.append(f"  {field} : {self._term(body.type, inner)}")
            inner.append(field)
            body = body.body
        return "\n".join(lines)

    def _level_params(self, d: Declaration) -> str:
        return f".{{{', '.join(d.level_params)}}}" if d.level_params else ""

    def _name(self, name: str) -> str:
        return f"{_PREFIX}.{name}" if self._is_generated(name) or name in NOT_IN_CORE else name

    # --- terms ----------------------------------------------------------------------------------------------

    def term(self, e: Expr) -> str:
        """Return a closed term as text."""
        return self._term(e, [])

    def _binder(self, e: Pi | Lam, names: list[str]) -> str:
        """Return the binder as text; its name is added to `names`."""
        type_ = self._term(e.type, names)
        names.append(f"x{len(names)}")
        brackets = _BRACKETS.get(e.info, "()")
        left, right = brackets[0], brackets[1]
        return f"{left}{names[-1]} : {type_}{right}"

    def _term(self, e: Expr, names: list[str]) -> str:
        kind = type(e)
        if kind is BVar:
            return "@" + names[-1 - e.idx]  # type: ignore[attr-defined]
        if kind is Const:
            levels = ", ".join(level_text(level) for level in e.levels)  # type: ignore[attr-defined]
            return f"@{self._name(e.name)}" + (f".{{{levels}}}" if levels else "")  # type: ignore[attr-defined]
        if kind is Sort:
            return f"Sort ({level_text(e.level)})"  # type: ignore[attr-defined]
        if kind is Lit:
            value = e.value  # type: ignore[attr-defined]
            return f"(nat_lit {value})" if isinstance(value, int) else string_literal(value)
        if kind is App:
            fn, args = get_app(e)
            text = text_value(e) if is_app_of(e, STRING_LITERAL, 1) else None
            if text is not None:
                return string_literal(text)
            return " ".join([self._atom(fn, names), *(self._atom(arg, names) for arg in args)])
        if kind is Proj:
            # Early versions of Lean 4 do not read `@x.1` as a function without brackets of its own.
            return f"({self._atom(e.expr, names)}.{e.idx + 1})"  # type: ignore[attr-defined]
        inner = list(names)
        if kind is Let:
            type_, value = self._term(e.type, names), self._term(e.value, names)  # type: ignore[attr-defined]
            inner.append(f"x{len(names)}")
            return f"let {inner[-1]} : {type_} := {value}; {self._term(e.body, inner)}"  # type: ignore[attr-defined]
        binders = []
        while (type(e) is Lam or type(e) is Pi) and type(e) is kind:
            binders.append(self._binder(e, inner))
            e = e.body
        word, arrow = ("@fun", " =>") if kind is Lam else ("∀", ",")
        return f"{word} {' '.join(binders)}{arrow} {self._term(e, inner)}"

    def _atom(self, e: Expr, names: list[str]) -> str:
        text = self._term(e, names)
        if type(e) is BVar or (type(e) is Const) or type(e) is Proj or text.startswith("(nat_lit"):
            return text
        return f"({text})"


def level_text(level: Level) -> str:
    """Return a universe level in Lean's syntax."""
    kind = type(level)
    if kind is Succ:
        return f"{_level_atom(level.of)} + 1"  # type: ignore[attr-defined]
    if kind is Max or kind is IMax:
        word = "max" if kind is Max else "imax"
        return f"{word} {_level_atom(level.left)} {_level_atom(level.right)}"  # type: ignore[attr-defined]
    return level.name if kind is Param else "0"  # type: ignore[attr-defined]


def _level_atom(level: Level) -> str:
    text = level_text(level)
    return f"({text})" if " " in text else text
