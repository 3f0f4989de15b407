"""Patterns of `match`: the names that they bind, and their trees of constructors.

Source: Lean 4 `src/Lean/Elab/PatternVar.lean`, `Match.lean`, `src/Lean/Meta/Match/Basic.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.elab.display import show
from minilean.elab.macros import expanded_macro
from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact, resolve_global
from minilean.elab.term import Elab, elaborates
from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import Const, Expr, FVar, Lit, get_app, is_app_of, mk_app, mk_apps, mk_const, mk_lit
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.metavars import Meta
from minilean.meta.numerals import literal_to_constructor, mk_nat_add, nat_literal, nat_offset
from minilean.meta.whnf import whnf, whnf_core
from minilean.syntax import ast
from minilean.syntax.text_literals import text_value


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pattern. `kind` is `var` (binds `var`), `ctor` (with `fields`), `lit` (equals `value`) or `any` (accepts all)."""

    kind: str
    var: FVar | None = None
    ctor: str = ""
    value: int | str = 0
    fields: tuple[Pattern, ...] = ()


ANY = Pattern("any")
# constants that core marks `@[match_pattern]`
_MATCH_PATTERNS = frozenset(
    ["rfl", "HEq.rfl", "Unit.unit", "Nat.add", "Add.add", "HAdd.hAdd", "Neg.neg", "OfNat.ofNat", "Char.ofNat"]
)


def pattern_names(el: Elab, stx: ast.Term, found: list[str]) -> None:
    """Add the variables that a pattern binds to `found`, in order.

    Raises:
        MetaError: The syntax is not a pattern, or a variable occurs twice.
    """
    if isinstance(stx, ast.Ident):
        if "." in stx.name or _is_constructor(el, stx.name):
            resolved = resolve_global(el.m.env, el.scope, stx.name)
            if resolved is None or resolved[1]:
                reason = f"Variable name must be atomic, but `{stx.name}` has multiple components"
                raise unknown(el.m.env, el.scope, stx.name, f"Invalid pattern variable: {reason}")
            _check_pattern_head(el, stx.name)
            return
        if stx.name in found:
            raise MetaError(f"Invalid pattern(s): Variable `{stx.name}` occurred more than once")
        found.append(stx.name)
    elif isinstance(stx, ast.NamedPattern):
        pattern_names(el, stx.pattern, found)
    elif isinstance(stx, ast.App):
        head = stx.fn.term if isinstance(stx.fn, ast.Explicit) else stx.fn
        if isinstance(head, ast.Ident):
            _check_pattern_head(el, head.name)
        for arg in stx.args:
            pattern_names(el, arg.value if isinstance(arg, ast.NamedArg) else arg, found)
    elif isinstance(stx, ast.BinOp):
        pattern_names(el, stx.left, found)
        pattern_names(el, stx.right, found)
    elif isinstance(stx, ast.AnonCtor):
        for item in stx.args:
            pattern_names(el, item, found)
    elif isinstance(stx, ast.TupleStx | ast.ListLit):
        for item in stx.items:
            pattern_names(el, item, found)
    elif isinstance(stx, ast.Paren | ast.Ascription):
        pattern_names(el, stx.term, found)
    elif isinstance(stx, ast.UnOp):
        pattern_names(el, stx.arg, found)
    elif isinstance(stx, ast.StructInst):
        for _, value in stx.fields:
            pattern_names(el, value, found)
    elif isinstance(stx, ast.NotationTerm):
        for item in stx.args:
            pattern_names(el, item, found)
    elif isinstance(stx, ast.MacroTerm):
        with el.m.nested("elab"):
            pattern_names(el, expanded_macro(el, stx), found)
    elif isinstance(stx, ast.Choice):
        _choice_names(el, stx, found)
    elif not isinstance(
        stx, ast.Hole | ast.Num | ast.Str | ast.Char | ast.DotIdent | ast.Explicit | ast.Inaccessible
    ):
        raise MetaError("Invalid pattern")


def _choice_names(el: Elab, stx: ast.Choice, found: list[str]) -> None:
    """Add the variables of text with several parses, by the first parse that is a pattern."""
    errors = []
    for reading in stx.alternatives:
        names = list(found)
        try:
            pattern_names(el, reading, names)
        except MetaError as error:
            errors.append(error)
            continue
        found[:] = names
        return
    raise errors[0]


def _is_constructor(el: Elab, name: str) -> bool:
    full = resolve_exact(el.m.env, el.scope, name)
    return full is not None and (isinstance(el.m.env.find(full), Constructor) or full in ("Unit.unit", "rfl"))


