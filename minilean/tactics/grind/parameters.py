"""Arguments of `grind` and the lemmas that they and the attribute `@[grind]` give.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/Parser.lean`, `src/Lean/Elab/Tactic/Grind/Param.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.grind_modifiers import grind_kind
from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type, is_prop
from minilean.syntax import ast
from minilean.tactics.grind.patterns import Lemma, Patterns
from minilean.tactics.state import Tactics


def lemmas_of(t: Tactics, stx: ast.Grind, patterns: Patterns) -> list[Lemma]:
    """Return the lemmas of a call: those of the attribute, without the erased ones, and those of the arguments."""
    m = t.m
    tagged = {} if stx.only else dict(m.env.grind_lemmas)
    given: list[Lemma] = []
    for arg in stx.args:
        name = _constant(t, arg)
        if arg.erase:
            if name is None or name not in tagged:
                raise MetaError(
                    f"`{name or t.quote(arg).lstrip('-')}` is not marked with the `[grind]` attribute"
                )
            del tagged[name]
        elif name is not None:
            decl = m.env.find(name)
            assert decl is not None
            given += patterns.of_declaration(decl, grind_kind(arg.modifier))
        else:
            given += _of_term(t, arg, patterns)
    found: list[Lemma] = []
    for name, kinds in tagged.items():
        decl = m.env.find(name)
        assert decl is not None
        for kind in sorted(kinds):
            found += patterns.of_declaration(decl, kind)
    return found + given


def _constant(t: Tactics, arg: ast.GrindArg) -> str | None:
    if not isinstance(arg.term, ast.Ident) or t.m.lctx.by_name(arg.term.name) is not None:
        return None
    name = resolve_exact(t.m.env, t.scope, arg.term.name)
    if name is None:
        raise unknown(t.m.env, t.scope, arg.term.name)
    return name


def _of_term(t: Tactics, arg: ast.GrindArg, patterns: Patterns) -> list[Lemma]:
    """Return the lemmas of a proof that is written as a term, a hypothesis for instance."""
    m = t.m
    proof = t.term(arg.term)
    type_ = m.instantiate_mvars(infer_type(m, proof))
    if not is_prop(m, type_):
        raise MetaError(f"invalid `grind` parameter, `{t.quote(arg)}` is not a proof")
    kind = grind_kind(arg.modifier)
    lemmas = patterns.of_statement((), type_, proof, kind)
    if not lemmas:
        raise MetaError(f"invalid `grind` theorem, failed to find an usable pattern for `{t.quote(arg)}`")
    return lemmas
