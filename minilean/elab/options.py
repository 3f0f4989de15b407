"""Options of `set_option`: those that have an effect here, and what is said about the others."""

from __future__ import annotations

from typing import Final

from minilean.meta.errors import MetaError, UnsupportedError

_WORDS: Final = """
    autoImplicit relaxedAutoImplicit checkBinderAnnotations linter pp trace maxRecDepth maxHeartbeats
    hygiene warningAsError profiler diagnostics synthInstance tactic compiler Elab quotPrecheck bootstrap
    genSizeOf genInjectivity genCtorIdx guard_msgs structureDiamondWarning smartUnfolding eval format debug server
    stderrAsMessages internal interpreter simprocs deprecated exponentiation backward
    allowUnsafeReducibility aesop
"""

_GROUPS: Final = frozenset(_WORDS.split())
"""First words of the names of Lean's options."""

_OF_COMMANDS: Final = frozenset(
    [
        *("autoImplicit", "relaxedAutoImplicit", "checkBinderAnnotations", "hygiene", "quotPrecheck"),
        "guard_msgs.diff",
        *("linter.all", "linter.omit", "linter.unusedSectionVars"),
    ]
)
"""Options that commands read, from `Scope.option`."""

_OFF: Final = ("linter", "trace", "profiler", "diagnostics", "debug", "warningAsError")
"""Groups of options that have an effect when they are on, which they never are here."""

_REFUSED: Final = {
    ("tactic.hygienic", "false"): "the names that tactics choose are always inaccessible",
    ("warningAsError", "true"): "warnings are not errors",
    ("debug.skipKernelTC", "true"): "the kernel checks every proof",
}

_BOOLEAN: Final = ("autoImplicit", "relaxedAutoImplicit")


def is_unknown(name: str) -> bool:
    """Return whether Lean has no option of this name, nor of its group."""
    return name.partition(".")[0] not in _GROUPS


def warning_about(name: str, value: str, by_command: bool) -> str | None:
    """Return the warning about an option that is set, or `None` if it does what Lean says.

    Args:
        name: The option.
        value: Its value as it is written.
        by_command: Whether a command sets it; the options of a tactic block do not change what commands do.

    Raises:
        UnsupportedError: With this value Lean would accept or refuse other proofs.
        MetaError: The value has the wrong type.
    """
    if is_unknown(name):
        return f"unknown option `{name}`"
    group = name.partition(".")[0]
    numeric = name.rpartition(".")[2].startswith("max")
    if (numeric and not value[0].isdecimal()) or (name in _BOOLEAN and value not in ("true", "false")):
        kind = "Nat" if numeric else "Bool"
        raise MetaError(f"type mismatch: the option `{name}` has type `{kind}`")
    reason = _REFUSED.get((name, value))
    if reason is not None:
        raise UnsupportedError(f"`set_option {name} {value}`: {reason}")
    if (by_command and name in _OF_COMMANDS) or (value == "false" and group in _OFF):
        return None
    if name == "tactic.hygienic":
        return None
    return f"the option `{name}` has no effect in minilean"
