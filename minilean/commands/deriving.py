"""Lean source text of the instances and theorems that `deriving` and `@[ext]` generate for a type.

Source: Lean 4 `src/Lean/Elab/Deriving/{DecEq,Inhabited}.lean`, `src/Lean/Elab/Tactic/Ext.lean` (4.34). The
instances and theorems have Lean's names and statements, but other values. The text is checked like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minilean.elab.display import show
from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.expr import DEFAULT, PROP, Const, Expr, FVar, Pi, Sort, get_app_fn
from minilean.kernel.traversal import subterms
from minilean.meta.extension import LeanEnv
from minilean.meta.infer import is_prop
from minilean.meta.meta_m import MetaM
from minilean.meta.whnf import whnf

MANY_CONSTRUCTORS = 16
"""Values of a type with more constructors, none of which has fields, are compared by their numbers only."""

COMPARED = ("BEq", "DecidableEq", "Hashable", "Ord")
HANDLED = (*COMPARED, "Inhabited", "LawfulBEq", "Nonempty", "ReflBEq", "Repr", "SizeOf", "TypeName")
"""Core's classes that `deriving` accepts."""


def underivable(env: LeanEnv, name: str, class_name: str) -> str:
    """Return Lean's error for an instance that Lean does not derive either; empty where Lean may derive it."""
    decl = env.find(name)
    assert isinstance(decl, Inductive)
    made_anyway = class_name not in (*COMPARED, "Repr")
    m = MetaM(env)
    _, sort = m.intro_binders(decl.type, decl.num_params + decl.num_indices)
    if (class_name == "Inhabited" and not decl.constructors) or (sort is PROP and not made_anyway):
        return f"None of the deriving handlers for class `{class_name}` applied to `{name}`"
    if made_anyway:
        return ""
    without = (Pi,) if class_name == "Repr" else (Pi, Sort)
    for ctor_name in decl.constructors:
        ctor = env.find(ctor_name)
        assert isinstance(ctor, Constructor)
        xs, _ = m.intro_binders(ctor.type, ctor.num_params + ctor.num_fields)
        for x in xs[ctor.num_params :]:
            type_ = m.local(x).type
            if type(whnf(m, type_)) in without and not is_prop(m, type_):
                return f"failed to synthesize instance of type class\n  {class_name} ({show(m, type_)})"
    return ""


def derived(env: LeanEnv, name: str, class_name: str, space: str = "") -> list[str]:
    """Return texts of an instance of a class for a type, to be tried in turn; none if it is not supported.

    Args:
        env: The environment, with the type.
        name: The full name of the inductive type.
        class_name: The class, as written after `deriving`.
        space: The namespace of the instance.
    """
    decl = env.find(name)
    assert isinstance(decl, Inductive)
    params = _parameters(env, decl)
    if decl.num_indices or params is None or class_name not in ("DecidableEq", "Inhabited"):
        return []
    base = f"inst{class_name}{_short(name)}"
    instance = first = f"{space}.{base}" if space else base
    index = 1
    while env.find(instance) is not None:
        instance, index = f"{first}_{index}", index + 1
    if class_name == "Inhabited":
        return list(_inhabited(env, decl, params, instance))
    ctors = [env.find(ctor) for ctor in decl.constructors]
    plain = not params and all(ctor is not None and type(ctor.type) is Const for ctor in ctors)
    if plain and len(decl.constructors) > MANY_CONSTRUCTORS:
        return [_decidable_enumeration(decl, instance)]
    return [_decidable_eq(env, decl, params, instance)]


def extensionality(env: LeanEnv, name: str, flat: bool = True) -> str | None:
    """Return the text of `S.ext` and `S.ext_iff` for a structure; `None` if they are not supported.

    Args:
        env: The environment with the structure.
        name: The structure.
        flat: Whether a parent is replaced by its fields.
    """
    decl, info = env.find(name), env.structures.get(name)
    if not isinstance(decl, Inductive) or info is None:
        return None
    m = MetaM(env)
    params = [m.local(x).name for x in m.intro_binders(decl.type, decl.num_params)[0]]
    if any(not p.isidentifier() for p in params):
        return None
    data = _data(env, name, flat)
    a, b = ("x", "y") if not {"x", "y"} & {f for f, _ in data} else ("x_1", "y_1")
    binders = "".join(f"{{{p}}} " for p in params)
    of = " ".join([f"@{name}" if params else name, *params])
    equations = [f"{a}.{f} {relation} {b}.{f}" for f, relation in data]
    given = "".join(f"({f} : {e}) " for (f, _), e in zip(data, equations, strict=True))
    steps = "".join(f"; cases {f}" for f, _ in data)
    # the fields of the two structures get the names of the hypotheses: the hypotheses are reverted before
    moved = "".join(f"revert {f}; " for f, _ in reversed(data))
    back = "".join(f"; intro {f}" for f, _ in data)
    holes = ", ".join("rfl" if relation == "=" else "HEq.rfl" for _, relation in data) or "trivial"
    rules = [f"h{i}" for i, _ in enumerate(data)]
    apart = f"⟨{', '.join(rules)}⟩" if len(data) > 1 else "".join(rules) or "_"
    iff = f"fun {apart} => {name}.ext {' '.join(rules)}"
    opened = _opened(env, name, flat)
    return (
        f"theorem {name}.ext {binders}{{{a} {b} : {of}}} {given}: {a} = {b} := by\n"
        f"  {moved}rcases {a} with {opened}; rcases {b} with {opened}{back}{steps}; rfl\n"
        f"theorem {name}.ext_iff {binders}{{{a} {b} : {of}}} : {a} = {b} ↔ {' ∧ '.join(equations) or 'True'} :=\n"
        f"  ⟨fun h => by cases h; exact {'⟨' + holes + '⟩' if len(data) > 1 else holes}, {iff}⟩\n"
    )


