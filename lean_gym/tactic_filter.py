"""A first look at tactic text before real Lean sees it: commands and programs are no tactics.

Lean executes what it elaborates, so a "tactic" can define syntax, read files or start programs. This filter refuses
text with the words for that, at no cost. It is a filter and not the proof: what passes is still replayed and judged
by `lean_gym.verify`, and what runs is confined by `lean_gym.sandbox`.

It compares whole tokens, so a hypothesis called `macro_h` or a lemma `List.prefix` passes. Comments and strings are
looked into as well: telling them from code would need Lean's own lexer, and whoever misleads an imitation of it
would be through.
"""

from __future__ import annotations

import re
from typing import Final

_LETTER: Final = "A-Za-z_α-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏𝒜-𝖟"
"""What Lean begins identifiers with. Of letters that only some versions allow, both sides are looked at."""
_PART: Final = f"[{_LETTER}][{_LETTER}0-9'!?₀-₉ₐ-ₜᵢ-ᵪⱼ]*"
_TOKEN: Final = re.compile(
    rf"(?P<hash>#[A-Za-z_]+)|«(?P<quoted>[^«»\n]*)»|(?P<name>{_PART}(?:\.(?:{_PART}|«[^«»\n]*»))*)(?P<percent>%)?"
)

COMMANDS: Final = frozenset([
    "abbrev", "attribute", "axiom", "builtin_initialize", "class", "declare_syntax_cat", "def", "deriving",
    "elab", "elab_rules", "end", "example", "export", "extern", "implemented_by", "import", "include",
    "inductive", "infix", "infixl", "infixr", "initialize", "instance", "irreducible_def", "lemma", "local",
    "macro", "macro_rules", "mutual", "namespace", "noncomputable", "notation", "notation3", "omit", "opaque",
    "open", "partial", "postfix", "prefix", "private", "protected", "public", "register_builtin_option",
    "register_label_attr", "register_option", "register_simp_attr", "run_cmd", "run_conv", "run_elab",
    "run_meta", "run_tac", "scoped", "section", "set_option", "simproc", "simproc_decl", "structure",
    "syntax", "theorem", "universe", "unsafe", "variable",
])  # fmt: skip
"""Words that begin or mark commands, and tactics that run programs."""

PROGRAMS: Final = frozenset([
    "BaseIO", "CommandElabM", "CoreM", "EIO", "IO", "MacroM", "MetaM", "TacticM", "TermElabM", "addDecl",
    "addAndCompile", "by_elab", "elabCommand", "evalDecl", "evalExpr", "include_bytes", "include_str",
    "liftCommandElabM", "modifyEnv", "ofReduceBool", "ofReduceNat", "ptrAddrUnsafe", "reduceBool",
    "reduceNat", "setEnv", "sorryAx", "trustCompiler", "unsafeBaseIO", "unsafeCast", "unsafeEIO", "unsafeIO",
    "unsafePerformIO", "withImporting",
])  # fmt: skip
"""Names that reach outside the logic, as whole names or as any part of one."""

_PROGRAM_NAMESPACES: Final = (
    "Lean.Elab",
    "Lean.Meta",
    "Lean.Environment",
    "Lean.Parser",
    "Lean.Macro",
    "System",
)
# Every token that is refused has one of these words in it, between other characters, or one of these marks.
_RUN: Final = re.compile("[A-Za-z_]+")
_WORDS: Final = COMMANDS | PROGRAMS | {"Lean", "System"}
_MARKS: Final = "#«%"
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
    """Say why a tactic's text must not reach Lean.

    Args:
        tactic: Tactic source.

    Returns:
        One line naming the token, or `None` when nothing speaks against the text.
    """
    # Most texts have none of the words at all.
    if _WORDS.isdisjoint(_RUN.findall(tactic)) and not any(mark in tactic for mark in _MARKS):
        return None
    return _refused_token(tactic)


def _refused_token(tactic: str) -> str | None:
    for token in _TOKEN.finditer(tactic):
        word = token["name"]
        if word is None:
            word = token["hash"] or token["quoted"]
            # `#s` is the number of elements of `s` in Mathlib; only as the first word of a line is it no term.
            is_command = token["hash"] is not None and (word in _HASH or _begins_line(tactic, token.start()))
        else:
            is_command = word in COMMANDS
        if is_command or word in COMMANDS:
            return f"refused: `{word}` is a command, expected a tactic (whole tokens are compared, comments included)"
        if _is_program(word) or (token["percent"] is not None and word in _PERCENT):
            return f"refused: `{word}` runs programs or steps around the kernel, expected a tactic"
    return None


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t·;(")


def _is_program(word: str) -> bool:
    plain = word.replace("«", "").replace("»", "")
    return any(part in PROGRAMS for part in plain.split(".")) or any(
        f".{prefix}." in f".{plain}." for prefix in _PROGRAM_NAMESPACES
    )
