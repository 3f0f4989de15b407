"""Macros of the user, by `macro` or by `syntax` and `macro_rules`: rules, and the expansions of terms.

Of one `macro_rules` command the first rule that fits a term is taken; later commands come first. Patterns are compared
with the syntax as it is written.

Source: Lean 4 `src/Lean/Elab/MacroRules.lean`, `Quotation.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from minilean.elab.hygiene import LIST, MARK, OWN, Hygiene, filled, require_apart
from minilean.elab.names import Scope
from minilean.elab.term import Elab, elaborates
from minilean.elab.user_notation import require_unshadowed
from minilean.kernel.expr import Expr
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import LeanEnv
from minilean.syntax import ast

Args = tuple[Any, ...]
_LITERALS: Final[Mapping[str, type]] = {"ident": ast.Ident, "num": ast.Num, "str": ast.Str}


@dataclass(frozen=True, slots=True)
class Rule:
    """An expansion: the arguments have to fit `pattern`; `template` is a term, or a block of tactics.

    Attributes:
        pattern: The arguments, with `$x`, `$x:kind` and `$xs,*` for what the template mentions.
        template: What the syntax stands for, with the same places.
        variables: The section's variables that occur in the template.
        bound: The names that terms of the template bind.
        own: The hypotheses that tactics of the template name.
    """

    pattern: Args
    template: Any
    variables: tuple[str, ...]
    bound: frozenset[str]
    own: tuple[str, ...]


def rule(env: LeanEnv, scope: Scope, pattern: Args, template: ast.Term | ast.TacSeq, local: bool) -> Rule:
    """Return the rule of a pattern and a template as they are written.

    Raises:
        MetaError: The pattern or the template is not supported, or a name is unknown.
    """
    params: dict[str, str] = {}
    for name, kind in _places(pattern):
        if name in params:
            raise UnsupportedError(f"a pattern with `{name}` twice")
        params[name] = kind
    if not pattern and isinstance(template, ast.TacSeq):
        # a block without arguments runs with the hypotheses around it renamed
        return Rule((), template, (), frozenset(), ())
    hygiene = Hygiene(env, scope, params, local, macro=True)
    body = hygiene.template(template)
    return Rule(
        pattern, body, tuple(hygiene.variables), frozenset(hygiene.marked), tuple(sorted(hygiene.own))
    )


def own_pattern(syntax: ast.SyntaxCmd) -> Args:
    """Return the pattern of the only rule of a `macro` command."""
    found: list[Any] = []
    for item in syntax.items:
        if item.name is None:
            continue
        if item.kind == "tactic":
            found.append(ast.TacticPlace(f"${item.name}"))
        elif item.kind.startswith("term,"):
            found.append((ast.Ident(f"${item.name},*"),))
        else:
            found.append(ast.Ident(f"${item.name}:{item.kind}"))
    return tuple(found)


def _places(pattern: Any) -> Iterator[tuple[str, str]]:
    """Yield the places of a pattern with their kinds."""
    if isinstance(pattern, tuple):
        for at, item in enumerate(pattern):
            if isinstance(item, ast.Ident) and item.name.endswith(",*") and at < len(pattern) - 1:
                raise UnsupportedError(f"a pattern with more after `{item.name}`")
            yield from _places(item)
    elif isinstance(pattern, ast.TacticPlace):
        name, _, kind = pattern.name.partition(":")
        if kind not in ("", "tactic"):
            raise UnsupportedError(f"`{pattern.name}` in the place of a tactic")
        yield name, "tactic"
    elif isinstance(pattern, ast.Ident):
        name, _, kind = pattern.name.partition(":")
        if kind == "tactic":
            raise UnsupportedError(f"`{pattern.name}` in the place of a term")
        if name.startswith("$"):
            yield name, LIST if name.endswith(",*") else kind or "term"
    elif isinstance(pattern, ast.MacroTerm | ast.MacroUse):
        yield from _places(pattern.args)
    elif isinstance(pattern, ast.Paren):
        yield from _places(pattern.term)
    elif isinstance(pattern, ast.BinOp):
        yield from _places((pattern.left, pattern.right))
    elif isinstance(pattern, ast.App) and not pattern.ellipsis:
        yield from _places((pattern.fn, *pattern.args))
    elif not isinstance(pattern, ast.Num | ast.Str):
        raise UnsupportedError(f"a pattern of a macro with {type(pattern).__name__} syntax")


def _fits(pattern: Any, value: Any, found: dict[str, Any]) -> bool:
    """Return whether syntax fits a pattern; `found` gets what the places stand for."""
    if isinstance(pattern, tuple):
        if not isinstance(value, tuple):
            return False
        last = pattern[-1] if pattern else None
        if isinstance(last, ast.Ident) and last.name.endswith(",*"):
            pattern, rest = pattern[:-1], value[len(pattern) - 1 :]
            found[last.name], value = rest, value[: len(pattern)]
        return len(pattern) == len(value) and all(
            _fits(part, item, found) for part, item in zip(pattern, value, strict=True)
        )
    if isinstance(pattern, ast.TacticPlace):
        found[pattern.name.partition(":")[0]] = value
        return True
    if isinstance(pattern, ast.Ident) and pattern.name.startswith("$"):
        name, _, kind = pattern.name.partition(":")
        found[name] = value
        return isinstance(value, _LITERALS.get(kind, ast.Term))
    if type(pattern) is not type(value):
        return False
    if isinstance(pattern, ast.MacroTerm | ast.MacroUse):
        return bool(pattern.key == value.key) and _fits(pattern.args, value.args, found)
    if isinstance(pattern, ast.Paren):
        return _fits(pattern.term, value.term, found)
    if isinstance(pattern, ast.BinOp):
        return bool(pattern.op == value.op) and _fits(
            (pattern.left, pattern.right), (value.left, value.right), found
        )
    if isinstance(pattern, ast.App):
        return not value.ellipsis and _fits((pattern.fn, *pattern.args), (value.fn, *value.args), found)
    if isinstance(pattern, ast.Ident):
        return bool(pattern.name == value.name)
    return bool(pattern.value == value.value)


def expansions(scope: Scope, stx: ast.MacroTerm | ast.MacroUse) -> Iterator[tuple[Rule, dict[str, Any]]]:
    """Yield the first fitting rule of each command, the latest first, with what its places stand for."""
    for group in scope.macros.get(stx.key, ()):
        for each in group:
            found: dict[str, Any] = {}
            if _fits(each.pattern, stx.args, found):
                yield each, found
                break


def filled_in(each: Rule, found: Mapping[str, Any], number: int) -> Any:
    """Return the template of a rule for arguments; `number` tells its hypotheses from those of other uses."""
    require_apart(each.bound, found.values())
    own = {OWN + name: ast.Ident(f"{name}{MARK}{number}{MARK}") for name in each.own}
    return filled(each.template, {**found, **own})


def expanded_macro(el: Elab, stx: ast.MacroTerm) -> ast.Term:
    """Return the term that a use of the user's syntax expands to.

    Raises:
        MetaError: No rule fits.
    """
    for each, found in expansions(el.scope, stx):
        require_unshadowed(el, each.variables)
        body = filled_in(each, found, 0)
        assert isinstance(body, ast.Term)
        return replace(body, start=stx.start, end=stx.end)
    word = stx.key.rpartition(" ")[0]
    raise MetaError(f"no rule of `macro_rules` fits this use of the syntax `{word}`")


@elaborates(ast.MacroTerm)
def elab_macro(el: Elab, stx: ast.MacroTerm, expected: Expr | None) -> Expr:
    """A use of the user's syntax."""
    return el.elab(expanded_macro(el, stx), expected)
