"""A small world to print in: core Lean's constants in a kernel environment, and a reader of core terms.

Core terms are written with every argument, implicit or not: `Eq Nat n (+ n 1)`. Universe arguments are filled in
from a table. `1` is the numeral as users write it, `raw 1` the literal alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from lean_gym.minilean.kernel.declaration import Declaration
from lean_gym.minilean.kernel.environment import Environment
from lean_gym.minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    Expr,
    fresh_id,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_let,
    mk_lit,
    mk_mvar,
    mk_pi,
    mk_proj,
    mk_sort,
)
from lean_gym.minilean.kernel.level import ONE, ZERO, Level, mk_level_mvar, mk_max, mk_param, mk_succ
from lean_gym.minilean.kernel.typechecker import TypeChecker
from lean_gym.minilean.syntax.pretty import format_expr, format_goal

BRACKETS = {"(": (")", DEFAULT), "{": ("}", IMPLICIT), "⦃": ("⦄", STRICT), "[": ("]", INST)}
TOKEN = re.compile(r"\s*(:=|=>|→|⦃|⦄|\"[^\"]*\"|[(){}\[\]:;,]|[^\s(){}\[\]:;,⦃⦄]+)")
ARITHMETIC = {"+": "HAdd.hAdd", "-": "HSub.hSub", "*": "HMul.hMul", "^": "HPow.hPow", "%": "HMod.hMod"}
ORDER = {"≤": "LE.le", "<": "LT.lt", ">": "GT.gt", "≥": "GE.ge"}

INDUCTIVES = [
    ("Nat", 0, "Type", ["Nat.zero : Nat", "Nat.succ : (n : Nat) → Nat"]),
    ("Bool", 0, "Type", ["Bool.false : Bool", "Bool.true : Bool"]),
    ("Unit", 0, "Type", ["Unit.unit : Unit"]),
    ("True", 0, "Prop", ["True.intro : True"]),
    ("False", 0, "Prop", []),
    ("Eq", 2, "{α : Sort u} → α → α → Prop", ["Eq.refl : {α : Sort u} → (a : α) → Eq.{u} α a a"]),
    ("And", 2, "(a b : Prop) → Prop", ["And.intro : {a b : Prop} → (left : a) → (right : b) → And a b"]),
    ("Or", 2, "(a b : Prop) → Prop", ["Or.inl : {a b : Prop} → (h : a) → Or a b"]),
    ("Iff", 2, "(a b : Prop) → Prop", ["Iff.intro : {a b : Prop} → (mp : a → b) → (mpr : b → a) → Iff a b"]),
    ("Exists", 2, "{α : Sort u} → (p : α → Prop) → Prop",
     ["Exists.intro : {α : Sort u} → {p : α → Prop} → (w : α) → (h : p w) → Exists.{u} α p"]),
    ("List", 1, "(α : Type u) → Type u",
     ["List.nil : {α : Type u} → List.{u} α",
      "List.cons : {α : Type u} → (head : α) → (tail : List.{u} α) → List.{u} α"]),
    ("Prod", 2, "(α : Type u) → (β : Type v) → Type (max u v)",
     ["Prod.mk : {α : Type u} → {β : Type v} → (fst : α) → (snd : β) → Prod.{u,v} α β"]),
    ("Nat.le", 1, "(n : Nat) → Nat → Prop", ["Nat.le.refl : {n : Nat} → Nat.le n n"]),
    ("Fin", 1, "(n : Nat) → Type",
     ["Fin.mk : {n : Nat} → (val : Nat) → (isLt : LT.lt.{0} Nat instLTNat val n) → Fin n"]),
    ("Subtype", 2, "{α : Sort u} → (p : α → Prop) → Sort (max 1 u)",
     ["Subtype.mk : {α : Sort u} → {p : α → Prop} → (val : α) → (property : p val) → Subtype.{u} α p"]),
    ("Sigma", 2, "{α : Type u} → (β : α → Type v) → Type (max u v)",
     ["Sigma.mk : {α : Type u} → {β : α → Type v} → (fst : α) → (snd : β fst) → Sigma.{u,v} α β"]),
    ("Foo", 0, "Type", ["Foo.mk : (val : Nat) → (ok : Eq.{1} Nat val val) → (deep : List.{0} Nat) → Foo"]),
]  # fmt: skip
BEFORE_FIN = [("LT", "(α : Type u) → Type u"), ("instLTNat", "LT Nat"),
              ("LT.lt", "{α : Type u} → [self : LT.{u} α] → α → α → Prop")]  # fmt: skip
AXIOMS = [
    *[(op.partition(".")[0], "(α : Type u) → (β : Type v) → (γ : Type w) → Type (max u (max v w))")
      for op in ARITHMETIC.values()],
    *[("inst" + op.partition(".")[0], f"{op.partition('.')[0]} Nat Nat Nat") for op in ARITHMETIC.values()],
    *[(op, f"{{α : Type u}} → {{β : Type v}} → {{γ : Type w}} → [self : {op.partition('.')[0]}.{{u,v,w}} α β γ]"
       " → α → β → γ") for op in ARITHMETIC.values()],
    ("LE", "(α : Type u) → Type u"), ("instLENat", "LE Nat"),
    ("LE.le", "{α : Type u} → [self : LE.{u} α] → α → α → Prop"),
    ("GE.ge", "{α : Type u} → [inst : LE.{u} α] → α → α → Prop"),
    ("GT.gt", "{α : Type u} → [inst : LT.{u} α] → α → α → Prop"),
    ("OfNat", "(α : Type u) → Nat → Type u"), ("instOfNatNat", "(n : Nat) → OfNat Nat n"),
    ("OfNat.ofNat", "{α : Type u} → (x : Nat) → [self : OfNat.{u} α x] → α"),
    ("Neg.neg", "{α : Type u} → [inst : Inhabited.{u} α] → α → α"),
    ("Inhabited", "(α : Type u) → Type u"), ("instInh", "Inhabited Nat"),
    ("Inhabited.default", "{α : Type u} → [inst : Inhabited.{u} α] → α"),
    ("Not", "(a : Prop) → Prop"), ("Ne", "{α : Sort u} → (a b : α) → Prop"),
    ("Membership.mem", "{α : Type u} → {γ : Type v} → [inst : Inhabited.{v} γ] → γ → α → Prop"),
    ("instInhL", "Inhabited (List Nat)"),
    ("Decidable", "(p : Prop) → Type"), ("dec", "(p : Prop) → Decidable p"),
    ("Decidable.decide", "(p : Prop) → [h : Decidable p] → Bool"),
    ("ite", "{α : Sort u} → (c : Prop) → [h : Decidable c] → (t e : α) → α"),
    ("dite", "{α : Sort u} → (c : Prop) → [h : Decidable c] → (t : c → α) → (e : Not c → α) → α"),
    ("id", "{α : Sort u} → (a : α) → α"), ("rfl", "{α : Sort u} → {a : α} → Eq.{u} α a a"),
    ("Nat.add", "Nat → Nat → Nat"), ("Nat.pred", "(n : Nat) → Nat"), ("Nat.cast", "{R : Type} → [i : Inhabited R] → Nat → R"),
    ("Nat.plus", "Nat → Nat → Nat"), ("Nat.le_refl", "(n : Nat) → Nat.le n n"),
    ("List.length", "{α : Type u} → (as : List.{u} α) → Nat"),
    ("List.map", "{α : Type u} → {β : Type v} → (f : α → β) → (l : List.{u} α) → List.{v} β"),
    ("List.reverse", "{α : Type u} → (as : List.{u} α) → List.{u} α"),
    ("HAppend.hAppend", "{α : Type u} → {β : Type v} → {γ : Type w} → [inst : Inhabited.{w} γ] → α → β → γ"),
    ("Prod.fst", "{α : Type u} → {β : Type v} → (self : Prod.{u,v} α β) → α"),
    ("And.left", "{a b : Prop} → (self : And a b) → a"),
    ("Fin.val", "{n : Nat} → (self : Fin n) → Nat"),
    ("not", "Bool → Bool"), ("and", "Bool → Bool → Bool"), ("Function.comp", "{α β γ : Type} → (β → γ) → (α → β) → α → γ"),
    ("Eq.ndrec", "{α : Sort u2} → {a : α} → {motive : α → Sort u1} → (m : motive a) → {b : α} → Eq.{u2} α a b → motive b"),
    ("sorryAx", "(α : Sort u) → (s : Bool) → α"), ("P", "Nat → Prop"), ("Q", "Prop"), ("C", "(α : Type u) → Type u"),
    ("Implicit", "(n : Nat) → {m : Nat} → Nat → Prop"), ("Alias", "Type"),
]  # fmt: skip
STRUCTURES = {"And": ("left", "right"), "Iff": ("mp", "mpr"), "Prod": ("fst", "snd"), "Fin": ("val", "isLt"),
              "Subtype": ("val", "property"), "Sigma": ("fst", "snd"), "Foo": ("val", "ok", "deep"),
              "Inhabited": ("default",)}  # fmt: skip


class World:
    """An environment, local variables, and the printer's context over them."""

    def __init__(self) -> None:
        self.env = Environment()
        self.tc = TypeChecker(self.env)
        self.names: dict[int, str] = {}
        self.local_types: dict[Expr, Expr] = {}
        self.locals: dict[str, Expr] = {}
        self.mvars: dict[str, Expr] = {}
        self.mvar_types: dict[Expr, Expr] = {}
        self.delayed: dict[int, int] = {}
        self.open_namespaces: tuple[str, ...] = ()
        for name, params, type_, constructors in INDUCTIVES:
            if name == "Fin":
                for axiom in BEFORE_FIN:
                    self.axiom(*axiom)
            levels = self.levels(type_)
            split = [text.split(" : ", 1) for text in constructors]
            # the constructors mention the type before it exists
            self.env.add_inductive(
                name, levels, params, self.read(type_), [(c, self.read(t)) for c, t in split]
            )
        for name, type_ in sorted(AXIOMS, key=lambda axiom: axiom[0] not in ("Inhabited", "OfNat")):
            self.axiom(name, type_)
        self.tc = TypeChecker(self.env)

    @staticmethod
    def levels(text: str) -> tuple[str, ...]:
        """The universe parameters a type mentions."""
        return tuple(dict.fromkeys(re.findall(r"(?:Type|Sort) \(?(?:max 1 )?(u2|u1|[uvw])\b", text)))

    def axiom(self, name: str, type_: str) -> None:
        """Declare a constant."""
        self.env.add_axiom(name, self.levels(type_), self.read(type_))

    def local(self, text: str) -> Expr:
        """Declare local variables of one type, `n m : Nat`; the last one is returned."""
        names, _, type_ = text.partition(" : ")
        for name in names.split():
            self.locals[name] = self.push_local(name, self.read(type_))
        return self.locals[names.split()[-1]]

    def mvar(self, name: str, type_: str | None = None, delayed: str | None = None) -> None:
        """Declare a metavariable."""
        self.mvars[name] = mk_mvar(fresh_id())
        self.names[self.mvars[name].id] = name
        if type_ is not None:
            self.mvar_types[self.mvars[name]] = self.read(type_)
        if delayed is not None:
            self.delayed[self.mvars[name].id] = self.mvars[delayed].id

    # --- PPContext ---------------------------------------------------------------------------------------

    def find(self, name: str) -> Declaration | None:
        return self.env.find(name)

    def fvar_name(self, fvar_id: int) -> str:
        return self.names[fvar_id]

    def mvar_name(self, mvar_id: int) -> str:
        return self.names[mvar_id]

    def delayed_target(self, mvar_id: int) -> int | None:
        return self.delayed.get(mvar_id)

    def push_local(self, name: str, type: Expr, value: Expr | None = None) -> Expr:
        fvar = self.tc.new_local(name, type)
        self.names[fvar.id] = name
        return fvar

    def infer_type(self, e: Expr) -> Expr:
        if e in self.mvar_types:
            return self.mvar_types[e]
        return self.tc.infer_type(e)

    def whnf(self, e: Expr) -> Expr:
        return self.tc.whnf(e)

    def is_proposition(self, e: Expr) -> bool:
        return not e.has_mvar and self.tc.is_prop(e)

    def is_proof(self, e: Expr) -> bool:
        return not e.has_mvar and self.tc.is_prop(self.tc.infer_type(e))

    def structure_fields(self, struct: str) -> tuple[str, ...] | None:
        return STRUCTURES.get(struct)

    def is_class(self, struct: str) -> bool:
        return struct == "Inhabited"

    # --- printing ----------------------------------------------------------------------------------------

    def pp(self, text: str, **options: int) -> str:
        """Read a core term and print it."""
        return format_expr(self.read(text), self, **options)

    def goal(self, target: str, rows: list[str], tag: str | None = None, **options: int) -> str:
        """Declare the hypotheses `n m : Nat` or `x : Nat := 1` and print the goal."""
        decls = []
        for row in rows:
            head, _, value = row.partition(" := ")
            self.local(head)
            names, _, type_ = head.partition(" : ")
            decls += [(n, self.read(type_), self.read(value) if value else None) for n in names.split()]
        return format_goal(self.read(target), decls, self, tag, **options)

    # --- reading -----------------------------------------------------------------------------------------

    def read(self, text: str) -> Expr:
        """Read a core term."""
        tokens = TOKEN.findall(text)
        reader = Reader(self, tokens)
        e = reader.term([])
        assert reader.at == len(tokens), f"rest of {text!r}: {tokens[reader.at :]}"
        return e