def _check_pattern_head(el: Elab, name: str) -> None:
    """Refuse a head of a pattern that is neither a constructor nor marked `@[match_pattern]`."""
    found = resolve_global(el.m.env, el.scope, name)
    full = None if found is None else found[0]
    if full in el.m.env.match_patterns or full in _MATCH_PATTERNS:
        return
    if full is None or not isinstance(el.m.env.find(full), Constructor):
        reason = "Invalid pattern: Expected a constructor or constant marked with `[match_pattern]`"
        raise unknown(el.m.env, el.scope, name, reason)


def digest(m: Meta, e: Expr, variables: set[FVar], seen: set[FVar]) -> Pattern:
    """Return the tree of constructors of a pattern term; later occurrences of a variable accept anything."""
    e = m.instantiate_mvars(e)
    if type(e) is FVar:
        if e in variables and e not in seen:
            seen.add(e)
            return Pattern("var", var=e)
        return ANY
    literal = literal_value(m, e)
    if literal is not None:
        return Pattern("lit", value=literal)
    offset = nat_offset(m, e)
    if offset is not None:
        base, count = offset
        out = digest(m, base, variables, seen)
        for _ in range(count):
            out = Pattern("ctor", ctor="Nat.succ", fields=(out,))
        return out
    if type(e) is Lit:
        return Pattern("lit", value=e.value)
    element = _fin_value(m, e)
    if element is not None:
        return Pattern("ctor", ctor="Fin.mk", fields=(Pattern("lit", value=element), ANY))
    fn, args = get_app(e)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Constructor):
        reduced = literal_to_constructor(whnf(m, e))
        if type(reduced) is FVar and reduced in variables:
            return digest(m, reduced, variables, seen)
        fn, args = get_app(reduced)
        decl = m.env.find(fn.name) if type(fn) is Const else None
    if isinstance(decl, Constructor):
        fields = tuple(digest(m, a, variables, seen) for a in args[decl.num_params :])
        return Pattern("ctor", ctor=decl.name, fields=fields)
    if any(x in variables for x in subterms(e) if type(x) is FVar):
        return ANY
    raise UnsupportedError("a pattern that is not a constructor, number or variable")


def _fin_value(m: Meta, e: Expr) -> int | None:
    """Return the value of a numeral in `Fin n`, where `n` is a number; `None` for other terms.

    Source: Lean 4 `src/Lean/Meta/LitValues.lean` (`getFinValue?`) (4.34).
    """
    fn, args = get_app(e)
    if not (type(fn) is Const and fn.name == "OfNat.ofNat" and len(args) == 3):
        return None
    instance = get_app(m.instantiate_mvars(args[2]))[0]
    type_ = whnf(m, args[0])
    if not (is_app_of(type_, "Fin", 1) and type(instance) is Const and instance.name == "Fin.instOfNat"):
        return None
    size = nat_literal(m, whnf(m, get_app(type_)[1][0]))
    value = nat_literal(m, m.instantiate_mvars(args[1]))
    return value % size if size and value is not None else None


def literal_value(m: Meta, e: Expr) -> int | str | None:
    """Return the value of a numeral, a character or a string literal, `None` for other terms."""
    number = nat_literal(m, e)
    return text_value(e) if number is None else number


def unary(pattern: Pattern) -> Pattern:
    """Return the pattern of a natural number as a pattern of its constructor; other patterns stay."""
    if pattern.kind != "lit" or not isinstance(pattern.value, int):
        return pattern
    if pattern.value == 0:
        return Pattern("ctor", ctor="Nat.zero")
    return Pattern("ctor", ctor="Nat.succ", fields=(Pattern("lit", value=pattern.value - 1),))


def constructor_form(m: Meta, e: Expr, unfolded: bool = False) -> Expr:
    """Return a pattern in constructor form, as in the matcher's type: `n + 2` is `n.succ.succ`, at any depth.

    Args:
        m: The state of the term.
        e: The pattern.
        unfolded: Whether `e` comes from unfolding a constant such as `+`; then it is evaluated in any case.
    """
    if literal_value(m, e) is not None or _fin_value(m, e) is not None:
        return e
    offset = nat_offset(m, e)
    if offset is not None:
        out, count = constructor_form(m, offset[0], unfolded), offset[1]
        for _ in range(count):
            out = mk_app(mk_const("Nat.succ"), out)
        return out
    fn, args = get_app(e)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if type(fn) is Const and not isinstance(decl, Constructor):
        known = unfolded or fn.name in _MATCH_PATTERNS or fn.name in m.env.match_patterns
        reduced = whnf(m, e) if known else e
        head, values = get_app(reduced)
        if type(head) is FVar:
            return reduced
        decl = m.env.find(head.name) if type(head) is Const else None
        if isinstance(decl, Constructor):
            fn, args, unfolded = head, values, True
    if not isinstance(decl, Constructor):
        return e
    fields = [constructor_form(m, a, unfolded) for a in args[decl.num_params :]]
    return mk_apps(fn, [*args[: decl.num_params], *fields])


