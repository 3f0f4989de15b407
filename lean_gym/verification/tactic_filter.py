"""Filter in front of real Lean that refuses tactic text with commands, and text that Lean would evaluate.

A "tactic" can define syntax, and some tactics and terms run what they are given: `run_tac`, `native_decide`, the option
values of `simp (config := ...)`. This filter refuses text with these, at almost no cost. What is not evaluated is
harmless, so names of programs (`IO.Process.spawn`) are no reason to refuse a text. The filter decides nothing: a script
that passes is still replayed and judged by `lean_gym.verification.verify`, and the process is confined by
`lean_gym.backends.pantograph.sandbox`.

The filter compares whole tokens, so a hypothesis called `macro_h` or a lemma `List.prefix` passes. It also searches
strings and block comments: only Lean's own lexer can tell them from code, and an attacker could fool a look-alike
lexer. Comments to the end of a line are skipped where no mark in the text could turn them into code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from lean_gym.verification.evaluated_options import evaluated_option
from lean_gym.verification.tactic_positions import starts_tactic

_LETTER: Final = "A-Za-z_α-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏𝒜-𝖟"
"""First letters of Lean's identifiers, those that only some versions allow included."""
_PART: Final = f"[{_LETTER}][{_LETTER}0-9'!?₀-₉ₐ-ₜᵢ-ᵪⱼ]*"
# Numerals end where Lean ends them: text after `0x1` or `1e5` without a space is a token of its own.
_NUMERAL: Final = "0[xX][0-9a-fA-F]*|0[bB][01]*|0[oO][0-7]*|[0-9]+(?:[eE][+-]?[0-9]+)?"
_ANY: Final = f"(?:{_PART}|«[^«»]*»)"
_TOKEN: Final = re.compile(
    rf"(?P<numeral>{_NUMERAL})|(?P<hash>#[A-Za-z_]+)|(?P<name>{_ANY}(?:\.{_ANY})*)(?P<percent>%)?"
)

COMMANDS: Final = frozenset([
    "abbrev", "add_aesop_rules", "add_decl_doc", "alias", "attribute", "axiom", "binder_predicate",
    "builtin_dsimproc", "builtin_dsimproc_decl", "builtin_grind_propagator", "builtin_initialize",
    "builtin_simproc", "builtin_simproc_decl", "class", "coinductive", "compile_inductive",
    "declare_aesop_rule_sets", "declare_command_config_elab", "declare_config_elab",
    "declare_simp_like_tactic", "declare_syntax_cat", "def", "deriving", "dsimproc", "dsimproc_decl",
    "elab", "elab_rules", "elab_stx_quot", "end", "erase_aesop_rules", "example", "export", "extern",
    "grind_pattern", "grind_propagator", "implemented_by", "import", "include", "inductive", "infix",
    "infixl", "infixr", "init_quot", "initialize", "initialize_simps_projections", "instance",
    "irreducible_def", "lemma", "library_note", "local", "macro", "macro_rules", "mutual", "namespace",
    "noncomputable", "notation", "notation3", "omit", "opaque", "open", "partial", "postfix", "prefix",
    "private", "proof_wanted", "protected", "public", "recall", "register_builtin_option", "register_hint",
    "register_label_attr", "register_option", "register_parser_alias", "register_simp_attr",
    "register_tactic_tag", "run_cmd", "run_conv", "run_elab", "run_meta", "run_tac", "scoped", "seal",
    "section", "set_option", "simproc", "simproc_decl", "structure", "suppress_compilation", "syntax",
    "tactic_extension", "theorem", "unif_hint", "universe", "unsafe", "unseal", "unsuppress_compilation",
    "variable",
])  # fmt: skip
"""Words that begin or mark commands, and tactics that run programs."""

EVALUATORS: Final = frozenset([
    "addDecl", "addAndCompile", "bv_check", "bv_decide", "bv_decide?", "by_elab", "elabCommand", "evalConst",
    "evalConstCheck", "evalDecl", "evalExpr", "evalTerm", "importModules", "include_bytes", "include_str",
    "initSearchPath", "liftCommandElabM", "loadDynlib", "loadPlugin", "modifyEnv", "native_decide", "ofReduceBool",
    "ofReduceNat", "plausible", "polyrith", "ptrAddrUnsafe", "readModuleData", "reduceBool", "reduceNat",
    "saveModuleData", "setEnv", "show_panel_widgets", "slim_check", "sorryAx", "success_if_fail_with_msg",
    "trustCompiler", "with_panel_widgets", "withImporting",
])  # fmt: skip
"""Names of what evaluates a text or steps around the kernel, as whole names or as any part of one.

`bv_decide` starts a SAT solver and evaluates natively, `bv_decide?` writes a file and `bv_check` reads one; what they
prove rests on `Lean.ofReduceBool`, which no verdict permits.
"""