class Reader:
    def __init__(self, world: World, tokens: list[str]) -> None:
        self.world = world
        self.tokens = [*tokens, ""]
        self.at = 0
        self.tokens.pop()

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self, expected: str | None = None) -> str:
        token = self.peek()
        assert expected is None or token == expected, f"{expected!r} expected, {self.tokens[self.at :]}"
        self.at += 1
        return token

    def _is_binder(self) -> bool:
        if self.peek() not in BRACKETS:
            return False
        rest = self.tokens[self.at + 1 :]
        if rest[:1] in (["let"], ["have"], ["fun"]):
            return False
        end = next((i for i, t in enumerate(rest) if t in ":()[]{}→=>"), len(rest))
        return end > 0 and end < len(rest) and rest[end] == ":"

    def binders(self, bound: list[str]) -> Iterator[tuple[str, Expr, int]]:
        closing, info = BRACKETS[self.next()]
        names = []
        while self.peek() != ":":
            names.append(self.next())
        self.next(":")
        start = self.at
        for i, name in enumerate(names):
            self.at = start
            yield name, self.term([*bound, *names[:i]]), info
        self.next(closing)

    def term(self, bound: list[str]) -> Expr:
        if self.peek() in ("fun", "let", "have"):
            return self.abstraction(bound)
        if self._is_binder():
            return self.quantified(bound, mk_pi, "→")
        left = self.application(bound)
        if self.peek() != "→":
            return left
        self.next()
        return mk_pi("a✝", left, self.term([*bound, "-"]))

    def quantified(self, bound: list[str], make, end: str) -> Expr:  # type: ignore[no-untyped-def]
        inner, groups = list(bound), []
        for group in self.binders(list(bound)):
            groups.append(group)
            inner.append(group[0])
        if self._is_binder():
            body = self.quantified(inner, make, end)
        else:
            self.next(end)
            body = self.quantified(inner, make, end) if self._is_binder() and end == "→" else self.term(inner)
        for name, type_, info in reversed(groups):
            body = make(name, type_, body, info)
        return body

    def abstraction(self, bound: list[str]) -> Expr:
        word = self.next()
        if word == "fun":
            return self.quantified(bound, mk_lam, "=>")
        name = self.next()
        self.next(":")
        type_ = self.term(bound)
        self.next(":=")
        value = self.term(bound)
        self.next(";")
        return mk_let(name, type_, value, self.term([*bound, name]), word == "have")

    def application(self, bound: list[str]) -> Expr:
        head = self.peek()
        if head in ("+", "-", "*", "^", "%"):
            self.next()
            op = ARITHMETIC[head]
            nat = mk_const("Nat")
            levels = (ZERO, ZERO, ZERO)
            fn = mk_apps(mk_const(op, levels), [nat, nat, nat, mk_const("inst" + op.partition(".")[0])])
            return mk_apps(fn, self.arguments(bound))
        if head in ORDER:
            self.next()
            inst = mk_const("instLENat" if head in "≤≥" else "instLTNat")
            fn = mk_apps(mk_const(ORDER[head], (ZERO,)), [mk_const("Nat"), inst])
            return mk_apps(fn, self.arguments(bound))
        return mk_apps(self.atom(bound), self.arguments(bound))

    def arguments(self, bound: list[str]) -> list[Expr]:
        args = []
        while self.peek() not in ("", ")", "}", "]", "⦄", "→", ":=", ";", ",", ":", "=>") and (
            not self._is_binder()
        ):
            args.append(self.atom(bound))
        return args

    def atom(self, bound: list[str]) -> Expr:
        token = self.next()
        if token == "(":
            e = self.term(bound)
            self.next(")")
            return e
        if token in ("Type", "Sort"):
            return mk_sort(mk_succ(self.level()) if token == "Type" else self.level())
        if token == "Prop":
            return mk_sort(ZERO)
        if token.startswith('"'):
            return mk_lit(token[1:-1])
        if token == "raw":
            return mk_lit(int(self.next()))
        if token == "proj":
            return mk_proj(self.next(), int(self.next()), self.atom(bound))
        if token.isdigit():
            n = mk_lit(int(token))
            inst = mk_app(mk_const("instOfNatNat"), n)
            return mk_apps(mk_const("OfNat.ofNat", (ZERO,)), [mk_const("Nat"), n, inst])
        if token.startswith("?"):
            return self.world.mvars[token[1:]]
        return self.name(token, bound)

    def name(self, token: str, bound: list[str]) -> Expr:
        for i, name in enumerate(reversed(bound)):
            if name == token:
                return mk_bvar(i)
        if token in self.world.locals:
            return self.world.locals[token]
        if token.endswith("."):
            self.next("{")
            levels = [parse_level(self.next())]
            while self.next() == ",":
                levels.append(parse_level(self.next()))
            return mk_const(token[:-1], tuple(levels))
        decl = self.world.find(token)
        count = len(decl.level_params) if decl is not None else 0
        data = (
            ONE
            if token.partition(".")[0] in ("Eq", "Ne", "Exists", "Subtype", "ite", "dite", "rfl", "id")
            else ZERO
        )
        return mk_const(token, (data,) * count)

    def level(self) -> Level:
        if self.peek() == "(":
            self.next()
            level = self.level_term()
            self.next(")")
            return level
        return parse_level(self.next()) if re.fullmatch(r"u\d?|[vw]|\?u", self.peek()) else ZERO

    def level_term(self) -> Level:
        if self.peek() == "(":
            return self.level()
        token = self.next()
        if token == "max":
            return mk_max(self.level_term(), self.level_term())
        base = parse_level(token)
        if self.peek() == "+":
            self.next()
            for _ in range(int(self.next())):
                base = mk_succ(base)
        return base


def parse_level(token: str) -> Level:
    if token == "?u":
        return mk_level_mvar(7)
    if token.isdigit():
        level: Level = ZERO
        for _ in range(int(token)):
            level = mk_succ(level)
        return level
    return mk_param(token)


@pytest.fixture
def world() -> World:
    return World()
