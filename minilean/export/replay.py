"""Declarations of an export file into minilean's kernel: checked one by one, or taken as given.

`replay` believes nothing that a file says: types, values and proofs are checked as those of minilean's own sources
are, and what the kernel derives itself (constructors, recursors, their rules, quotients) must be what the file has.
"""

from __future__ import annotations

from collections.abc import Iterable

from minilean.export.reader import Constant, Exported, Group, Rule
from minilean.kernel.declaration import (
    ABBREV_HEIGHT,
    OPAQUE_HEIGHT,
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    InductiveType,
    QuotDecl,
    Recursor,
    RecursorRule,
    TheoremDecl,
)
from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import Const, Expr, Lit, Pi, Proj, get_app_fn
from minilean.kernel.fuel import DEFAULT_FUEL, FuelConfig
from minilean.kernel.instantiate import instantiate_level_params
from minilean.kernel.level import mk_param
from minilean.kernel.traversal import alpha_eq, subterms


class ReplayError(Exception):
    """A declaration that is refused: its name and the reason."""


def used_constants(constant: Constant, with_value: bool = True) -> set[str]:
    """Return the names that a constant mentions.

    Args:
        constant: A constant of a file.
        with_value: Whether its value, proof and rules count.
    """
    terms = [constant.type]
    if with_value:
        terms += [rule.rhs for rule in constant.rules]
        if constant.value is not None:
            terms.append(constant.value)
    return constants_of(terms)


def constants_of(terms: Iterable[Expr]) -> set[str]:
    """Return the names of the constants, structures and types of literals in some terms."""
    names: set[str] = set()
    for term in terms:
        for node in subterms(term):
            if type(node) is Const:
                names.add(node.name)
            elif type(node) is Proj:
                names.add(node.struct)
            elif type(node) is Lit:
                names.add("Nat" if type(node.value) is int else "String")
    return names


def same_constant(a: Constant, b: Constant) -> bool:
    """Return whether two constants are the same, up to the names of binders and universes.

    Proofs of theorems are not compared, nor the heights that only steer unfolding.
    """
    if (a.kind, a.name, a.facts) != (b.kind, b.name, b.facts) or not same_type(a, b):
        return False
    if len(a.rules) != len(b.rules):
        return False
    if a.kind != "thm" and not _same_value(a, b):
        return False
    return all(
        (x.constructor, x.num_fields) == (y.constructor, y.num_fields)
        and alpha_eq(x.rhs, _renamed(y.rhs, b, a))
        for x, y in zip(a.rules, b.rules, strict=True)
    )


def _same_value(a: Constant, b: Constant) -> bool:
    if a.value is None or b.value is None:
        return a.value is b.value
    return alpha_eq(a.value, _renamed(b.value, b, a))


def same_type(a: Constant, b: Constant) -> bool:
    """Return whether two constants have the same type, up to the names of binders and universes."""
    return len(a.level_params) == len(b.level_params) and alpha_eq(a.type, _renamed(b.type, b, a))


def _renamed(e: Expr, of: Constant, like: Constant) -> Expr:
    return instantiate_level_params(e, of.level_params, [mk_param(name) for name in like.level_params])


def replay(env: Environment, group: Group, fuel: FuelConfig = DEFAULT_FUEL) -> None:
    """Have the kernel check the constants of one row and add them.

    Args:
        env: Gets them.
        group: From `read_export`; what it mentions is in `env` already.
        fuel: Bounds of the check of each declaration.

    Raises:
        ReplayError: The kernel refuses, or derives other constants than the file has.
    """
    first = group[0]
    try:
        _add(env, group, first, fuel)
    except KernelError as error:
        raise ReplayError(f"'{first.name}': (kernel) {type(error).__name__}: {error}") from None


def _add(env: Environment, group: Group, c: Constant, fuel: FuelConfig) -> None:
    if c.kind == "axiom":
        env.add_axiom(c.name, c.level_params, c.type, fuel=fuel)
    elif c.kind == "thm":
        assert c.value is not None, "the reader reads a proof for each theorem"
        env.add_theorem(c.name, c.level_params, c.type, c.value, fuel=fuel)
    elif c.kind in ("def", "opaque"):
        assert c.value is not None, "the reader reads a value for each definition"
        opaque = c.kind == "opaque"
        env.add_definition(
            c.name, c.level_params, c.type, c.value, abbrev=c.hint < 0, opaque=opaque, fuel=fuel
        )
    elif c.kind == "quot":
        if "Quot" not in env:
            env.add_quot()
        _check_derived(env, group)
    else:
        _add_inductive(env, group, fuel)


def _add_inductive(env: Environment, group: Group, fuel: FuelConfig) -> None:
    types = [c for c in group if c.kind == "type"]
    first = types[0]
    for other in types[1:]:
        if (other.level_params, other.fact("numParams")) != (first.level_params, first.fact("numParams")):
            raise ReplayError(f"'{other.name}': its universes or parameters are not those of '{first.name}'")
    made = [
        InductiveType(
            type_.name,
            type_.type,
            tuple((c.name, c.type) for c in group if c.kind == "ctor" and c.fact("induct") == type_.name),
        )
        for type_ in types
    ]
    env.add_inductives(first.level_params, first.fact("numParams"), made, fuel=fuel)
    _check_derived(env, group)


