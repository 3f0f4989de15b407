"""Parsers of the tactics that take terms, names and rewrite rules; those with blocks are in `structuring`.

Source: Lean 4 `src/Init/Tactics.lean`, `src/Init/RCases.lean`.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax.ast import (
    ByCases,
    Ext,
    Fail,
    Generalize,
    HaveTac,
    Injection,
    Intro,
    LetRecTac,
    Location,
    NamesTactic,
    NoFun,
    NumTactic,
    Omega,
    RCases,
    Rename,
    RIntro,
    Rw,
    RwRule,
    Simp,
    SimpArg,
    Simple,
    Split,
    Tactic,
    Term,
    TermsTactic,
    TermTactic,
)
from minilean.syntax.binding import local_decl, suffices_decl
from minilean.syntax.brackets import term_list
from minilean.syntax.branching import optional_name
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import IDENT, NUM, STR
from minilean.syntax.patterns import at_pattern, from_term, intro_patterns, pattern, typed_pattern
from minilean.syntax.quoted import string
from minilean.syntax.terms import ARG_START, atom, term

MAX_EXT_DEPTH = 100

TacticParser = Callable[[Cursor, str, int], Tactic]
"""Parses the rest of a tactic, given its name and the offset where the name starts."""


# --- shared parts -------------------------------------------------------------------------------------------


def location(p: Cursor) -> Location | None:
    """`at h1 h2 ⊢` or `at *`, if `at` comes next."""
    if not p.accept("at"):
        return None
    start = p.starts[p.i - 1]
    if p.accept("*"):
        return Location(wildcard=True, start=start, end=p.end())
    saved, p.column = p.column, p.columns[p.i - 1]
    hyps, target = [], False
    while p.indented() and not target:
        if p.kinds[p.i] is IDENT:
            hyps.append(p.name())
        elif p.accept("⊢"):
            target = True
        elif p.kinds[p.i] == "|" and p.kinds[p.i + 1] == "-" and p.starts[p.i + 1] == p.ends[p.i]:
            p.i += 2
            target = True
        else:
            break
    if not hyps and not target:
        p.need_indented("'*' or checkColGt")
        p.fail("'*', '|', '⊢' or term")
    p.column = saved
    return Location(tuple(hyps), target, start=start, end=p.end())


def names(p: Cursor) -> tuple[str, ...]:
    """Names and `_`, as far as the line or its continuation goes."""
    found = []
    while p.at_binder_name() and p.indented():
        found.append(p.binder_name())
    return tuple(found)


def config(p: Cursor) -> tuple[str, ...]:
    """Source text of each option: `+arith`, `-zeta`, `(config := ..)`, `(disch := ..)`."""
    found = []
    while True:
        kind, i = p.kinds[p.i], p.i
        if kind == "(" and p.kinds[i + 1] is IDENT and p.kinds[i + 2] == ":=":
            found.append(p.skip_group())
        elif kind in ("+", "-") and p.kinds[i + 1] is IDENT and p.starts[i + 1] == p.ends[i]:
            p.i += 2
            found.append(p.text[p.starts[i] : p.end()])
        else:
            return tuple(found)


# --- one term, several terms, names -------------------------------------------------------------------------


def _simple(p: Cursor, name: str, start: int) -> Tactic:
    return Simple(name, start=start, end=p.end())


def _symm(p: Cursor, name: str, start: int) -> Tactic:
    where = location(p)
    return Simple(name, where, start=start, end=p.end())


def _with_number(p: Cursor, name: str, start: int) -> Tactic:
    number = p.natural() if p.kinds[p.i] is NUM and p.indented() else None
    return NumTactic(name, number, start=start, end=p.end())


def _term(p: Cursor, name: str, start: int) -> Tactic:
    arg = term(p)
    return TermTactic(name, arg, start=start, end=p.end())


def _term_at(p: Cursor, name: str, start: int) -> Tactic:
    arg = term(p)
    where = location(p)
    return TermTactic(name, arg, where, start=start, end=p.end())


def _nofun(p: Cursor, name: str, start: int) -> Tactic:
    arg = NoFun(start=start, end=p.end())
    return TermTactic("exact", arg, start=start, end=p.end())


def _nomatch(p: Cursor, name: str, start: int) -> Tactic:
    discriminant = term(p)
    arg = NoFun(discriminant, start=start, end=p.end())
    return TermTactic("exact", arg, start=start, end=p.end())


def _exists(p: Cursor, name: str, start: int) -> Tactic:
    terms = [term(p)]
    while p.accept(","):
        terms.append(term(p))
    return TermsTactic(name, tuple(terms), start=start, end=p.end())


def _exacts(p: Cursor, name: str, start: int) -> Tactic:
    if p.kinds[p.i] != "[":
        p.fail("'['")
    terms = term_list(p, "]")
    return TermsTactic(name, terms, start=start, end=p.end())


def _patterns(p: Cursor, name: str, start: int) -> Tactic:
    patterns = []
    while p.kinds[p.i] in ARG_START and p.indented():
        patterns.append(atom(p))
    return TermsTactic(name, tuple(patterns), start=start, end=p.end())


def _names(p: Cursor, name: str, start: int) -> Tactic:
    found = names(p)
    return NamesTactic(name, found, start=start, end=p.end())


def _names1(p: Cursor, name: str, start: int) -> Tactic:
    found = names(p)
    if not found:
        p.need_indented("checkColGt")
        p.fail("'_' or identifier" if name == "rename_i" else "term")
    return NamesTactic(name, found, start=start, end=p.end())


def _names1_at(p: Cursor, name: str, start: int) -> Tactic:
    found = names(p)
    if not found:
        p.need_indented("checkColGt")
        p.fail("identifier")
    where = location(p)
    return NamesTactic(name, found, where, start=start, end=p.end())


def _rename(p: Cursor, name: str, start: int) -> Tactic:
    type_ = term(p)
    p.expect("=>")
    new = p.name()
    return Rename(type_, new, start=start, end=p.end())


def _fail(p: Cursor, name: str, start: int) -> Tactic:
    message = string(p) if p.kinds[p.i] is STR and p.indented() else None
    return Fail(message, start=start, end=p.end())


def _closing_procedure(p: Cursor, name: str, start: int) -> Tactic:
    options = config(p)
    return Omega(name, options, start=start, end=p.end())


# --- introduction, case analysis without blocks -------------------------------------------------------------


def _intro(p: Cursor, name: str, start: int) -> Tactic:
    patterns = []
    while p.kinds[p.i] in ARG_START and p.indented():
        patterns.append(atom(p))
    return Intro(tuple(patterns), start=start, end=p.end())


def _rintro(p: Cursor, name: str, start: int) -> Tactic:
    patterns = intro_patterns(p)
    return RIntro(patterns, start=start, end=p.end())


def _ext(p: Cursor, name: str, start: int) -> Tactic:
    patterns = intro_patterns(p, False) if at_pattern(p) and p.indented() else ()
    depth = p.natural() if p.accept(":") else MAX_EXT_DEPTH
    return Ext(patterns, depth, start=start, end=p.end())


def _rcases(p: Cursor, name: str, start: int) -> Tactic:
    eq_name = optional_name(p)
    target = term(p)
    more: list[Term] = []
    while p.accept(","):
        if eq_name is not None or optional_name(p) is not None:
            raise p.unsupported("`rcases` of several terms with names for equations")
        more.append(term(p))
    shape = typed_pattern(p) if p.accept("with") else None
    return RCases(name, eq_name, target, shape, more=tuple(more), start=start, end=p.end())


def _obtain(p: Cursor, name: str, start: int) -> Tactic:
    shape = pattern(p) if at_pattern(p) else None
    type_ = term(p) if p.accept(":") else None
    value = None
    if p.accept(":="):
        value = term(p)
        if p.kinds[p.i] == ",":
            raise p.unsupported("`obtain` from several terms")
    return RCases(name, None, value, shape, type_, start=start, end=p.end())


def _by_cases(p: Cursor, name: str, start: int) -> Tactic:
    hyp = optional_name(p)
    prop = term(p)
    return ByCases(hyp, prop, start=start, end=p.end())


def _split(p: Cursor, name: str, start: int) -> Tactic:
    if p.kinds[p.i] in ARG_START and p.indented():
        raise p.unsupported("`split` with a term")
    where = location(p)
    return Split(where, start=start, end=p.end())


def _injection(p: Cursor, name: str, start: int) -> Tactic:
    equation = term(p)
    found: tuple[str, ...] = ()
    if p.accept("with"):
        found = names(p)
        if not found:
            p.fail("identifier")
    return Injection(equation, found, start=start, end=p.end())


def _generalize(p: Cursor, name: str, start: int) -> Tactic:
    args = [_generalize_arg(p)]
    while p.accept(","):
        args.append(_generalize_arg(p))
    where = location(p)
    return Generalize(tuple(args), where, start=start, end=p.end())


def _generalize_arg(p: Cursor) -> tuple[str | None, Term, str]:
    hyp = optional_name(p)
    value = term(p, 51)
    p.expect("=")
    return hyp, value, p.name()


# --- local declarations -------------------------------------------------------------------------------------


def _local(p: Cursor, name: str, start: int) -> Tactic:
    if name == "let" and p.at_word("rec"):
        p.i += 1
        rec = local_decl(p, "let rec")
        return LetRecTac(
            rec.name or "", rec.binders, rec.type, rec.value, rec.termination, start=start, end=p.end()
        )
    decl = local_decl(p, name)
    shape = None if decl.pattern is None else from_term(p, decl.pattern)
    return HaveTac(name, decl.name, decl.binders, decl.type, decl.value, shape, start=start, end=p.end())


def _suffices(p: Cursor, name: str, start: int) -> Tactic:
    hyp, type_, value = suffices_decl(p)
    return HaveTac(name, hyp, (), type_, value, start=start, end=p.end())


# --- rewriting and simplifying ------------------------------------------------------------------------------


def _rw(p: Cursor, name: str, start: int) -> Tactic:
    options = config(p)
    p.expect("[")
    column = p.open()
    rules = []
    while p.kinds[p.i] != "]":
        rules.append(_rw_rule(p))
        if not p.accept(","):
            break
    p.close("]", column)
    where = location(p)
    return Rw(name, tuple(rules), where, options, start=start, end=p.end())


def _rw_rule(p: Cursor) -> RwRule:
    start = p.starts[p.i]
    symm = p.accept("←")
    p.need_term("']'")
    rule = term(p)
    return RwRule(symm, rule, start=start, end=p.end())


def _simp(p: Cursor, name: str, start: int) -> Tactic:
    options = config(p)
    only = p.at_word("only")
    p.i += only
    args: list[SimpArg] = []
    if p.kinds[p.i] == "[" and p.indented():
        p.i += 1
        column = p.open()
        while p.kinds[p.i] != "]":
            args.append(_simp_arg(p))
            if not p.accept(","):
                break
        p.close("]", column)
    where = None if name.startswith(("simp_all", "simpa")) else location(p)
    using = term(p) if name.startswith("simpa") and p.accept("using") else None
    return Simp(name, only, tuple(args), where, options, using, start=start, end=p.end())


def _simp_arg(p: Cursor) -> SimpArg:
    start = p.starts[p.i]
    if p.accept("*"):
        return SimpArg(None, start=start, end=p.end())
    if p.accept("-"):
        erased = atom(p)
        return SimpArg(erased, erase=True, start=start, end=p.end())
    post = not p.accept("↓")
    if post:
        p.accept("↑")
    symm = p.accept("←")
    p.need_term("']'")
    lemma = term(p)
    return SimpArg(lemma, symm, post=post, start=start, end=p.end())


_BY_PARSER: dict[TacticParser, str] = {
    _simple: """
        clean_wf decreasing_tactic decreasing_trivial simp_wf
        ac_rfl and_intros apply? apply_rfl assumption constructor contradiction done eq_refl exact? exfalso
        false_or_by_contra
        get_elem_tactic
        infer_instance left rfl right skip subst_vars trivial
    """,
    _symm: "symm",
    _with_number: "congr rotate_left rotate_right",
    _term: "apply exact refine refine' show specialize",
    _term_at: "change",
    _nofun: "nofun",
    _nomatch: "nomatch",
    _exists: "exists",
    _exacts: "exacts",
    _patterns: "funext",
    _names: "injections intros",
    _names1: "clear rename_i revert subst",
    _names1_at: "delta unfold",
    _rename: "rename",
    _fail: "fail",
    _closing_procedure: "decide omega",
    _intro: "intro",
    _rintro: "rintro",
    _ext: "ext",
    _rcases: "rcases",
    _obtain: "obtain",
    _by_cases: "by_cases",
    _split: "split",
    _injection: "injection",
    _generalize: "generalize",
    _local: "have let replace",
    _suffices: "suffices",
    _rw: "erw rewrite rw rwa",
    _simp: """
        dsimp dsimp! dsimp? simp simp! simp? simp_all simp_all! simp_all? simp_arith simp_all_arith
        simpa simpa! simpa?
    """,
}
TACTICS: dict[str, TacticParser] = {
    name: parse for parse, listed in _BY_PARSER.items() for name in listed.split()
}
