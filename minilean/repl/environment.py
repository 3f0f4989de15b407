"""Commands on the environment: look up, list and add constants; parse by category.

minilean's library replaces the whole module `Init`: the file in which core Lean declares a constant is not known.

Source: Pantograph `Repl.lean` (`env_inspect`, `env_add`, ...), `Pantograph/Environment.lean`, 0.3.15.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from minilean.elab.holes import check_no_holes
from minilean.elab.sorry import SORRY
from minilean.kernel.declaration import (
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    QuotDecl,
    Recursor,
    TheoremDecl,
)
from minilean.kernel.errors import DeepRecursion, KernelError
from minilean.kernel.expr import Const, Expr
from minilean.kernel.fuel import deep_stack
from minilean.kernel.traversal import subterms
from minilean.library import library
from minilean.meta.budget import Budget
from minilean.meta.errors import RECURSION, MetaError
from minilean.meta.infer import infer_type
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.project.header import CORE_MODULES
from minilean.repl.session import Session
from minilean.repl.show import expression
from minilean.repl.terms import elaborator, located, parsed_term
from minilean.repl.wire import Fields, Json, Refusal
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_commands, parse_tactics, parse_term

LIBRARY_MODULE = CORE_MODULES[0]
MAX_PARSED_CHARS = 100_000
_LETTERS: dict[type[Declaration], str] = {
    Axiom: "a",
    Definition: "d",
    TheoremDecl: "t",
    QuotDecl: "q",
    Inductive: "i",
    Constructor: "c",
    Recursor: "r",
}
_NAME = re.compile(r"[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")
_INTERNAL = re.compile(r"(?:^|\.)_(?:proof|simp)_[^.]*$|✝")


def env_describe(session: Session, fields: Fields) -> Json:
    """`env.describe`: the imported modules."""
    return {"imports": list(session.imports), "modules": [LIBRARY_MODULE]}


def env_module_read(session: Session, fields: Fields) -> Json:
    """`env.module_read`: the constants of a module."""
    module = fields.text("module")
    if module != LIBRARY_MODULE:
        raise Refusal("exception", f"Module not found {module}")
    return {
        "imports": [],
        "constNames": list(library().kernel),
        "extraConstNames": [],
    }


def env_catalog(session: Session, fields: Fields) -> Json:
    """`env.catalog`: write all symbols, each with a letter for its kind, to a file, by default into the answer."""
    filename, prefix = fields.optional_text("filename"), fields.optional_text("modulePrefix")
    invert = fields.flag("invertFilter")
    symbols = []
    for name in session.env.kernel:
        if _INTERNAL.search(name) or not _wanted(_module(name), prefix, invert):
            continue
        decl = session.env.find(name)
        assert decl is not None
        symbols.append(_LETTERS[type(decl)] + name)
    if filename is None:
        return {"symbols": symbols}
    Path(filename).write_text("".join(f"{symbol}\n" for symbol in symbols), "utf-8")
    return {"nSymbols": len(symbols)}


def _wanted(module: str | None, prefix: str | None, invert: bool) -> bool:
    if prefix is None:
        return True
    inside = module is not None and (module == prefix or module.startswith(prefix + "."))
    return inside != invert


def _module(name: str) -> str | None:
    return LIBRARY_MODULE if name == SORRY or library().find(name) is not None else None


def env_inspect(session: Session, fields: Fields) -> Json:
    """`env.inspect`: type, value and kind of a constant."""
    name = fields.text("name")
    want_value, dependency = fields.optional_flag("value"), fields.optional_flag("dependency")
    fields.optional_flag("source")  # the module in which core Lean declares a constant is not known
    decl = session.env.find(name)
    if decl is None:
        raise Refusal("index", f"Symbol not found {name}")
    m = MetaM(session.env, budget=Budget(session.heartbeats, session.seconds()))
    if want_value is None:
        want_value = isinstance(decl, Definition)
    value = decl.value if want_value and isinstance(decl, (Definition, TheoremDecl)) else None
    with deep_stack():
        answer: Json = {"type": expression(m, decl.type, session.options), "isUnsafe": False}
        if value is not None:
            answer["value"] = expression(m, value, session.options)
        if (module := _module(name)) is not None:
            answer["module"] = module
        if dependency:
            answer["typeDependency"] = _constants(decl.type)
            if value is not None:
                answer["valueDependency"] = _constants(value)
        answer.update(_details(m, decl, session))
    return answer


def _constants(e: Expr) -> list[str]:
    names = dict.fromkeys(part.name for part in subterms(e) if type(part) is Const)
    return [name for name in names if not _INTERNAL.search(name)]


def _details(m: Meta, decl: Declaration, session: Session) -> Json:
    if isinstance(decl, Inductive):
        info: Json = {
            "numParams": decl.num_params,
            "numIndices": decl.num_indices,
            "all": list(decl.all),
            "ctors": list(decl.constructors),
            "isRec": decl.is_recursive,
            "isReflexive": False,
            "isNested": decl.num_nested > 0,
        }
        return {"inductInfo": info}
    if isinstance(decl, Constructor):
        info = {
            "induct": decl.inductive,
            "cidx": decl.index,
            "numParams": decl.num_params,
            "numFields": decl.num_fields,
        }
        return {"constructorInfo": info}
    if isinstance(decl, Recursor):
        rules = [
            {"ctor": r.constructor, "nFields": r.num_fields, "rhs": expression(m, r.rhs, session.options)}
            for r in decl.rules
        ]
        info = {
            "all": list(decl.all),
            "numParams": decl.num_params,
            "numIndices": decl.num_indices,
            "numMotives": decl.num_motives,
            "numMinors": decl.num_minors,
            "rules": rules,
            "k": decl.k,
        }
        return {"recursorInfo": info}
    return {}


def env_add(session: Session, fields: Fields) -> Json:
    """`env.add`: elaborate a definition or theorem and have the kernel check it."""
    name, levels = fields.text("name"), fields.optional_texts("levels") or ()
    type_text, value_text = fields.optional_text("type"), fields.text("value")
    is_theorem = fields.flag("isTheorem")
    if _NAME.fullmatch(name) is None:
        raise Refusal(
            "arguments", f"{name!r} is no name of a constant, expected e.g. 'mystery' or 'Nat.mystery'"
        )
    type_syntax = None if type_text is None else parsed_term(session, type_text)
    value_syntax = parsed_term(session, value_text)
    env = session.env.child()
    try:
        with deep_stack():
            el = elaborator(session, levels, value_text)
            m = el.m
            expected = None if type_syntax is None else el.elab_type(type_syntax)
            value = check_no_holes(el, el.elab_closed(value_syntax, expected))
            type_ = m.instantiate_mvars(infer_type(m, value) if expected is None else expected)
            value = m.instantiate_mvars(value)
    except DeepRecursion:
        raise Refusal("elab", RECURSION) from None
    except (MetaError, KernelError) as error:
        raise Refusal("elab", str(error)) from None
    if type_.has_mvar or value.has_mvar:
        raise Refusal("exception", f"(kernel) declaration has metavariables '{name}'")
    try:
        if is_theorem:
            env.kernel.add_theorem(name, levels, type_, value)
        else:
            env.kernel.add_definition(name, levels, type_, value)
    except KernelError as error:
        raise Refusal("exception", f"(kernel) {type(error).__name__}: {error}") from None
    if "." in name:
        env.add_namespace(name.rpartition(".")[0])
    session.env = env
    return {}


def env_parse(session: Session, fields: Fields) -> Json:
    """`env.parse`: the length in bytes of the first tactic, term or command of a text."""
    text, category = fields.text("input"), fields.text("category")
    if category not in _CATEGORIES:
        known = ", ".join(_CATEGORIES)
        raise Refusal("parse", f"unknown parser category '{category}' (minilean has {known})")
    if len(text) > MAX_PARSED_CHARS:
        raise Refusal("parse", f"the text has {len(text)} characters, at most {MAX_PARSED_CHARS} are parsed")
    try:
        end = _CATEGORIES[category](text)
    except ParseError as error:
        raise Refusal("parse", located(error)) from None
    return {"pos": len(text[:end].encode())}


def _longest(parse: Callable[[str], object], text: str) -> int:
    """Return the length of the part of `text` that parses: all of it, or the text before the parse error."""
    try:
        parse(text)
        return len(text)
    except ParseError as error:
        end = error.offset
        if end == 0 or not text[:end].strip():
            raise
        try:
            parse(text[:end])
        except ParseError:
            raise error from None
        return end


def _tactic_end(text: str) -> int:
    end = _longest(parse_tactics, text)
    tactics = parse_tactics(text[:end]).tactics
    return end if len(tactics) < 2 else _over_space(text, tactics[0].end)


def _command_end(text: str) -> int:
    end = _longest(parse_commands, text)
    commands = parse_commands(text[:end])
    return end if len(commands) < 2 else _over_space(text, commands[0].end)


def _over_space(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip())


_CATEGORIES: dict[str, Callable[[str], int]] = {
    "term": lambda text: _longest(parse_term, text),
    "tactic": _tactic_end,
    "tacticSeq": lambda text: _longest(parse_tactics, text),
    "command": _command_end,
}
