"""`end`: the scopes that it closes, and the errors in its name.

Source: Lean 4 `src/Lean/Elab/BuiltinCommand.lean` (`elabEnd`, 4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from minilean.elab.names import Scope
from minilean.meta.errors import MetaError

_INSERTED, _DELETED = "\u0332", "\u0335"


def scopes_to_end(scopes: Sequence[Scope], name: str | None) -> int:
    """Return the number of scopes that `end name` closes.

    Args:
        scopes: The open scopes, the one of the file first.
        name: The name after `end`.

    Raises:
        MetaError: There is no scope to end, or it has another name.
    """
    if len(scopes) == 1:
        raise MetaError(
            "Invalid `end`: There is no current scope to end\n\n"
            "Note: Scopes are introduced using `namespace` and `section`"
        )
    labels = [scope.label for scope in scopes[1:]]
    if name is None:
        if labels[-1]:
            raise MetaError(
                f"Missing name after `end`: Expected the current scope name `{labels[-1]}`\n\n"
                f"Hint: To end the current scope `{labels[-1]}`, specify its name:\n"
                f"  end{_marked(' ' + labels[-1], _INSERTED)}"
            )
        return 1
    size = len(name.split("."))
    if size > len(labels):
        hint = _replacement(labels, name) or (
            f"\n\nHint: The name after `end` must be `{_named(labels)}` or some suffix thereof"
        )
        raise MetaError(f"Invalid name after `end`: `{name}` contains too many components{hint}")
    expected = _named(labels[-size:])
    if not expected:
        raise MetaError(
            f"Unexpected name `{name}` after `end`: The current section is unnamed\n\n"
            f"Hint: Delete the name `{name}` to end the current unnamed scope; outer named scopes can then be "
            f"closed using additional `end` command(s):\n  end{_marked(' ' + name, _DELETED)}"
        )
    if expected != name:
        help_ = _replacement(labels, name) or _outer(labels, name, expected)
        raise MetaError(f"Invalid name after `end`: Expected `{expected}`, but found `{name}`{help_}")
    return size


def _named(labels: Sequence[str]) -> str:
    """Return the labels of the innermost named scopes as one dotted name."""
    return ".".join(reversed(list(takewhile(bool, reversed(labels)))))


def _replacement(labels: Sequence[str], name: str) -> str:
    """Return the hint for a wrong name where only one scope is open."""
    if len(labels) != 1:
        return ""
    marked = _marked(name, _DELETED) + _marked(labels[0], _INSERTED)
    return f"\n\nHint: Use current scope name `{labels[0]}`:\n  end {marked}"


def _outer(labels: Sequence[str], name: str, expected: str) -> str:
    """Return the hint where `name` names outer scopes, else a note about the open scopes."""
    all_ = _named(labels)
    open_, given = all_.split("."), name.split(".")
    for start in range(len(open_) - len(given), -1, -1):
        if open_[start : start + len(given)] == given:
            rest = open_[start + len(given) :]
            suffix = ".".join(open_[start:])
            return (
                f"\n\nHint: If you meant to end the outer scope(s) `{name}`, you must end all the "
                f"intervening scopes `{suffix}`:\n  end {name}.{_marked('.'.join(rest), _INSERTED)}"
            )
    return f"\n\nNote: The current scopes are `{all_}`" if all_ != expected else ""


def _marked(text: str, mark: str) -> str:
    return "".join(char + mark for char in text)
