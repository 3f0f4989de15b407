"""`set_option`: an option has its effect, or is refused, or a warning says that it has none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

IN_TACTICS = "example : 1 = 1 := by\n  set_option {} in\n  rfl"


@pytest.mark.parametrize(
    "option", ["tactic.hygienic false", "warningAsError true", "debug.skipKernelTC true"]
)
def test_an_option_that_would_change_verdicts_is_refused(option: str, messages: Check) -> None:
    (message,) = messages(f"set_option {option}")
    assert message.startswith(f"1:0 error unsupported: `set_option {option}`: ")
    (message,) = messages(IN_TACTICS.format(option))
    assert message.startswith(f"2:2 error unsupported: `set_option {option}`: ")


@pytest.mark.parametrize(
    "option",
    ["pp.all true", "maxRecDepth 1000", "trace.Meta.synthInstance true", "exponentiation.threshold 9"],
)
def test_an_option_without_effect_says_so(option: str, messages: Check) -> None:
    name = option.partition(" ")[0]
    assert messages(f"set_option {option}") == [f"1:0 warning the option `{name}` has no effect in minilean"]
    assert messages(IN_TACTICS.format(option)) == [
        f"2:2 warning the option `{name}` has no effect in minilean"
    ]


@pytest.mark.parametrize(
    "option",
    ["tactic.hygienic true", "linter.unusedVariables false", "trace.Meta.debug false", "profiler false"],
)
def test_what_is_so_anyway_is_silent(option: str, messages: Check) -> None:
    assert messages(f"set_option {option}") == []
    assert messages(IN_TACTICS.format(option)) == []


def test_an_option_of_commands_has_no_effect_in_tactics(messages: Check) -> None:
    assert messages("set_option autoImplicit false") == []
    assert messages(IN_TACTICS.format("autoImplicit false")) == [
        "2:2 warning the option `autoImplicit` has no effect in minilean"
    ]


def test_an_unknown_option_in_tactics(messages: Check) -> None:
    assert messages(IN_TACTICS.format("no.such true")) == ["2:2 warning unknown option `no.such`"]
    assert messages(IN_TACTICS.format("maxRecDepth true"))[0].endswith("has type `Nat`")
