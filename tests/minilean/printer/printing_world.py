"""A small world to print in: core Lean's constants in an environment, and the printer's context over it."""

from __future__ import annotations

import re

import core_reader
from core_reader import ARITHMETIC

from minilean.kernel.declaration import Declaration
from minilean.kernel.environment import Environment
from minilean.kernel.expr import Expr, mk_mvar
from minilean.kernel.interning import fresh_id
from minilean.kernel.typechecker import TypeChecker
from minilean.printer.pretty import format_expr, format_goal
from minilean.printer.shown_notations import NONE

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
    *[(op, "{α : Type u} → {β : Type v} → {γ : Type w} → "
       f"[self : {op.partition('.')[0]}.{{u,v,w}} α β γ] → α → β → γ") for op in ARITHMETIC.values()],
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
    ("Nat.cast", "{R : Type} → [i : Inhabited R] → Nat → R"),
    ("Nat.plus", "Nat → Nat → Nat"), ("Nat.le_refl", "(n : Nat) → Nat.le n n"),
    ("List.length", "{α : Type u} → (as : List.{u} α) → Nat"),
    ("List.map", "{α : Type u} → {β : Type v} → (f : α → β) → (l : List.{u} α) → List.{v} β"),
    ("List.reverse", "{α : Type u} → (as : List.{u} α) → List.{u} α"),
    ("HAppend.hAppend", "{α : Type u} → {β : Type v} → {γ : Type w} → [inst : Inhabited.{w} γ] → α → β → γ"),
    ("Prod.fst", "{α : Type u} → {β : Type v} → (self : Prod.{u,v} α β) → α"),
    ("And.left", "{a b : Prop} → (self : And a b) → a"),
    ("Fin.val", "{n : Nat} → (self : Fin n) → Nat"),
    ("Bool.not", "Bool → Bool"), ("Bool.and", "Bool → Bool → Bool"),
    ("Function.comp", "{α β γ : Type} → (β → γ) → (α → β) → α → γ"),
    ("Eq.ndrec", "{α : Sort u2} → {a : α} → {motive : α → Sort u1} → (m : motive a) → {b : α} → Eq.{u2} α a b"
     " → motive b"),
    ("sorryAx", "(α : Sort u) → (s : Bool) → α"), ("P", "Nat → Prop"), ("C", "(α : Type u) → Type u"),
    ("Implicit", "(n : Nat) → {m : Nat} → Nat → Prop"),
]  # fmt: skip
STRUCTURES = {"And": ("left", "right"), "Iff": ("mp", "mpr"), "Prod": ("fst", "snd"), "Fin": ("val", "isLt"),
              "Subtype": ("val", "property"), "Sigma": ("fst", "snd"), "Foo": ("val", "ok", "deep"),
              "Inhabited": ("default",)}  # fmt: skip


def standard() -> Environment:
    """The constants that the tests print, all of them type-checked."""
    env = Environment()
    for name, params, type_, constructors in INDUCTIVES:
        if name == "Fin":
            for axiom in BEFORE_FIN:
                _declare(env, *axiom)
        split = [text.split(" : ", 1) for text in constructors]
        members = [(constructor, _read(env, t)) for constructor, t in split]
        env.add_inductive(name, _levels(type_), params, _read(env, type_), members)
    for name, type_ in sorted(AXIOMS, key=lambda axiom: axiom[0] not in ("Inhabited", "OfNat")):
        _declare(env, name, type_)
    return env


def _declare(env: Environment, name: str, type_: str) -> None:
    env.add_axiom(name, _levels(type_), _read(env, type_))


def _read(env: Environment, text: str) -> Expr:
    return core_reader.read(text, env, {}, {})


def _levels(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.findall(r"(?:Type|Sort) \(?(?:max 1 )?(u2|u1|[uvw])\b", text)))


class World:
    """An environment, local variables, and the printer's context over them."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.tc = TypeChecker(env)
        self.names: dict[int, str] = {}
        self.local_types: dict[Expr, Expr] = {}
        self.locals: dict[str, Expr] = {}
        self.mvars: dict[str, Expr] = {}
        self.mvar_types: dict[Expr, Expr] = {}
        self.delayed: dict[int, int] = {}
        self.view: tuple[str, ...] = ()

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

    notations = NONE

    def meanings(self, name: str) -> list[str]:
        return [full for full in (name, *(f"{space}.{name}" for space in self.view)) if self.env.find(full)]

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

    def parent_fields(self, struct: str) -> tuple[str, ...]:
        return ()

    def structure_fields(self, struct: str) -> tuple[str, ...] | None:
        return STRUCTURES.get(struct)

    def matcher(self, name: str) -> None:
        """No `match` was compiled here."""

    def coercion(self, name: str) -> None:
        """No function is marked `@[coe]` here."""

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

    def read(self, text: str) -> Expr:
        """Read a core term."""
        return core_reader.read(text, self.env, self.locals, self.mvars)