_PROGRAM_NAMESPACES: Final = ("Mathlib.Tactic.Polyrith", "Qq")
_LEAN_ITSELF: Final = {
    "Lake": frozenset(["FamilyDef", "FamilyOut"]),
    "Lean": frozenset([
        "AssocList", "Data", "Expr", "Grind", "HashMap", "HashSet", "Level", "Loop", "Name", "Omega", "Order",
        "PersistentArray", "PersistentHashMap", "RArray", "RBMap", "RBNode", "RBTree",
    ]),
}  # fmt: skip
"""Namespaces of Lean's own programs, and the names in them that proofs may use."""
_NOT_OPENED: Final = frozenset([*_LEAN_ITSELF, "Elab", "IO", "Meta", "Qq", "System", "Tactic"])
"""Namespaces that no text may open: their names would go unnoticed without the prefix."""
_OPTIONS: Final = frozenset([
    "autoImplicit", "exponentiation", "grind", "linter", "maxHeartbeats", "maxRecDepth", "maxSynthPendingDepth", "pp",
    "relaxedAutoImplicit", "simprocs", "smartUnfolding", "synthInstance", "tactic", "aesop", "backward",
])  # fmt: skip
"""First parts of the names of options that a text may set: limits, printing and search. None changes the kernel."""
# Every token that is refused has one of these words in it, between other characters, or one of these marks; or a
# numeral stands right before it.
_RUN: Final = re.compile("[A-Za-z_]+")
_WORDS: Final = COMMANDS | EVALUATORS | {*_LEAN_ITSELF, "Polyrith", "Qq", "native", "trace"}
_MARK: Final = re.compile("[#«%]|[0-9][A-Za-z_]|unsafe|@\\[|:=")
_ENCLOSING: Final = re.compile('["«»]|/-|-/')
_LINE_COMMENT: Final = re.compile(r"(?<![^ \n])--[^\n]*")
# Aesop's rules are safe or unsafe; a term `unsafe t` is no argument without brackets of its own, and `50%` is no term.
_RULE: Final = re.compile(r"\(\s*add\s+(?:[^()]*,\s*)?\Z")
_PENALTY: Final = re.compile(r"\s+[0-9]+%")
# `open A B in` and `set_option o v in` in front of a tactic or term. After another `in` they would be commands.
_OPENED: Final = rf"(?!(?:in|open|set_option|hiding|renaming|scoped)\b){_PART}(?:\.{_PART})*"
_NAMES: Final = rf"{_OPENED}(?:[ \n]+{_OPENED}){{0,20}}"
_PREFIX: Final = re.compile(
    rf"(?<![^\s(\[{{⟨,;·])(?:open[ ]+(?:scoped[ ]+)?(?P<opened>{_NAMES})"
    rf"(?:[ ]*\((?P<only>{_NAMES})\)|[ ]+hiding[ ]+{_NAMES})?"
    rf"|set_option[ ]+(?P<option>[A-Za-z]+)(?:\.[A-Za-z]+)*[ ]+(?:[0-9]+|true|false))[ \n]+in(?![\w'!?.])"
)
_AFTER_IN: Final = re.compile(r"(?<![\w'!?.])in\s*\Z")
_UNFINISHED: Final = re.compile(r"(?:\bcalc|:=|[,=<>≤≥+*/∧∨→↔(⟨])\s*\Z")
_NATIVE: Final = re.compile(r"\+\s*native\b|\bnative\s*:=")
_ATTRIBUTE: Final = re.compile(r"@\[")
_PERCENT: Final = frozenset(["eval", "delta", "elab", "unsafe", "ensure_expected_type"])
_HASH: Final = frozenset([
    "#aesop_rules", "#check", "#check_failure", "#check_simp", "#conv", "#count_heartbeats", "#eval", "#exit",
    "#explode", "#find", "#guard", "#guard_expr", "#guard_msgs", "#help", "#here", "#html", "#import_diff",
    "#instances", "#leansearch", "#lint", "#loogle", "#min_imports", "#moogle", "#norm_num", "#parse",
    "#plausible", "#print", "#push_discr_tree", "#redundant_imports", "#reduce", "#sample", "#search",
    "#simp", "#slim_check", "#stacktraces", "#synth", "#test", "#time", "#trans_imports", "#unfold",
    "#version", "#where", "#widget", "#with_exporting",
])  # fmt: skip


def refused_text(tactic: str) -> str | None:
    """Return why a tactic's text must not reach Lean.

    Args:
        tactic: Tactic source.

    Returns:
        One line naming the token, or `None` when there is no objection.
    """
    # Most texts have none of the words.
    if _WORDS.isdisjoint(_RUN.findall(tactic)) and _MARK.search(tactic) is None:
        return None
    return _refused_token(tactic)