def matching(m: Meta, pattern: Pattern, value: Expr, found: dict[FVar, Expr], stuck: list[FVar]) -> bool:
    """Match a value against a pattern.

    Args:
        m: The state of the value.
        pattern: The pattern.
        value: The value.
        found: Gets the values of the pattern's variables.
        stuck: Gets the variables of the value that must be split first, in order.

    Returns:
        False if constructors or numbers differ; True if the pattern matches or may match.
    """
    if pattern.kind == "any":
        return True
    if pattern.kind == "var":
        assert pattern.var is not None
        found[pattern.var] = value
        return True
    view = constructor_view(m, value)
    if type(view) is FVar:
        if pattern.kind == "lit" and is_excluded(m, view, pattern.value):
            return False
        stuck.append(view)
        return True
    number = literal_value(m, view)
    fn, args = get_app(view)
    if pattern.kind == "lit":
        if number is not None:
            return number == pattern.value
        if type(fn) is Const and fn.name == "Nat.succ" and isinstance(pattern.value, int):
            if pattern.value == 0:
                return False
            return matching(m, Pattern("lit", value=pattern.value - 1), args[0], found, stuck)
        raise UnsupportedError("this pattern of literals")
    if isinstance(number, int):
        view = literal_to_constructor(mk_lit(number))
        fn, args = get_app(view)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Constructor):
        raise MetaError("dependent elimination failed: a value is neither a variable nor a constructor")
    if decl.name != pattern.ctor:
        return False
    fields = args[decl.num_params :]
    # all fields are compared: a later one may differ although an earlier one is stuck
    return all([matching(m, p, v, found, stuck) for p, v in zip(pattern.fields, fields, strict=True)])


def is_excluded(m: Meta, x: FVar, number: int | str) -> bool:
    """Return whether the local context has a hypothesis `¬x = number`, for any literal."""
    for decl in m.lctx:
        fn, args = get_app(decl.type)
        if type(fn) is Const and fn.name == "Not" and len(args) == 1:
            eq, sides = get_app(args[0])
            if (
                type(eq) is Const
                and eq.name == "Eq"
                and sides[1] is x
                and literal_value(m, sides[2]) == number
            ):
                return True
    return False


def constructor_view(m: Meta, e: Expr) -> Expr:
    """Reduce `e` to a constructor application, a literal or a variable, if possible."""
    e = m.instantiate_mvars(e)
    if literal_value(m, e) is not None:
        return e
    offset = nat_offset(m, e)
    if offset is not None:
        return mk_app(mk_const("Nat.succ"), mk_nat_add(offset[0], offset[1] - 1))
    if type(e) is FVar:
        return e
    fn, _ = get_app(e)
    if type(fn) is Const and isinstance(m.env.find(fn.name), Constructor):
        return e
    core = whnf_core(m, e)
    return core if type(core) is FVar else whnf(m, e)


def example_text(m: Meta, e: Expr) -> str:
    """Return the text of a missing case: constructors by name with all their fields, `(Nat.succ _)`.

    Source: Lean 4 `Example.toMessageData` in `src/Lean/Meta/Match/Basic.lean` (4.34).
    """
    e = literal_to_constructor(constructor_form(m, e))
    fn, args = get_app(e)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if nat_literal(m, e) == 0:
        return "Nat.zero"
    if isinstance(decl, Constructor):
        if decl.name == "List.nil":
            return "[]"
        name = show(m, mk_const(decl.name, fn.levels)).lstrip("@")  # type: ignore[attr-defined]
        fields = [example_text(m, arg) for arg in args[decl.num_params :]]
        return f"({' '.join([name, *fields])})" if fields else name
    return "_" if type(e) is FVar else show(m, e)


@elaborates(ast.Quoted)
def elab_quoted(el: Elab, stx: ast.Quoted, expected: Expr | None) -> Expr:
    """An elaborated term in the place of syntax."""
    value = stx.value
    assert isinstance(value, Expr)
    return value


@elaborates(ast.Inaccessible)
def elab_inaccessible(el: Elab, stx: ast.Inaccessible, expected: Expr | None) -> Expr:
    """`.(e)`."""
    return el.elab(stx.term, expected)


@elaborates(ast.NamedPattern)
def elab_named_pattern(el: Elab, stx: ast.NamedPattern, expected: Expr | None) -> Expr:
    """`x@p`: the value of `p`, recorded as the value of `x` on the right side."""
    if el.named_patterns is None:
        raise MetaError(
            "`<identifier>@<term>` is a named pattern and can only be used in pattern matching contexts"
        )
    if stx.name in el.named_patterns:
        raise MetaError(f"Invalid pattern(s): Variable `{stx.name}` occurred more than once")
    value = el.elab_ensuring(stx.pattern, expected) if expected is not None else el.elab(stx.pattern)
    el.named_patterns[stx.name] = value
    return value
