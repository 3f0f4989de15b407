"""Effects that end with a scope: local and scoped attributes, options, included variables; errors of `end`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]
PAIR = "structure Pair where\n  left : Nat\n  right : Nat\n"
ADD = "instance : Add Pair where\n  add a b := ⟨a.left + b.left, a.right⟩\n"
USE = "example (p : Pair) : Pair := p + p\n"


def errors(messages: list[str]) -> list[str]:
    return [m.split("error ")[1].split("\n")[0] for m in messages if " error " in m]


@pytest.mark.parametrize(
    "text",
    [
        f"{PAIR}section\n{ADD}attribute [-instance] instAddPair\n{USE}",
    ],
)
def test_an_instance_that_has_passed_is_not_found(messages: Check, text: str) -> None:
    assert errors(messages(text)) == ["failed to synthesize instance of type class"]


@pytest.mark.parametrize(
    "text",
    [
        f"{PAIR}{ADD}section\nattribute [-instance] instAddPair\nend\n{USE}",
    ],
)
def test_an_instance_holds_in_its_scope(messages: Check, text: str) -> None:
    assert messages(text) == []


def test_what_is_registered_in_between_outlives_an_erased_instance(messages: Check) -> None:
    other = "instance : Mul Pair where\n  mul a _ := a\n"
    text = f"{PAIR}{ADD}section\nattribute [-instance] instAddPair\n{other}end\n{USE}"
    assert messages(f"{text}example (p : Pair) : Pair := p * p + p") == []


def test_a_theorem_that_takes_more_variables_than_it_needs_is_warned_of(messages: Check) -> None:
    text = "variable {α : Type} [Inhabited α] (n : Nat)\n{}theorem t (a : α) : a = a := rfl\n"
    warning = (
        "automatically included section variable(s) unused in theorem `t`:\n  [Inhabited α]\n  n\nconsider "
        "restructuring your `variable` declarations so that the variables are not in scope or explicitly omit "
        "them:\n  omit [Inhabited α] n in theorem ...\n\n"
        "Note: This linter can be disabled with `set_option linter.unusedSectionVars false`"
    )
    assert messages(text.replace("{}", "include n in\n")) == [f"3:0 warning {warning}"]
    assert messages(text.replace("{}", "include n in\nset_option linter.all false in\n")) == []
    assert messages(text.replace("{}", "include n in\n").replace("rfl", "sorry")) == [
        "3:8 warning declaration uses `sorry`"
    ]


def test_a_theorem_is_out_of_sight_where_its_variable_was_taken_apart(messages: Check) -> None:
    block = "by\n  cases n with\n  | zero => rfl\n  | succ n => exact t"
    found = messages(f"variable {{n : Nat}}\ntheorem t : n = 0 := {block}")
    assert found == ["5:20 error Unknown identifier `t`"]


def test_all_unknown_names_of_a_header_are_told(messages: Check) -> None:
    text = "set_option autoImplicit false in\ndef f (g : β → γ) (x : Nat) (y : β) : γ := g y"
    assert [message.splitlines()[0] for message in messages(text)] == [
        f"2:{at} error Unknown identifier `{name}`"
        for at, name in ((11, "β"), (15, "γ"), (33, "β"), (38, "γ"))
    ]
    # an unknown name stands for no proposition that something else could settle
    text = "set_option autoImplicit false in\ntheorem t (h : q) : {} := h\n#check t"
    assert [message.split("\n")[0] for message in messages(text.format("q"))] == [
        "2:15 error Unknown identifier `q`",
        "2:20 error Unknown identifier `q`",
        "3:7 error Unknown identifier `t`",
    ]
    assert len(messages(text.format("True"))) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("end", "Invalid `end`: There is no current scope to end"),
        ("namespace A\nend", "Missing name after `end`: Expected the current scope name `A`"),
        ("namespace A.B\nend A.C", "Invalid name after `end`: Expected `A.B`, but found `A.C`"),
        ("section\nend B", "Unexpected name `B` after `end`: The current section is unnamed"),
        ("section S\nend T.S", "Invalid name after `end`: `T.S` contains too many components"),
    ],
)
def test_end_closes_the_scope_that_it_names(messages: Check, text: str, message: str) -> None:
    assert errors(messages(text)) == [message]


def test_end_hints_at_what_to_write(messages: Check) -> None:
    assert messages("namespace A.B.C\nend A.B")[0].endswith(
        "Hint: If you meant to end the outer scope(s) `A.B`, you must end all the intervening scopes `A.B.C`:\n"
        "  end A.B.C\u0332"
    )
    assert messages("section A\nend B")[0].endswith("Hint: Use current scope name `A`:\n  end B\u0335A\u0332")