def _check_derived(env: Environment, group: Group) -> None:
    """Compare what the kernel derived with what the file has."""
    for constant in group:
        derived = env.find(constant.name)
        if derived is None or not same_constant(_as_constant(derived, constant), constant):
            raise ReplayError(f"'{constant.name}': the kernel derives another one than the file has")
    own = group[0]
    if own.kind == "type":
        expected = set()
        for type_ in (c for c in group if c.kind == "type"):
            derived = env.get(type_.name)
            assert isinstance(derived, Inductive), "compared above"
            expected |= {type_.name, *derived.constructors, *derived.recursors}
        found = {constant.name for constant in group}
        if found != expected:
            raise ReplayError(
                f"'{own.name}': the file has {sorted(found)}, the kernel derives {sorted(expected)}"
            )


def _as_constant(d: Declaration, like: Constant) -> Constant:
    """Return a derived declaration as the file would have it; facts that the kernel does not keep are taken over."""
    kind, facts = "quot", dict(like.facts)
    rules: tuple[Rule, ...] = ()
    if isinstance(d, Inductive):
        kind = "type"
        facts |= {
            "numParams": d.num_params, "numIndices": d.num_indices, "numNested": d.num_nested, "all": d.all,
            "ctors": d.constructors, "isRec": d.is_recursive,
        }  # fmt: skip
    elif isinstance(d, Constructor):
        kind = "ctor"
        facts |= {
            "cidx": d.index, "numParams": d.num_params, "numFields": d.num_fields, "induct": d.inductive,
        }  # fmt: skip
    elif isinstance(d, Recursor):
        kind = "rec"
        facts |= {
            "numParams": d.num_params, "numIndices": d.num_indices, "numMotives": d.num_motives,
            "numMinors": d.num_minors, "all": d.all, "k": d.k,
        }  # fmt: skip
        rules = tuple(Rule(rule.constructor, rule.num_fields, rule.rhs) for rule in d.rules)
    elif isinstance(d, QuotDecl):
        facts["kind"] = {"Quot": "type", "Quot.mk": "ctor", "Quot.lift": "lift", "Quot.ind": "ind"}[d.name]
    else:
        kind = type(d).__name__
    return Constant(kind, d.name, d.level_params, d.type, None, tuple(facts.items()), rules)


# --- taken as given ---------------------------------------------------------------------------------------------


def take_as_given(env: Environment, exported: Exported) -> None:
    """Add the constants of a trusted file without checking them.

    Raises:
        ReplayError: A name is declared already.
    """
    for group in exported.groups:
        for constant in group:
            try:
                env.load_trusted(_trusted(env, constant, group))
            except KernelError as error:
                raise ReplayError(f"'{constant.name}': {error}") from None


def _trusted(env: Environment, c: Constant, group: Group) -> Declaration:
    head = (c.name, c.level_params, c.type)
    if c.kind == "axiom":
        return Axiom(*head)
    if c.kind == "quot":
        return QuotDecl(*head)
    if c.kind == "ctor":
        return Constructor(*head, c.fact("induct"), c.fact("cidx"), c.fact("numParams"), c.fact("numFields"))
    if c.kind == "type":
        indices, ctors = c.fact("numIndices"), c.fact("ctors")
        return Inductive(
            *head, c.fact("numParams"), indices, ctors, c.fact("isRec"), _eliminates_large(c, group),
            c.fact("all"), c.fact("numNested"),
        )  # fmt: skip
    if c.kind == "rec":
        return _trusted_recursor(c)
    assert c.value is not None, "the reader reads a value for each definition"
    if c.kind == "thm":
        axioms = {*env.axioms_of(c.type), *env.axioms_of(c.value)}
        return TheoremDecl(*head, c.value, tuple(sorted(axioms)))
    height = OPAQUE_HEIGHT if c.kind == "opaque" else ABBREV_HEIGHT if c.hint < 0 else c.hint
    return Definition(*head, c.value, height)


def _trusted_recursor(c: Constant) -> Declaration:
    rules = tuple(RecursorRule(rule.constructor, rule.num_fields, rule.rhs) for rule in c.rules)
    params, indices, motives, minors = (
        c.fact(key) for key in ("numParams", "numIndices", "numMotives", "numMinors")
    )
    major = c.type
    for _ in range(params + motives + minors + indices):
        if not isinstance(major, Pi):
            raise ReplayError(f"'{c.name}': its type has fewer arguments than its numbers say")
        major = major.body
    head = get_app_fn(major.type) if isinstance(major, Pi) else None
    if not isinstance(head, Const):
        raise ReplayError(f"'{c.name}': the type of its major premise is not an inductive type")
    return Recursor(
        c.name, c.level_params, c.type, head.name, c.fact("all"), params, indices, motives, minors, rules,
        c.fact("k"),
    )  # fmt: skip


def _eliminates_large(c: Constant, group: Group) -> bool:
    # such a recursor has a universe of its own
    return any(other.kind == "rec" and len(other.level_params) > len(c.level_params) for other in group)
