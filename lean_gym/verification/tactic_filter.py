"""Filter in front of real Lean that refuses tactic text with commands or programs.

Lean executes what it elaborates, so a "tactic" can define syntax, read files or start programs. This filter refuses
text with the words for that, at almost no cost. The filter decides nothing: a script that passes is still replayed and
judged by `lean_gym.verification.verify`, and the process is confined by `lean_gym.backends.pantograph.sandbox`.

The filter compares whole tokens, so a hypothesis called `macro_h` or a lemma `List.prefix` passes. It also searches
strings and block comments: only Lean's own lexer can tell them from code, and an attacker could fool a look-alike
lexer. Comments to the end of a line are skipped where no mark in the text could turn them into code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

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

PROGRAMS: Final = frozenset([
    "BaseIO", "CommandElabM", "CoreM", "EIO", "IO", "MacroM", "MetaM", "RealWorld", "TacticM",
    "TermElabM", "addDecl", "addAndCompile", "by_elab", "elabCommand", "evalConst", "evalConstCheck",
    "evalDecl", "evalExpr", "importModules", "include_bytes", "include_str", "initSearchPath",
    "liftCommandElabM", "loadDynlib", "loadPlugin", "modifyEnv", "ofReduceBool", "ofReduceNat", "println",
    "ptrAddrUnsafe", "readModuleData", "reduceBool", "reduceNat", "saveModuleData", "setEnv", "sorryAx",
    "trustCompiler", "withImporting",
])  # fmt: skip
"""Names that reach outside the logic, as whole names or as any part of one."""

_PROGRAM_NAMESPACES: Final = ("Mathlib.Tactic.Polyrith", "Qq", "System")
_LEAN_ITSELF: Final = {
    "Lake": frozenset(["FamilyDef", "FamilyOut"]),
    "Lean": frozenset([
        "AssocList", "Data", "Expr", "Grind", "HashMap", "HashSet", "Level", "Loop", "Name", "Omega", "Order",
        "PersistentArray", "PersistentHashMap", "RArray", "RBMap", "RBNode", "RBTree",
    ]),
}  # fmt: skip
"""Namespaces of programs, which a `(config := ...)` would run, and the names in them that proofs may use."""
# Every token that is refused has one of these words in it, between other characters, or one of these marks; or a
# numeral stands right before it.
_RUN: Final = re.compile("[A-Za-z_]+")
_WORDS: Final = COMMANDS | PROGRAMS | {*_LEAN_ITSELF, "Polyrith", "Qq", "System"}
_MARK: Final = re.compile("[#«%]|[0-9][A-Za-z_]|unsafe")
_ENCLOSING: Final = re.compile('["«»]|/-|-/')
_LINE_COMMENT: Final = re.compile(r"(?<![^ \n])--[^\n]*")
# Aesop's rules are safe or unsafe; a term `unsafe t` is no argument without brackets of its own.
_RULE: Final = re.compile(r"\(\s*add\s+\Z")
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
    tactic = _without_line_comments(tactic)
    for token in _TOKEN.finditer(tactic):
        if token["numeral"] is not None:
            continue
        if token["name"] == "unsafe" and _RULE.search(tactic[: token.start()][-40:]) is not None:
            continue
        if token["name"] is not None:
            refused = _refused_name(_readings(tactic, token), token["percent"] is not None)
            if refused is not None:
                return refused
            continue
        word = token["hash"]
        # `#s` is the number of elements of `s` in Mathlib; only as the first word of a line is it no term.
        if word in _HASH or _begins_line(tactic, token.start()):
            return _command(word)
    return None


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
    return f"refused: `{word}` runs programs or steps around the kernel, expected a tactic"


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t·;(")


def _plain(word: str) -> str:
    return word.replace("«", "").replace("»", "")


def _is_program(word: str) -> bool:
    parts = _plain(word).split(".")
    if any(part.rstrip("?!") in PROGRAMS or part.startswith("unsafe") for part in parts):
        return True
    name = f".{'.'.join(parts)}."
    return any(f".{prefix}." in name for prefix in _PROGRAM_NAMESPACES) or any(
        here in _LEAN_ITSELF and after not in _LEAN_ITSELF[here] for here, after in pairwise(parts)
    )
