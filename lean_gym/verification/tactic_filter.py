"""Filter in front of real Lean: tactics that it knows pass, everything else is refused.

Some tactics and terms run what they are given: `run_tac`, `native_decide`, the option values of `simp (config := ...)`;
and a library may define others. So the heads of tactics are those of a list, `tactic_vocabulary`; `tactic_blocks` finds
the places where a tactic may stand. Terms are not evaluated, names of programs (`IO.Process.spawn`) included, with
exceptions that are refused by name: `by_elab`, `eval%`, `include_str`. The filter decides nothing: a script that passes
is still replayed and judged by `lean_gym.verification.verify`, and the process is confined by
`lean_gym.backends.sandbox`.

Names are compared whole, so a hypothesis called `macro_h` or a lemma `List.prefix` passes. Comments are skipped, since
`lean_tokens` refuses a text in which their ends are not certain; the words of strings are compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

from lean_gym.verification.lean_tokens import NUMERAL, PART, Token, Unclear, tokens_of
from lean_gym.verification.tactic_blocks import Blocks, Refused

_ANY: Final = f"(?:{PART}|«[^«»]*»)"
_TOKEN: Final = re.compile(
    rf"(?P<numeral>{NUMERAL})|(?P<hash>#[A-Za-z_]+)|(?P<name>{_ANY}(?:\.{_ANY})*)(?P<percent>%)?"
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

CONTEXT_COMMANDS: Final = frozenset([
    "abbrev", "class", "def", "deriving", "end", "include", "inductive", "lemma", "mutual", "namespace",
    "noncomputable", "omit", "open", "section", "set_option", "structure", "theorem", "universe", "variable",
])  # fmt: skip
"""Commands that a statement and its context may have: none of them changes how later text is read."""

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
_UNFINISHED: Final = re.compile(r"(?:\bcalc|:=|[,=<>≤≥+*/∧∨→↔(⟨])\s*\Z")
_PERCENT: Final = frozenset(["eval", "delta", "elab", "unsafe", "ensure_expected_type"])
_HASH: Final = frozenset([
    "#aesop_rules", "#check", "#check_failure", "#check_simp", "#conv", "#count_heartbeats", "#eval", "#exit",
    "#explode", "#find", "#guard", "#guard_expr", "#guard_msgs", "#help", "#here", "#html", "#import_diff",
    "#instances", "#leansearch", "#lint", "#loogle", "#min_imports", "#moogle", "#norm_num", "#parse",
    "#plausible", "#print", "#push_discr_tree", "#redundant_imports", "#reduce", "#sample", "#search",
    "#simp", "#slim_check", "#stacktraces", "#synth", "#test", "#time", "#trans_imports", "#unfold",
    "#version", "#where", "#widget", "#with_exporting",
])  # fmt: skip


def refused_text(tactic: str, allowed: Collection[str] = ()) -> str | None:
    """Return why a tactic's text must not reach Lean.

    Args:
        tactic: Tactic source.
        allowed: Further heads of tactics that may stand in it.

    Returns:
        One line naming the token, or `None` when there is no objection.
    """
    return _refused(tactic, allowed, None)


def refused_commands(text: str, allowed: Collection[str] = ()) -> str | None:
    """Return why a statement, or the commands in front of one, must not reach Lean.

    Args:
        text: Source of commands.
        allowed: Further heads of tactics that may stand in it.

    Returns:
        One line naming the token, or `None` when there is no objection.
    """
    return _refused(text, allowed, CONTEXT_COMMANDS)


def names_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield every name in a text with its place, dotted and quoted names whole.

    Where Lean may read the first characters of a name with the preceding text, the remainder is yielded as well.
    """
    for token in _TOKEN.finditer(text):
        if token["name"] is not None:
            for word in _readings(text, token):
                yield token.start(), word


def _refused(text: str, allowed: Collection[str], commands: Collection[str] | None) -> str | None:
    try:
        tokens = tokens_of(text)
        blocks = Blocks(tokens, allowed, _NOT_OPENED, commands)
        problem = None
        try:
            blocks.read()
        except Refused as error:
            problem = str(error)
        # What is wrong with a word says more than where the word stands.
        return _refused_token(text, tokens, blocks.prefixes | blocks.rules, commands or ()) or problem
    except Unclear as error:
        return f"refused: {error}"


def _refused_token(
    text: str, tokens: Sequence[Token], harmless: Collection[int], commands: Collection[str]
) -> str | None:
    for at, token in enumerate(tokens):
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.kind == "string":
            for _, word in names_in(token.text):
                if refused := _refused_name([word], percent=False):
                    return refused
        elif token.kind == "word" and at not in harmless:
            percent = after == "%" and tokens[at + 1].start == token.start + len(token.text)
            # A field, `h.1.end`, is no command.
            field = token.start > 0 and text[token.start - 1] == "." and token.text in COMMANDS
            if token.text not in commands and not field:
                refused = _refused_name([_source(text, token)], percent)
                if refused is not None:
                    return refused
        elif token.text == "#" and after and after[0].isalpha() and tokens[at + 1].start == token.start + 1:
            # `#s` is the number of elements of `s` in Mathlib; no command begins with a capital letter.
            word = f"#{after}"
            if word in _HASH or (after[0].islower() and _begins_line(text, token.start)):
                return _command(word)
        elif token.text == "@" and after == "[":
            return _command("@[")
    return None


def _source(text: str, token: Token) -> str:
    """Return a word as it is written, with the marks `«»`."""
    found = _TOKEN.match(text, token.start)
    return token.text if found is None or found["name"] is None else found["name"]


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