def names_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield every name in a text with its place, dotted and quoted names whole.

    Where Lean may read the first characters of a name with the preceding text, the remainder is yielded as well.
    """
    for token in _TOKEN.finditer(text):
        if token["name"] is not None:
            for word in _readings(text, token):
                yield token.start(), word


def _without_line_comments(tactic: str) -> str:
    """Return the text without comments to the end of a line, where these cannot be anything else.

    After a space, `--` begins a comment, except inside a string, a quoted name or a block comment. These may have
    begun in another step, so marks that end them count too.
    """
    if "--" not in tactic or _ENCLOSING.search(tactic) is not None:
        return tactic
    return _LINE_COMMENT.sub("", tactic)


def _refused_token(tactic: str) -> str | None:
    tactic = _without_prefixes(_without_line_comments(tactic))
    for token in _TOKEN.finditer(tactic):
        if token["numeral"] is not None:
            continue
        if token["name"] == "unsafe" and _is_rule(tactic, token):
            continue
        if token["name"] == "trace" and _evaluates_message(tactic, token):
            return _program("trace` with anything but a string in quotation marks")
        if token["name"] is not None:
            refused = _refused_name(_readings(tactic, token), token["percent"] is not None)
            if refused is not None:
                return refused
            continue
        word = token["hash"]
        # `#s` is the number of elements of `s` in Mathlib; no command begins with a capital letter.
        if word in _HASH or (word[1].islower() and _begins_line(tactic, token.start())):
            return _command(word)
    if _NATIVE.search(tactic) is not None:
        return _program("native")
    if _ATTRIBUTE.search(tactic) is not None:
        return _command("@[")
    option = evaluated_option(tactic)
    if option is not None:
        return (
            f"refused: Lean would evaluate the value of the option `{option}`, expected a literal: a number, true, "
            "false, a string, a name with a dot in front, or { ... } of these"
        )
    return None


def _without_prefixes(tactic: str) -> str:
    """Return the text without `open A B in` and `set_option o v in` where they only concern what follows."""
    if "open" not in tactic and "set_option" not in tactic:
        return tactic
    kept: list[str] = []
    last = 0
    for found in _PREFIX.finditer(tactic):
        between = "".join([*kept, tactic[last : found.start()]])
        if _AFTER_IN.search(between[-40:]) is None and _is_harmless(found):
            kept += [tactic[last : found.start()], " "]
            last = found.end()
    return "".join([*kept, tactic[last:]])


def _is_harmless(prefix: re.Match[str]) -> bool:
    if prefix["option"] is not None:
        return prefix["option"] in _OPTIONS
    names = [*prefix["opened"].split(), *(prefix["only"] or "").split()]
    return not any(part in _NOT_OPENED for name in names for part in name.split(".")) and not any(
        _refused_name([name], percent=False) for name in names
    )


def _is_rule(tactic: str, token: re.Match[str]) -> bool:
    """Return whether the word `unsafe` names a kind of Aesop's rules."""
    before = tactic[: token.start()]
    return _PENALTY.match(tactic, token.end()) is not None or _RULE.search(before[-200:]) is not None


def _evaluates_message(tactic: str, token: re.Match[str]) -> bool:
    """Return whether the tactic `trace e` stands there; `e` is evaluated unless it is a string."""
    message = tactic[token.end() :].lstrip()[:1]
    return message != '"' and starts_tactic(tactic, token.start(), in_brackets=True)


def _readings(tactic: str, token: re.Match[str]) -> list[str]:
    """Return a name, and its remainders where Lean may read its first characters with the preceding text.

    The preceding text is a character literal, as in `'a'macro`, or in later versions a numeral, as in `1_0macro`.
    """
    word = token["name"]
    before = tactic[token.start() - 1 : token.start()]
    if before in ("'", "\\"):
        return [word, *word.split("'")[1:]]
    if before and before in "0123456789" and word.startswith("_"):
        return [word, word.lstrip("_0123456789abcdefABCDEF"), word.lstrip("_0123456789")]
    return [word]


def _refused_name(readings: list[str], percent: bool) -> str | None:
    for word in readings:
        # `variable?` and the like are commands as well.
        whole = _plain(word)
        if whole in COMMANDS or whole.rstrip("?!") in COMMANDS:
            return _command(whole)
        if _is_program(word) or (percent and word in _PERCENT):
            return _program(word)
    return None


def _command(word: str) -> str:
    return f"refused: `{word}` is a command, expected a tactic (whole tokens are compared, strings included)"


def _program(word: str) -> str:
    return f"refused: `{word}` is evaluated or steps around the kernel, expected a tactic"


def _begins_line(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    # After `calc` and operators the next line goes on with a term.
    return not text[line:at].strip(" \t·;(") and _UNFINISHED.search(text[max(0, line - 40) : line]) is None


def _plain(word: str) -> str:
    return word.replace("«", "").replace("»", "")


def _is_program(word: str) -> bool:
    parts = _plain(word).split(".")
    if any(part.rstrip("?!") in EVALUATORS or part.startswith("unsafe") for part in parts):
        return True
    name = f".{'.'.join(parts)}."
    return any(f".{prefix}." in name for prefix in _PROGRAM_NAMESPACES) or any(
        here in _LEAN_ITSELF and after not in _LEAN_ITSELF[here] for here, after in pairwise(parts)
    )