def _data(env: LeanEnv, name: str, flat: bool) -> list[tuple[str, str]]:
    """Return the fields that are not proofs, each with the relation between its values: `=` or `≍`."""
    info = env.structures[name]
    ctor = env.find(info.constructor)
    assert isinstance(ctor, Constructor)
    m = MetaM(env)
    xs, _ = m.intro_binders(ctor.type, ctor.num_params + ctor.num_fields)
    decls = [m.local(x) for x in xs[ctor.num_params :]]
    values = [d.fvar for d in decls if not is_prop(m, d.type)]
    parents = dict(info.parents)
    out: list[tuple[str, str]] = []
    for d in decls:
        if d.fvar not in values:
            continue
        depends = any(sub in values for sub in subterms(d.type) if type(sub) is FVar)
        relation = "≍" if depends else "="
        if flat and d.name in parents:
            out += [(f, "≍" if depends else r) for f, r in _data(env, parents[d.name], flat)]
        else:
            out.append((d.name, relation))
    return out


def _opened(env: LeanEnv, name: str, flat: bool) -> str:
    """Return the `rcases` pattern for a structure; with `flat` it splits parents too."""
    info = env.structures[name]
    parents = dict(info.parents)
    fields = [_opened(env, parents[f], flat) if flat and f in parents else "_" for f in info.fields]
    return f"⟨{', '.join(fields)}⟩"


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _parameters(env: LeanEnv, decl: Inductive) -> list[str] | None:
    """Return the names of the parameters if all of them are types, else `None`."""
    m = MetaM(env)
    params, _ = m.intro_binders(decl.type, decl.num_params)
    if any(type(m.local(x).type) is not Sort for x in params):
        return None
    return [m.local(x).name for x in params]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a constructor; `recursive` says that its type is the inductive type itself."""

    explicit: bool
    is_proof: bool
    recursive: bool


def _fields(env: LeanEnv, ctor_name: str) -> list[Field]:
    """Return the fields of a constructor."""
    ctor = env.find(ctor_name)
    assert isinstance(ctor, Constructor)
    m = MetaM(env)
    xs, _ = m.intro_binders(ctor.type, ctor.num_params + ctor.num_fields)
    decls = [m.local(x) for x in xs[ctor.num_params :]]
    return [Field(d.info == DEFAULT, is_prop(m, d.type), _is_value_of(ctor.inductive, d.type)) for d in decls]


def _inhabited(env: LeanEnv, decl: Inductive, params: list[str], name: str) -> Iterator[str]:
    """Yield an instance by each constructor, first without and then with `Inhabited` parameters."""
    head = f"instance {name}"
    for ctor in decl.constructors:
        fields = " ".join("default" for field in _fields(env, ctor) if field.explicit)
        value = f" : Inhabited ({' '.join([decl.name, *params])}) := ⟨{ctor} {fields}⟩\n"
        yield head + "".join(f" {{{p}}}" for p in params) + value
        yield head + "".join(f" {{{p}}} [Inhabited {p}]" for p in params) + value


def _is_value_of(name: str, type_: Expr | FVar) -> bool:
    fn = get_app_fn(type_)
    return type(fn) is Const and fn.name == name


def _decidable_enumeration(decl: Inductive, name: str) -> str:
    """Return an instance that compares the numbers of the constructors, none of which has fields."""
    numbers = "\n".join(f"  | {ctor} => {i}" for i, ctor in enumerate(decl.constructors))
    return (
        f"def {name}.number : {decl.name} → Nat\n{numbers}\n"
        f"def {name}.all : List {decl.name} := [{', '.join(decl.constructors)}]\n"
        f"theorem {name}.listed (a : {decl.name}) : {name}.all[{name}.number a]? = some a := by cases a <;> rfl\n"
        f"instance {name} : DecidableEq {decl.name} := fun a b =>\n"
        f"  if h : {name}.number a = {name}.number b then\n"
        f"    isTrue (Option.some.inj (({name}.listed a).symm.trans (h ▸ {name}.listed b)))\n"
        f"  else isFalse (fun e => h (congrArg {name}.number e))\n"
    )


def _decidable_eq(env: LeanEnv, decl: Inductive, params: list[str], name: str) -> str:
    """Return a function by recursion: equal constructors compare their fields, others differ by their numbers."""
    if not decl.constructors:
        binders = "".join(f" {{{p}}} [DecidableEq {p}]" for p in params)
        return f"instance {name}{binders} : DecidableEq ({' '.join([decl.name, *params])}) := fun a => nomatch a\n"
    return _Equality(env, decl, params, name).text()


class _Equality:
    """Text of `DecidableEq` for a type with constructors. Its variables end with `mark`, as no parameter does."""

    def __init__(self, env: LeanEnv, decl: Inductive, params: list[str], name: str) -> None:
        self._decl = decl
        self._params = params
        self._name = name
        self._fields = [_fields(env, ctor) for ctor in decl.constructors]
        self._mark = "'" * max((len(p) - len(p.rstrip("'")) + 1 for p in params), default=0)

    def text(self) -> str:
        """Return the declarations."""
        name, type_ = self._name, self._decl.name
        of = " ".join([type_, *self._params])
        a, b, e, h = (word + self._mark for word in "abeh")
        types = "".join(f" {{{p}}}" for p in self._params)
        binders = "".join(f" {{{p}}} [DecidableEq {p}]" for p in self._params)
        numbers = " ".join(_function(["_"] * len(own), str(i)) for i, own in enumerate(self._fields))
        minors = "\n    ".join(self._compared(i) for i in range(len(self._fields)))
        return (
            f"def {name}.number{types} ({a} : {of}) : Nat :=\n"
            f"  {type_}.casesOn (motive := fun _ => Nat) {a} {numbers}\n"
            f"theorem {name}.differ{types} {{{a} {b} : {of}}}\n"
            f"    ({h} : ({name}.number {a}).beq ({name}.number {b}) = false) : ¬ {a} = {b} :=\n"
            f"  fun {e} => Nat.ne_of_beq_eq_false {h} (congrArg {name}.number {e})\n"
            f"def {name}.decEq{binders} ({a} : {of}) : ({b} : {of}) → Decidable ({a} = {b}) :=\n"
            f"  {type_}.rec (motive := fun {a} => ({b} : {of}) → Decidable ({a} = {b}))\n    {minors} {a}\n"
            f"instance {name}{binders} : DecidableEq ({of}) := {name}.decEq\n"
        )

    def _names(self, letter: str, number: int) -> list[str]:
        """Return names for the fields of a constructor; those of implicit ones are holes."""
        fields = enumerate(self._fields[number])
        return [f"{letter}{i}{self._mark}" if field.explicit else "_" for i, field in fields]

    def _value(self, letter: str, number: int) -> str:
        names = self._names(letter, number)
        return " ".join([self._decl.constructors[number], *(name for name in names if name != "_")])

    def _compared(self, own: int) -> str:
        """Return the function for constructor number `own`: it compares its value with any other value."""
        b, left = f"b{self._mark}", self._value("a", own)
        cases = []
        for i, _ in enumerate(self._fields):
            given = f"(a{self._mark} := {left}) (b{self._mark} := {self._value('b', i)})"
            differ = f"isFalse ({self._name}.differ {given} rfl)"
            cases.append(_function(self._names("b", i), self._by_fields(own) if i == own else differ))
        motive = f"fun {b} => Decidable ({left} = {b})"
        value = f"{self._decl.name}.casesOn (motive := {motive}) {b} {' '.join(cases)}"
        hypotheses = [f"ih{i}{self._mark}" for i, field in enumerate(self._fields[own]) if field.recursive]
        return _function([*self._names("a", own), *hypotheses, b], value)

    def _by_fields(self, number: int) -> str:
        """Return the comparison of two values of one constructor, field by field from the left."""
        fields, mark = self._fields[number], self._mark
        compared = [i for i, field in enumerate(fields) if field.explicit and not field.is_proof]
        h = f"h{mark}"
        body = f"isTrue (by {''.join(f'cases h{i}{mark}; ' for i in compared)}rfl)"
        for i in reversed(compared):
            given = (
                f"ih{i}{mark} b{i}{mark}" if fields[i].recursive else f"_root_.decEq a{i}{mark} b{i}{mark}"
            )
            refuted = f"isFalse (fun {h} => by cases {h}; exact h{i}{mark} rfl)"
            body = f"(match {given} with | isTrue h{i}{mark} => {body} | isFalse h{i}{mark} => {refuted})"
        return body


def _function(names: Sequence[str], body: str) -> str:
    return f"(fun {' '.join(names)} => {body})" if names else f"({body})"
