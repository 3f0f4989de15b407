"""The automation scripts, and their placeholders filled from a theorem."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lean_gym.datasets.formats.lean_source import commands, mask
from lean_gym.types import Theorem

SCRIPTS: Final = (
    "intros; rfl",
    "intros; decide",
    "intros; omega",
    "intros; trivial",
    "intros; contradiction",
    "intros; assumption",
    "intros; simp",
    "intros; simp [*]",
    "intros; simp_all",
    "intros; first | omega | simp_all",
    "intros; subst_vars; simp_all",
    "intros; constructor <;> simp_all",
    "repeat' constructor",
    "intros; exact?",
    "intros; repeat (first | assumption | constructor | omega | simp_all)",
    "intros; grind",
    "intros; aesop",
    "intros; simp [{definitions}]",
    "intros; simp_all [{definitions}]",
    "intros; simp [{definitions}] <;> omega",
    "intros; simp_all [{definitions}] <;> omega",
    "intros; grind [{definitions}]",
    "intros; simp [Nat.mul_add, Nat.add_mul, Nat.mul_assoc, Nat.mul_comm, Nat.mul_left_comm, "
    "Nat.add_assoc, Nat.add_comm, Nat.add_left_comm]",
    "intros; repeat (first | rfl | {rewrites})",
    "intros; repeat (first | rfl | {rewrites backwards})",
    *(
        script.replace("{x}", variable)
        for variable in ("{x1}", "{x2}", "{x3}")
        for script in (
            "induction {x} <;> simp_all [{definitions}]",
            "induction {x} <;> simp_all [{definitions}] <;> omega",
            "induction {x} <;> grind [{definitions}]",
            "cases {x} <;> simp_all [{definitions}]",
            "cases {x} <;> grind [{definitions}]",
        )
    ),
)
"""The automation scripts. Braces hold a placeholder, see `filled`."""
_NAME: Final = r"(?:«[^»]*»|[^\s«»(){}\[\]⦃⦄:,.]+)(?:\.(?:«[^»]*»|[^\s«»(){}\[\]⦃⦄:,.]+))*"
_HEAD: Final = re.compile(rf"\s*(?:theorem|lemma)\s+{_NAME}")
_UNFOLDABLE: Final = re.compile(
    rf"(?:@\[[^\]]*\]\s*|(?:protected|noncomputable|nonrec|private|public)\s+)*(?:def|abbrev|theorem|lemma)\s+({_NAME})"
)
_STRUCTURE: Final = re.compile(rf"(?:@\[[^\]]*\]\s*)*(?:structure|class)\s+({_NAME})")
_FIELD: Final = re.compile(rf"^[ \t]+({_NAME})\s*:(?!=)(.*)$", flags=re.MULTILINE)
_LAW: Final = re.compile(r"(?<![:<>≤≥!=])[=↔]|∀")
_SCOPE: Final = re.compile(rf"(?:namespace|(?:noncomputable\s+)?section|mutual|end)(?:\s+({_NAME}))?\s*\Z")
_FUNCTION_OR_SORT: Final = re.compile(r"(?:Type|Prop|Sort)\b|∀")
_NAMES: Final = re.compile(r"\s*(?:[^\W\d]\S*\s*)+\Z")


def filled(script: str, theorem: Theorem) -> str | None:
    """Return a script with its placeholders filled from a theorem; `None` if one of them has no value.

    `{x1}`, `{x2}`, `{x3}` are the first three variables: the names that the statement binds before its colon, then
    those of the `∀` that its conclusion begins with, without instances and without those whose type is `Prop`, `Type`,
    `Sort` or a function. Variables of the conclusion, up to that one, are introduced first.
    `{definitions}` is what `simp` can unfold or use of the context: the names of its `def`, `abbrev`, `theorem` and
    `lemma` commands, and those of the laws among the fields of its structures. Without any, ` [{definitions}]` is left
    out. `{rewrites}` is `rw [name] | rw [name] ...` with the same names; `{rewrites backwards}` has them in reverse.
    """
    defined = definitions(theorem.context)
    rewrites = [f"rw [{name}]" for name in defined]
    if rewrites:
        script = script.replace("{rewrites}", " | ".join(rewrites))
        script = script.replace("{rewrites backwards}", " | ".join(reversed(rewrites)))
    elif "{rewrites" in script:
        return None
    names = ", ".join(defined)
    text = script.replace("{definitions}", names) if names else script.replace(" [{definitions}]", "")
    for number, (variable, introduced) in enumerate(variables(theorem.statement)[:3], start=1):
        place = f"{{x{number}}}"
        if place in text:
            text = "".join(f"intro {name}; " for name in introduced) + text.replace(place, variable)
    return None if "{x" in text else text


def definitions(context: str) -> list[str]:
    """Return the full names of the definitions, theorems and laws of structures that a context declares, in order."""
    found: list[str] = []
    scopes: list[str] = []
    for command in commands(context):
        text = mask(command.text).strip()
        scope = _SCOPE.match(text)
        if scope is None:
            declared = _UNFOLDABLE.match(text)
            structure = _STRUCTURE.match(text)
            if declared is not None:
                found.append(_full_name(scopes, declared[1]))
            elif structure is not None:
                name = _full_name(scopes, structure[1])
                found += [f"{name}.{field}" for field, type_ in _FIELD.findall(text) if _LAW.search(type_)]
        elif text.startswith("end"):
            del scopes[-1:]
        else:
            scopes.append((scope[1] or "") if text.startswith("namespace") else "")
    return list(dict.fromkeys(found))


def _full_name(scopes: Sequence[str], name: str) -> str:
    return ".".join([*filter(None, scopes), name]).rpartition("_root_.")[2]


def variables(statement: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the variables of a statement, each with the variables of the conclusion to introduce for it."""
    text = mask(statement)
    head = _HEAD.match(text)
    groups, conclusion = _binders(text[head.end() if head else 0 :], ":")
    found: list[tuple[str, tuple[str, ...]]] = [(name, ()) for name in _of_data(groups)]
    introduced: tuple[str, ...] = ()
    while (conclusion := conclusion.lstrip()).startswith("∀"):
        groups, conclusion = _binders(conclusion[1:], ",")
        for names, type_ in groups:
            for name in names:
                introduced = (*introduced, name)
                found += [(each, introduced) for each in _of_data([((name,), type_)])]
    return found


_Group = tuple[tuple[str, ...], str]


def _of_data(groups: Sequence[_Group]) -> Iterator[str]:
    """Yield the names whose type is neither a sort nor a function type."""
    for names, type_ in groups:
        if not _FUNCTION_OR_SORT.match(type_) and "→" not in type_:
            yield from names


def _binders(text: str, end: str) -> tuple[list[_Group], str]:
    """Read binders up to `end` outside of brackets.

    Returns:
        The groups (names, type), and the text after `end`; nothing for what is not a list of binders, as `∀ x < 3, ..`.
    """
    groups: list[_Group] = []
    depth = begin = 0
    bare = ""
    for at, character in enumerate(text):
        if depth == 0 and character == end:
            names, _, type_ = bare.partition(":")
            if names.strip() and not _NAMES.match(names):
                return [], ""
            if names.strip():
                groups.append((tuple(names.split()), type_.strip()))
            return groups, text[at + 1 :]
        if character in "([{⦃":
            begin = begin if depth else at + 1
            depth += 1
        elif character in ")]}⦄":
            depth -= 1
            if depth == 0 and character != "]":
                names, _, type_ = text[begin:at].partition(":")
                groups.append((tuple(names.split()), type_.strip()))
        elif depth == 0:
            bare += character
    return [], ""
