"""Files with refused declarations, in the file itself and in imports: what goes on, what is said, what is proved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from minilean.check_command import check_file, check_text, main
from minilean.project.checking import Account, checking_runner
from minilean.project.loading import Project

BASE = """def good : Nat := 2
def bad : Nat := nope
inductive Odd | mk (x : Nat.nope)
theorem right : good = 2 := rfl
theorem wrong (n : Nat) : n = good := rfl
theorem broken : 1 = := rfl
"""


def checked(folder: Path, files: Mapping[str, str], name: str) -> tuple[list[str], Account | None]:
    for path, text in files.items():
        (folder / path).write_text(text, "utf-8")
    messages, account = check_file(folder / name, Project(folder, lenient=True, make_runner=checking_runner))
    return [f"{m.line}:{m.column} {m.text}" for m in messages if m.severity == "error"], account


def test_a_file_goes_on_after_an_import_with_errors(tmp_path: Path) -> None:
    later = "import A\ntheorem t : good = 2 := right\ntheorem u : 1 = 2 := rfl\n"
    errors, account = checked(tmp_path, {"A.lean": BASE, "B.lean": later}, "B.lean")
    assert errors[0] == (
        "1:0 import of `A` failed: A.lean has errors, the first at 2:17: Unknown identifier `nope`"
    )
    assert [error[:2] for error in errors[1:]] == ["3:", "3:"]
    assert account == Account(("t",), ("u",), ())


def test_each_import_with_errors_is_named_once(tmp_path: Path) -> None:
    files = {
        "A.lean": BASE,
        "B.lean": "import A\ndef other : Nat := nope\n",
        "C.lean": "import B\nimport A\ntheorem t : good = 2 := right\n",
    }
    errors, account = checked(tmp_path, files, "C.lean")
    assert [error[:21] for error in errors] == ["1:0 import of `A` fai", "1:0 import of `B` fai"]
    assert account == Account(("t",), (), ())


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        ("theorem t : bad = 2 := rfl", "bad", "2:0"),
        ("theorem t : bad = bad := rfl", "bad", "2:0"),
        ("theorem t (x : Odd) : x = x := rfl", "Odd", "3:0"),
        ("theorem t : 1 = 1 := by\n  simp [bad]", "bad", "2:0"),
        ("theorem t : 1 = 1 := by\n  have := bad\n  rfl", "bad", "2:0"),
        ("namespace A\ntheorem t : bad = bad := rfl", "bad", "2:0"),
        ("theorem t : broken = broken := rfl", "broken", "6:0"),
    ],
)
def test_what_was_refused_is_named_where_it_is_used(tmp_path: Path, text: str, name: str, place: str) -> None:
    files = {"A.lean": BASE, "B.lean": f"import A\n{text}\n"}
    errors, account = checked(tmp_path, files, "B.lean")
    note = f"Note: `{name}` is missing, its declaration was refused: A.lean:{place}"
    assert errors[1:] and all(error.endswith(note) for error in errors[1:])
    assert account is not None and account.refused in (("t",), ("A.t",))


@pytest.mark.parametrize(
    "refused", ["def f (n : Nat) : Nat := nope", "def f (n : Nat) : Nat := +", "opaque f : Nat → Nat := 3"]
)
def test_a_refused_name_has_no_other_meaning(refused: str) -> None:
    """As a variable that is bound automatically it would make another theorem, which may even be proved."""
    messages = check_text(f"{refused}\ntheorem t : f 0 = f 0 := rfl\n#print axioms t\n")
    assert {m.line for m in messages if m.severity == "error"} == {1, 2, 3}
    assert "does not depend on any axioms" not in "".join(m.text for m in messages)


def test_a_theorem_that_fails_gives_no_second_error() -> None:
    messages = check_text(
        "namespace A\n@[simp] theorem a (n : Nat) : Nat.gcd n 7 + 5 = n := by\n  rfl\nend A\nopen A\n"
        "open Nat in\ntheorem b : 1 = 2 := nope\n"
        "theorem c : Nat.gcd 0 7 + 5 = 0 := a 0\ntheorem d (n : Nat) : Nat.gcd n 7 + 5 = n := by simp\n"
        "#print axioms c\n#print axioms b\ntheorem b : 2 = 2 := rfl\n"
    )
    assert [(m.line, m.severity) for m in messages] == [
        (3, "error"), (7, "error"), (10, "info"), (11, "info"), (12, "error"),
    ]  # fmt: skip
    assert messages[2].text == "'c' depends on axioms: [sorryAx]"
    assert messages[3].text == "'b' depends on axioms: [sorryAx]"
    assert messages[4].text == "`b` has already been declared"


ATTACKS = [
    "theorem t : False := nope\ntheorem u : False := t",
    "theorem t : False := nope\ntheorem u : 1 = 2 := by simp [t]",
    "theorem t : False := nope\ntheorem u : 1 = 2 := t.elim",
    "theorem t : False := nope\ninstance : Inhabited False := ⟨t⟩\ntheorem u : False := default",
    "@[simp] theorem t : True = False := nope\ntheorem u : False := by simpa using trivial",
    "@[simp] theorem t : True = False := nope\ntheorem u : False := by\n  have h : True := trivial\n  simp at h",
    "theorem t : False := nope\ndef f (h : False) : Nat := 1\ndef g : Nat := f t\ntheorem u : g = 1 := rfl",
    "theorem t (n : Nat) : n < n := nope\ndef f (n : Nat) : Nat := f n\n  termination_by n\n  decreasing_by exact t n\n"
    "theorem u : f = f := rfl",
    "theorem t : False := nope\n@[ext] theorem t' (a b : Nat) : a = b := t.elim\ntheorem u : 1 = 2 := by\n  ext",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_what_uses_a_refused_theorem_is_not_proved(tmp_path: Path, text: str) -> None:
    alone, account = checked(tmp_path, {"A.lean": text}, "A.lean")
    assert alone and account is not None and account.proved == ()
    base, _, last = text.rpartition("\ntheorem u")
    errors, account = checked(tmp_path, {"A.lean": base, "B.lean": f"import A\ntheorem u{last}\n"}, "B.lean")
    assert errors and account is not None and account.proved == ()


def test_the_account_is_the_last_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "A.lean").write_text(BASE, "utf-8")
    (tmp_path / "B.lean").write_text(
        "import A\ntheorem t : good = 2 := right\ntheorem u : 1 = good := wrong 1\n", "utf-8"
    )
    assert main(["--root", str(tmp_path), str(tmp_path / "A.lean"), str(tmp_path / "B.lean")]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{tmp_path}/A.lean: 1 of 3 theorems are proved; refused: wrong, broken",
        f"{tmp_path}/B.lean: 1 of 2 theorems are proved; proved from `sorry` or a refused theorem: u",
    ]


def test_a_file_without_errors_has_no_account(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "A.lean").write_text("theorem t : 1 = 2 := sorry\n", "utf-8")
    assert main([str(tmp_path / "A.lean")]) == 0
    assert capsys.readouterr().err == ""
