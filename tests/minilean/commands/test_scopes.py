"""Effects that end with a scope: local and scoped attributes, options, included variables; errors of `end`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]
PAIR = "structure Pair where\n  left : Nat\n  right : Nat\n"
ADD = "instance : Add Pair where\n  add a b := ⟨a.left + b.left, a.right⟩\n"
USE = "example (p : Pair) : Pair := p + p\n"
SCOPED = f"{PAIR}namespace Pair\nscoped {ADD}def twice (p : Pair) : Pair := p + p\nend Pair\n"


def errors(messages: list[str]) -> list[str]:
    return [m.split("error ")[1].split("\n")[0] for m in messages if " error " in m]


@pytest.mark.parametrize(
    "text",
    [
        f"{PAIR}section\nlocal {ADD}end\n{USE}",
        f"{SCOPED}{USE}",
        f"{PAIR}section\n{ADD}attribute [-instance] instAddPair\n{USE}",
    ],
)
def test_an_instance_that_has_passed_is_not_found(messages: Check, text: str) -> None:
    assert errors(messages(text)) == ["failed to synthesize instance of type class"]


@pytest.mark.parametrize(
    "text",
    [
        f"{PAIR}section\nlocal {ADD}{USE}end\n",
        f"{SCOPED}open Pair\n{USE}",
        f"{SCOPED}open scoped Pair in\n{USE}",
        f"{SCOPED}namespace Pair\n{USE}",
        f"{PAIR}{ADD}section\nattribute [-instance] instAddPair\nend\n{USE}",
    ],
)
def test_an_instance_holds_in_its_scope(messages: Check, text: str) -> None:
    assert messages(text) == []


def test_open_scoped_brings_no_names(messages: Check) -> None:
    assert errors(messages(f"{SCOPED}open scoped Pair\n#check twice")) == ["Unknown identifier `twice`"]


def test_a_local_simp_lemma_passes_with_its_section(messages: Check) -> None:
    text = "def same (a b : Nat) : Prop := a = b\nsection\nattribute [local simp] same\n"
    example = "example : same 1 1 := by simp\n"
    assert messages(f"{text}{example}end\n") == []
    assert errors(messages(f"{text}end\n{example}")) == ["`simp` made no progress"]
    assert errors(messages("attribute [-simp] Nat.mul_comm")) == [
        "`Nat.mul_comm` does not have a `[simp]` attribute"
    ]


def test_what_is_registered_in_between_outlives_an_erased_instance(messages: Check) -> None:
    other = "instance : Mul Pair where\n  mul a _ := a\n"
    text = f"{PAIR}{ADD}section\nattribute [-instance] instAddPair\n{other}end\n{USE}"
    assert messages(f"{text}example (p : Pair) : Pair := p * p + p") == []


def test_what_is_marked_in_between_outlives_a_local_attribute(messages: Check) -> None:
    proof = "(p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by"
    long, short = f"{proof} cases p; cases q; cases h; cases k; rfl\n", f"{proof} ext; exact h; exact k\n"
    text = f"{PAIR}theorem one {long}section\nattribute [local ext] one\n@[ext] theorem two {long}end\nexample {short}"
    assert messages(text) == []
    assert errors(messages(text.replace("@[ext] theorem two", "theorem two"))) != []


def test_a_local_eliminator_passes_with_its_section(messages: Check) -> None:
    text = (
        "theorem up {motive : Nat → Prop} (zero : motive 0) (up : ∀ n, motive n → motive (n + 1)) (n : Nat) :\n"
        "    motive n := Nat.rec zero up n\nsection\nattribute [local induction_eliminator] up\n"
    )
    example = "example (n : Nat) : 0 + n = n := by\n  induction n with\n  | zero => rfl\n"
    example += "  | up n h => rw [← Nat.add_assoc, h]\n"
    assert messages(f"{text}{example}end\n") == []
    assert errors(messages(f"{text}end\n{example}")) != []


def test_a_theorem_sees_the_variables_of_its_statement_and_included_ones(messages: Check) -> None:
    text = (
        "variable (n : Nat) (h : n = n)\n{}theorem t (m : Nat) : m = m := by\n  have : n = n := rfl\n  rfl\n"
    )
    assert errors(messages(text.format(""))) == ["Unknown identifier `n`"]
    found = messages(text.format("include h in\n") + "#check t")
    assert found[1:] == ["6:0 info t (n : Nat) (h : n = n) (m : Nat) : m = m"]
    assert found[0].startswith(
        "3:0 warning automatically included section variable(s) unused in theorem `t`:\n  h\n"
    )
    assert errors(messages(text.format("include n\nomit n in\n"))) == ["Unknown identifier `n`"]


def test_brackets_of_a_variable_can_be_changed(messages: Check) -> None:
    text = (
        "variable {α β : Type}\nvariable (α γ)\ndef pick (a : α) (b : β) (c : γ) := (a, b, c)\n#check pick\n"
    )
    text += "variable {α} [i : Add α]\nvariable (i) ⦃γ⦄\ndef twice (a : α) := a + a\n#check twice\n"
    assert messages(text) == [
        "4:0 info pick.{u_1} (α : Type) {β : Type} (γ : Type u_1) (a : α) (b : β) (c : γ) : α × β × γ",
        "8:0 info twice {α : Type} (i : Add α) (a : α) : α",
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("variable (n : Nat)\nvariable (n)", "redundant binder annotation update"),
        (
            "variable (h : 1 = 1 := rfl)\nvariable {h}",
            "cannot update binder annotation of variables with default values/tactics",
        ),
        (
            "variable (n)\nvariable [n]",
            "cannot update binder annotation of variable `n` to instance implicit:\n"
            "variable was originally declared without an explicit type",
        ),
        (
            "variable (n : Nat)\nvariable [n]",
            "cannot update binder annotation of variable `n` to instance implicit:\n"
            "invalid binder annotation, type is not a class instance\n  Nat\n\n"
            "Note: Use the command `set_option checkBinderAnnotations false` to disable the check",
        ),
        (
            "variable (a : α)\nomit α in\ntheorem t : True := trivial",
            "invalid `omit`, `α` has not been declared in the current scope",
        ),
        (
            "variable (α : Type)\nomit α in\ntheorem t (a : α) : True := trivial",
            "cannot omit referenced section variable `α`",
        ),
        (
            "variable [Inhabited α]\nomit [Inhabited α] in\ntheorem t : (default : α) = default := rfl",
            "cannot omit referenced section variable `inst✝`",
        ),
        ("omit [Inhabited Nat]", "`[Inhabited Nat]` did not match any variables in the current scope"),
    ],
)
def test_variables_that_cannot_be_changed_or_left_out(messages: Check, text: str, error: str) -> None:
    assert [m.split(" error ", 1)[1] for m in messages(text)] == [error]


def test_an_instance_that_is_left_out_is_not_found(messages: Check) -> None:
    text = "variable {α : Type} [Inhabited α]\n{}theorem t (a : α) : ∃ b : α, b = b := ⟨default, rfl⟩\n"
    assert messages(text.replace("{}", "")) == []
    found = errors(messages(text.replace("{}", "omit [Inhabited α] in\n")))
    assert found == ["failed to synthesize instance of type class"]


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


def test_a_definition_takes_the_instances_that_it_speaks_of(messages: Check) -> None:
    text = "variable {α : Type} [Add α]\ndef same (a : α) := a\n#check same\n"
    assert messages(text) == ["3:0 info same {α : Type} (a : α) : α"]


@pytest.mark.parametrize(
    "block",
    [
        "by\n  cases n with\n  | zero => simp\n  | succ n => rw [Nat.add_comm]",
        "by\n  induction n with\n  | zero => simp\n  | succ n ih => rw [Nat.add_comm]",
        "by\n  obtain _ | n := n\n  · simp\n  · rw [Nat.add_comm]",
        "by\n  revert n\n  intro n\n  rw [Nat.add_comm]",
        "by\n  obtain ⟨k, e⟩ : ∃ k, n = k := ⟨n, rfl⟩\n  subst e\n  rw [Nat.add_comm]",
    ],
)
def test_variables_of_a_section_can_be_taken_apart(messages: Check, block: str) -> None:
    assert not messages(f"variable {{m n : Nat}}\ntheorem t : m + n = n + m := {block}")


def test_a_theorem_is_out_of_sight_where_its_variable_was_taken_apart(messages: Check) -> None:
    block = "by\n  cases n with\n  | zero => rfl\n  | succ n => exact t"
    found = messages(f"variable {{n : Nat}}\ntheorem t : n = 0 := {block}")
    assert found == ["5:20 error Unknown identifier `t`"]


def test_goals_show_no_variable_that_is_left_out(messages: Check) -> None:
    text = "variable (n : Nat)\ntheorem t (m : Nat) : m = m := by\n  skip\n"
    assert messages(text) == ["2:31 error unsolved goals\nm : Nat\n⊢ m = m"]


def test_auto_implicit_follows_its_options(messages: Check) -> None:
    note = "Note: It is not possible to treat `{}` as an implicitly bound variable here because "
    text = "set_option {} false in\ndef f (x : {}) := x"
    assert messages(text.format("autoImplicit", "α")) == [
        "2:11 error Unknown identifier `α`\n\n"
        + note.format("α")
        + "the `autoImplicit` option is set to `false`."
    ]
    assert messages(text.format("relaxedAutoImplicit", "item")) == [
        "2:11 error Unknown identifier `item`\n\n"
        + note.format("item")
        + "it has multiple characters while the `relaxedAutoImplicit` option is set to `false`."
    ]
    assert messages(text.format("relaxedAutoImplicit", "α₁")) == []
    assert messages("set_option autoImplicit false in\ndef f (x : Type u) := x") == [
        "2:11 error unknown universe level `u`"
    ]


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


def test_a_binder_in_brackets_is_a_class(messages: Check) -> None:
    first = "invalid binder annotation, type is not a class instance"
    assert errors(messages("def f [n : Nat] : Nat := n")) == [first]
    assert messages("set_option checkBinderAnnotations false in\ndef f [n : Nat] : Nat := n") == []


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


def test_an_unnamed_instance_gets_a_name_of_its_own(messages: Check) -> None:
    assert messages(f"{PAIR}{ADD}{ADD}#check instAddPair_1") == ["8:0 info instAddPair_1 : Add Pair"]
