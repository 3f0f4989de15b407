"""Words of a statement that the commands before it give another meaning than the library does.

    def A.False : Prop := True
    theorem A.t : False                 -- `False` is `A.False` here

A reader who knows Lean takes a word that the library declares for what the library declares. Where that is wrong, the
statement does not say what it shows: by the namespace of its own name, `open`, `export`, a variable of the name, a
notation with a token of Lean, an instance for types that are not the context's own, or an assumed variable that nothing
mentions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from minilean.elab.binders import flat
from minilean.elab.names import Scope, meanings
from minilean.kernel.expr import INST, BVar, Const, Expr, Pi, get_app
from minilean.kernel.traversal import subterms
from minilean.meta.extension import InstanceEntry, LeanEnv
from minilean.printer.scope import uses
from minilean.syntax import ast
from minilean.syntax.lexer import (
    BAD,
    DOT_IDENT,
    EOF,
    IDENT,
    NUM,
    STR,
    Tokens,
    plain_name,
    split_name,
    tokenize,
)


@dataclass(frozen=True, slots=True)
class Before:
    """Environment and scope at one place."""

    env: LeanEnv
    scope: Scope


def redefined(
    library: Before, here: Before, text: str, header: ast.Decl, type_: Expr, binders: int
) -> tuple[str, ...]:
    """Return what a statement does not say, in its own words; nothing for a statement that says what it shows.

    Args:
        library: The place before the commands of the context.
        here: The place inside the statement: its scope has the namespace of the theorem's name.
        text: The source of the statement.
        header: Its syntax.
        type_: The closed proposition that it is elaborated to.
        binders: How many of its first binders are variables and binders of the source.
    """
    tokens = tokenize(text, here.scope.grammar.symbols)
    words = [text[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True)]
    found = [
        *_notations(library, here, tokens, words),
        *_names(library, here, tokens, words),
        *_instances(library.env, here.env),
        *_variables(tokens, words, header, type_, binders),
    ]
    return tuple(dict.fromkeys(found))


def _notations(library: Before, here: Before, tokens: Tokens, words: list[str]) -> Iterator[str]:
    """Yield the tokens that begin or continue a term otherwise than before, and that Lean has already."""
    old, new = library.scope.grammar, here.scope.grammar
    if old is new:
        return
    for kind, word in zip(tokens.kinds, words, strict=True):
        same = (
            old.leading.get(kind) is new.leading.get(kind)
            and old.trailing.get(kind) is new.trailing.get(kind)
            and old.infix.get(kind) == new.infix.get(kind)
        )
        if not same and _known(library, word):
            yield word
    if "by" in tokens.kinds and (old.tactics is not new.tactics or _blocks(library) != _blocks(here)):
        yield "by"


def _blocks(place: Before) -> list[object]:
    """Return the rules for tactics."""
    groups = [group for each in place.scope.macros.values() for group in each]
    return [group for group in groups if isinstance(group[0].template, ast.TacSeq)]


def _known(library: Before, word: str) -> bool:
    """Return whether a token has a meaning without the context, as one token, or as several with a word or numeral."""
    known = tokenize(word, library.scope.grammar.symbols)
    kinds = [kind for kind in known.kinds if kind is not EOF]
    if BAD in kinds:
        return False
    if kinds == [IDENT]:
        return bool(meanings(library.env, library.scope, plain_name(word)))
    return len(kinds) == 1 or any(kind in (IDENT, NUM, STR) or kind.isalpha() for kind in kinds)


def _names(library: Before, here: Before, tokens: Tokens, words: list[str]) -> Iterator[str]:
    """Yield the names of the library that stand for declarations or variables of the context."""
    variables = {name for binder in here.scope.variables for name in binder.names}
    for kind, word in zip(tokens.kinds, words, strict=True):
        if kind is not IDENT and kind is not DOT_IDENT:
            continue
        parts = split_name(plain_name(word))
        for cut in range(len(parts), 0, -1):
            name = ".".join(parts[:cut])
            if meanings(library.env, library.scope, name):
                taken = (
                    each for each in meanings(here.env, here.scope, name) if library.env.find(each) is None
                )
                if name in variables or next(taken, None) is not None:
                    yield name
                break


def _instances(library: LeanEnv, env: LeanEnv) -> Iterator[str]:
    """Yield the instances of the context that can apply where no type of the context is named."""
    for table, known in (
        (env.instances, library.instances),
        (env.default_instances, library.default_instances),
    ):
        for class_name, entries in table.items():
            old = known.get(class_name, ())
            for entry in entries:
                default = table is env.default_instances
                if (
                    entry not in old
                    and library.find(entry.name) is None
                    and (default or _is_foreign(library, env, entry))
                ):
                    yield f"instance {entry.name}"


def _is_foreign(library: LeanEnv, env: LeanEnv, entry: InstanceEntry) -> bool:
    """Return whether an instance is for types without a declaration of the context.

    An instance for all types is one unless it asks for an instance of a class of the context.
    """
    declaration = env.find(entry.name)
    if declaration is None:
        return False
    type_, asked = declaration.type, list[Expr]()
    while type(type_) is Pi:
        asked.append(type_.type)
        type_ = type_.body
    args = get_app(type_)[1]
    if all(type(arg) is BVar for arg in args):
        args = asked
    return not any(_mentions_own(library, arg) for arg in args)


def _mentions_own(library: LeanEnv, e: Expr) -> bool:
    return any(type(sub) is Const and library.find(sub.name) is None for sub in subterms(e))


def _variables(
    tokens: Tokens, words: list[str], header: ast.Decl, type_: Expr, binders: int
) -> Iterator[str]:
    """Yield the variables of the context that the statement assumes, and neither it nor what it names mentions."""
    named = {
        part
        for kind, word in zip(tokens.kinds, words, strict=True)
        if kind is IDENT
        for part in (plain_name(word), split_name(plain_name(word))[0])
    }
    pis: list[Pi] = []
    for _ in range(binders):
        if type(type_) is not Pi:
            break
        pis.append(type_)
        type_ = type_.body
    count = len(pis) - len(flat(header.binders))
    shown = {
        at for at, pi in enumerate(pis) if at >= count or pi.name in named or uses(type_, len(pis) - 1 - at)
    }
    before = -1
    while len(shown) > before:
        before = len(shown)
        shown |= {
            at for at in range(count) for user in shown if at < user and uses(pis[user].type, user - 1 - at)
        }
        shown |= {
            at
            for at in range(count)
            if pis[at].info == INST and any(of < at and uses(pis[at].type, at - 1 - of) for of in shown)
        }
    for at in range(count):
        if at not in shown:
            yield f"variable {pis[at].name}"
