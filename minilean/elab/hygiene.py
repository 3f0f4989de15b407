"""Hygiene of notations and macros: names of their own in right sides, and substitution of arguments.

Names of constants are made absolute and bound names are marked with a dagger, which source text cannot write. So a
notation cannot capture the variables of its arguments, and variables around its use cannot capture its names.
A hypothesis that the tactics of a template name gets a new name at each use.

Source: Lean 4 hygiene of `src/Lean/Elab/Quotation.lean`, `src/Lean/Hygiene.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from minilean.elab.names import Scope, resolve_global
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import LeanEnv
from minilean.syntax import ast

MARK = "✝"
LIST = "list"
"""The kind of a parameter `$xs,*`; the others are those of `NotationItem.kind`."""
OWN = "$" + MARK
"""Beginning of the parameters that stand for the hypotheses that a template names."""

# tactics that neither name hypotheses nor bind names
_PLAIN_TACTICS = (ast.AndThen, ast.Block, ast.First, ast.Omega, ast.Seq1, ast.Simple, ast.TermTactic)
# tactics of templates, and their parts: the fields with names of hypotheses
_LABELS: Mapping[type, tuple[str, ...]] = {
    ast.ByCases: ("name",),
    ast.Cases: ("targets", "generalizing"),
    ast.Generalize: ("args",),
    ast.HaveTac: ("name",),
    ast.Injection: ("names",),
    ast.Location: ("hyps",),
    ast.NamesTactic: ("names",),
    ast.RCases: ("eq_name",),
    ast.RPat: ("name",),
    ast.Rename: ("name",),
}
_BINDING: Mapping[type, tuple[str, ...]] = {
    ast.Binder: ("names",),
    ast.HaveTerm: ("name",),
    ast.LetTerm: ("name",),
    # texts
    ast.Fail: ("message",),
    ast.Str: ("value",),
}
_TACTICS = (
    *_PLAIN_TACTICS, ast.Bullet, ast.ByCases, ast.Cases, ast.Ext, ast.Generalize, ast.HaveTac, ast.Injection,
    ast.Intro, ast.MacroUse, ast.NamesTactic, ast.NumTactic, ast.RCases, ast.RIntro, ast.Rename, ast.Rw,
    ast.Simp, ast.Split, ast.TacticPlace, ast.TermsTactic,
)  # fmt: skip
_NO_NAMES = frozenset({"", "_", "-", "rfl"})
_OF_CONSTANTS = frozenset({"delta", "unfold"})


class Hygiene:
    """Makes the constants of a right side absolute and marks the names that it binds.

    Readings of ambiguous text share their parts, so each part is gone through once for what is bound around it.

    Attributes:
        variables: The section's variables that occur.
        marked: The marked names.
        own: The names of the hypotheses that the tactics of a macro name.
        naming: Whether tactics may name hypotheses.
    """

    def __init__(
        self, env: LeanEnv, scope: Scope, params: Mapping[str, str], local: bool, macro: bool = False
    ) -> None:
        """Prepare for one right side.

        Args:
            env: The environment with the constants.
            scope: The scope in which the notation is declared.
            params: The kinds of its arguments by name.
            local: Whether it ends with the section, so that variables of the section may be mentioned.
            macro: Whether it is the template of a macro.
        """
        self.env = env
        self.scope = scope
        self.params = params
        self.section = frozenset(x for binder in scope.variables for x in binder.names)
        self.known = self.section if local else frozenset()
        self.macro = macro
        self.open = scope.option("hygiene", "true") == "false"
        self.variables: dict[str, None] = {}
        self.marked: dict[str, None] = {}
        self.own: frozenset[str] = frozenset()
        self.naming = False
        self.done: dict[tuple[int, frozenset[str]], Any] = {}

    def template(self, node: ast.Term | ast.TacSeq) -> Any:
        """Return the template of a macro with hygienic names."""
        self.naming = isinstance(node, ast.TacSeq)
        if self.naming and not self.open:
            self.own = frozenset(_hypotheses(node)) - _NO_NAMES
            for name in sorted(self.own):
                if resolve_global(self.env, self.scope, name) is not None:
                    raise UnsupportedError(f"a macro that names a hypothesis like the constant `{name}`")
        return self.visit(node, frozenset())

    def visit(self, node: Any, bound: frozenset[str]) -> Any:
        """Return `node` with hygienic names; `bound` are the names that the right side binds around it.

        Raises:
            MetaError: A name is unknown, or the syntax is not supported in notations.
        """
        if isinstance(node, tuple):
            return tuple(self.visit(item, bound) for item in node)
        if not is_dataclass(node):
            return node
        key = id(node), bound
        if key not in self.done:
            self.done[key] = self._visit(node, bound)
        return self.done[key]

    def _visit(self, node: Any, bound: frozenset[str]) -> Any:
        if isinstance(node, ast.Ident):
            return self._name(node, bound)
        if isinstance(node, ast.Expansion | ast.Refused):
            return node
        if isinstance(node, ast.Tactic):
            self._check_tactic(node)
        if isinstance(node, ast.TacticPlace):
            return replace(node, name=self._place(node.name, "tactic"))
        if isinstance(node, ast.RwRule | ast.SimpArg):
            _check_rule(node)
        if isinstance(node, ast.Fun | ast.Forall | ast.Exists | ast.DepArrow | ast.HaveTerm | ast.LetTerm):
            names = _bound_names(node)
            if not self.macro and names & self.params.keys():
                raise MetaError("unsupported: a notation whose argument is the name of a binder")
            if names & self.own:
                raise UnsupportedError(
                    f"a macro that binds `{min(names & self.own)}` in a term and in a tactic"
                )
            bound = bound | names
        elif isinstance(node, ast.Match | ast.FunMatch) or (isinstance(node, ast.If) and node.name):
            raise MetaError(f"unsupported: a notation that stands for a `{type(node).__name__.lower()}` term")
        changes: dict[str, Any] = {}
        lists = isinstance(node, ast.ListLit | ast.AnonCtor | ast.MacroTerm | ast.MacroUse)
        for item in fields(node):
            value = getattr(node, item.name)
            if item.name in _LABELS.get(type(node), ()):
                changes[item.name] = self._labelled(node, value, bound)
            elif lists and isinstance(value, tuple):
                changes[item.name] = self._listed(value, bound)
            elif isinstance(value, tuple | ast.Node):
                changes[item.name] = self.visit(value, bound)
            if self.macro and item.name not in _LABELS.get(type(node), _BINDING.get(type(node), ())):
                _check_strings(node, value)
        if isinstance(node, ast.Binder):
            changes["names"] = tuple(self._bound(node, name) for name in node.names)
        if isinstance(node, ast.HaveTerm | ast.LetTerm):
            changes["name"] = self._bound(node, node.name or "this")
        return replace(node, **changes)

    def _check_tactic(self, node: ast.Tactic) -> None:
        if not self.naming and not (isinstance(node, _PLAIN_TACTICS) and _is_plain(node)):
            raise UnsupportedError("a notation that stands for a tactic block which names hypotheses")
        if (
            not isinstance(node, _TACTICS)
            or (isinstance(node, ast.HaveTac) and node.binders)
            or (isinstance(node, ast.Cases) and (node.alts is not None or node.pre is not None))
        ):
            raise UnsupportedError(
                f"a macro with arguments whose template has a {type(node).__name__} tactic"
            )

    def _bound(self, node: ast.Node, name: str) -> str:
        """The marked form of a name that the right side binds."""
        if name == "_" or self.open:
            return name
        if name.startswith("$"):
            if ":" not in name and not isinstance(node, ast.Binder):
                raise UnsupportedError(f"`{name}` in the place of a name; write `{name}:ident`")
            return self._place(name, "ident")
        self.marked[name + MARK] = None
        return name + MARK

    def _labelled(self, node: ast.Node, value: Any, bound: frozenset[str]) -> Any:
        """The names of hypotheses in one field of a tactic."""
        if isinstance(value, tuple):
            return tuple(self._labelled(node, item, bound) for item in value)
        if value is None and isinstance(node, ast.HaveTac) and node.pattern is None and "this" in self.own:
            value = "this"
        if not isinstance(value, str):
            return self.visit(value, bound)
        if isinstance(node, ast.NamesTactic) and node.name in _OF_CONSTANTS:
            return self._name(ast.Ident(value), bound).name
        if value.startswith("$"):
            if isinstance(node, ast.RPat):
                raise UnsupportedError(f"`{value}` in a pattern of `rcases`")
            if ":" not in value and not isinstance(node, ast.Location | ast.NamesTactic):
                raise UnsupportedError(f"`{value}` in the place of a name; write `{value}:ident`")
            return self._place(value, "ident")
        return OWN + value if value in self.own else value

    def _listed(self, items: tuple[Any, ...], bound: frozenset[str]) -> tuple[Any, ...]:
        """The items of a list, where `$xs,*` may stand for several."""
        found: list[Any] = []
        for item in items:
            if isinstance(item, tuple):
                found.append(self._listed(item, bound))
            elif isinstance(item, ast.Ident) and item.name.endswith(",*"):
                found.append(replace(item, name=self._place(item.name, LIST)))
            else:
                found.append(self.visit(item, bound))
        return tuple(found)

    def _place(self, name: str, *kinds: str) -> str:
        """The parameter of `$x` or `$x:kind`, where only these kinds fit."""
        base, _, kind = name.partition(":")
        found = self.params.get(base)
        if found is None:
            raise MetaError(f"Unknown identifier `{base.removeprefix('$').removesuffix(',*')}`")
        if found not in kinds or (kind not in ("", found) and (kind != "term" or "term" not in kinds)):
            raise UnsupportedError(f"`{name}`, which is of the kind `{found}`, in a place of another kind")
        return base

    def _name(self, node: ast.Ident, bound: frozenset[str]) -> ast.Ident:
        if self.macro and node.name.startswith("$"):
            return replace(node, name=self._place(node.name, "term", "ident", "num", "str"))
        head, _, rest = node.name.partition(".")
        tail = f".{rest}" if rest else ""
        if head in bound:
            return node if self.open else replace(node, name=f"{head}{MARK}{tail}")
        if head in self.own:
            return replace(node, name=f"{OWN}{head}{tail}")
        if head in self.params:
            return node
        if head in self.known:
            self.variables[head] = None
            return node
        if self.macro and head in self.section and not self.open:
            raise UnsupportedError(f"a macro that mentions the variable `{head}` and is not `local`")
        found = resolve_global(self.env, self.scope, node.name)
        if found is None and self.open:
            return node  # resolved where the notation is used
        if found is None and self.macro:
            raise UnsupportedError(f"a macro that mentions `{node.name}`, which is not declared before it")
        if found is None and self.scope.option("quotPrecheck", "true") == "false":
            return replace(node, name=node.name + MARK)  # unknown where the notation is used
        if found is None:
            raise MetaError(
                f"Unknown identifier `{node.name}` at quotation precheck\n\n"
                "Note: You can use `set_option quotPrecheck false` to disable this check."
            )
        return replace(node, name=".".join(("_root_", found[0], *found[1])))


def _is_plain(node: ast.Tactic) -> bool:
    """Return whether a tactic of one of the plain kinds works on the goal only."""
    return not (isinstance(node, ast.Simple | ast.TermTactic) and node.location is not None) and not (
        isinstance(node, ast.TermTactic) and node.name == "specialize"
    )


def _check_rule(node: ast.RwRule | ast.SimpArg) -> None:
    """Refuse `$h` as a whole rule, which Lean reads as a place for a rule, not for a term."""
    rule = node.term
    if isinstance(rule, ast.Ident) and rule.name.startswith("$") and ":" not in rule.name and not node.symm:
        raise UnsupportedError(f"`{rule.name}` in the place of a rule; write `{rule.name}:term`")


def _check_strings(node: ast.Node, value: Any) -> None:
    """Refuse `$x` where the syntax has a word, and no place for a name of a variable."""
    if isinstance(value, tuple):
        for item in value:
            _check_strings(node, item)
    elif isinstance(value, str) and value.startswith("$"):
        raise UnsupportedError(f"`{value}` in {type(node).__name__} syntax")


def _bound_names(node: Any) -> frozenset[str]:
    if isinstance(node, ast.DepArrow):
        return frozenset(node.binder.names)
    if isinstance(node, ast.HaveTerm | ast.LetTerm):
        if node.pattern is not None:
            raise MetaError("unsupported: a notation that stands for a pattern")
        return frozenset((node.name or "this", *(name for b in node.binders for name in b.names)))
    if any(binder.pattern is not None for binder in node.binders):
        raise MetaError("unsupported: a notation that stands for a pattern")
    return frozenset(name for binder in node.binders for name in binder.names)


def _hypotheses(node: Any) -> Iterator[str]:
    """Yield the names of hypotheses in the tactics of a template."""
    if isinstance(node, tuple):
        for item in node:
            yield from _hypotheses(item)
    if not is_dataclass(node) or isinstance(node, ast.Expansion):
        return
    constants = isinstance(node, ast.NamesTactic) and node.name in _OF_CONSTANTS
    for label in () if constants else _LABELS.get(type(node), ()):
        yield from _strings(getattr(node, label))
    if isinstance(node, ast.HaveTac) and node.name is None and node.pattern is None:
        yield "this"
    if isinstance(node, ast.Intro):
        yield from _variables(node.patterns)
    if isinstance(node, ast.TermsTactic) and node.name == "funext":
        yield from _variables(node.terms)
    for item in fields(node):
        yield from _hypotheses(getattr(node, item.name))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str) and not value.startswith("$"):
        yield value


def _variables(value: Any) -> Iterator[str]:
    """Yield the names that patterns of `intro` bind."""
    if isinstance(value, tuple):
        for item in value:
            yield from _variables(item)
    elif isinstance(value, ast.AnonCtor):
        yield from _variables(value.args)
    elif isinstance(value, ast.Ascription | ast.Paren):
        yield from _variables(value.term)
    elif isinstance(value, ast.Ident) and not value.name.startswith("$"):
        yield value.name


# --- substitution ---------------------------------------------------------------------------------------------


def require_apart(bound: frozenset[str], args: Iterable[Any]) -> None:
    """Refuse arguments with names of an expansion around that the right side binds as well.

    They come from different expansions, so that Lean tells them apart.
    """
    if not bound:
        return
    seen: set[tuple[int, frozenset[str]]] = set()
    todo: list[tuple[Any, frozenset[str]]] = [(arg, bound) for arg in args]
    while todo:
        node, names = todo.pop()
        if isinstance(node, tuple):
            todo += [(item, names) for item in node]
            continue
        if not is_dataclass(node) or (id(node), names) in seen:
            continue
        seen.add((id(node), names))
        if isinstance(node, ast.Ident) and node.name.partition(".")[0] in names:
            name = node.name.partition(".")[0].removesuffix(MARK)
            raise UnsupportedError(f"expansions inside each other that both bind `{name}`")
        todo += _parts(node, names)


def _parts(node: Any, names: frozenset[str]) -> Iterator[tuple[Any, frozenset[str]]]:
    """Yield the parts of a node, each with those of `names` that the node does not bind there itself."""
    inside = names
    binders: tuple[ast.Binder, ...] = ()
    if isinstance(node, ast.DepArrow):
        binders = (node.binder,)
    elif isinstance(node, ast.Fun | ast.Forall | ast.Exists | ast.HaveTerm | ast.LetTerm):
        binders = node.binders
    for binder in binders:
        yield (binder.type, binder.pattern, binder.default, binder.relation), inside
        inside = inside.difference(binder.names)
    for item in fields(node):
        if item.name in ("binder", "binders") and binders:
            continue
        local = isinstance(node, ast.HaveTerm | ast.LetTerm) and item.name == "body"
        yield getattr(node, item.name), names - {node.name} if local else inside


def filled(node: Any, values: Mapping[str, Any]) -> Any:
    """Substitute arguments for the parameters in `node`."""
    return _filled(node, values, {})


def _filled(node: Any, values: Mapping[str, Any], done: dict[int, Any]) -> Any:
    """Substitute in `node`; `done` holds shared parts that were filled already."""
    if isinstance(node, tuple):
        found: list[Any] = []
        for item in node:
            if isinstance(item, ast.Ident) and item.name.endswith(",*"):
                found += values[item.name]
            else:
                found.append(_filled(item, values, done))
        return tuple(found)
    if isinstance(node, str):
        return _label(values[node]) if node.startswith("$") and node in values else node
    if not is_dataclass(node):
        return node
    if id(node) not in done:
        done[id(node)] = _with_parts_filled(node, values, done)
    return done[id(node)]


def _label(value: ast.Ident) -> str:
    if "." in value.name:
        raise UnsupportedError(f"`{value.name}` as the name of a variable")
    return value.name


def _with_parts_filled(node: Any, values: Mapping[str, Any], done: dict[int, Any]) -> Any:
    if isinstance(node, ast.TacticPlace):
        return values[node.name]
    if isinstance(node, ast.Ident):
        value = values.get(node.name)
        if value is not None:
            return value
        head, _, rest = node.name.partition(".")
        if head.startswith(OWN):
            return replace(node, name=f"{values[head].name}.{rest}")
        if head in values:
            out = values[head]
            for part in rest.split("."):
                out = ast.Proj(out, part)
            return out
        return node
    if isinstance(node, ast.Str | ast.Fail | ast.Trace | ast.Expansion):
        return node
    changes = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, tuple | ast.Node | str):
            changes[item.name] = _filled(value, values, done)
    return replace(node, **changes)
