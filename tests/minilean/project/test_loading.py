"""Files that import each other: what a file finds, and every way in which an import fails."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from minilean.check_command import check_file, main
from minilean.elab.sorry import SORRY
from minilean.kernel.expr import mk_const
from minilean.project.loading import Project
from minilean.project.modules import ProjectError, module_file, project_root, read_project

BASE = 'namespace A\ndef two : Nat := 2\nnotation "TWO" => A.two\n@[simp] theorem t : two = 2 := rfl\nend A\n'


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def errors(folder: Path, name: str) -> list[str]:
    messages, _ = check_file(folder / name, Project(folder))
    return [message.text for message in messages if message.severity == "error"]


def test_a_file_finds_what_its_imports_declare(tmp_path: Path) -> None:
    written(tmp_path, {"A/B.lean": BASE, "C.lean": "import A.B\nimport Init\nexample : TWO = 2 := by simp\n"})
    assert errors(tmp_path, "C.lean") == []


def test_a_file_does_not_find_what_it_does_not_import(tmp_path: Path) -> None:
    written(tmp_path, {"A.lean": BASE, "B.lean": "theorem b : A.two = 2 := rfl\n"})
    assert errors(tmp_path, "B.lean") == ["Unknown identifier `A.two`"]


def test_declarations_of_two_imports_are_joined(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "A.lean": BASE,
            "B.lean": "import A\nclass K (α : Type) where\n  k : α\ninstance : K Nat := ⟨1⟩\n"
            'macro "mine" : tactic => `(tactic| rfl)\n',
            "C.lean": 'import A\n@[simp] theorem c : A.two + 1 = 3 := rfl\ninfixl:65 " ⊞ " => Nat.add\n',
            "D.lean": "import B\nimport C\nexample : A.two ⊞ 1 = 3 := by mine\n"
            "example : A.two + 1 = 3 := by simp only [c]\nexample : (K.k : Nat) = 1 := rfl\n",
        },
    )
    assert errors(tmp_path, "D.lean") == []


def test_instances_of_two_imports_are_both_found(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "A.lean": "class K (α : Type) where\n  k : α\n",
            "B.lean": "import A\ninstance : K Nat := ⟨1⟩\n",
            "C.lean": "import A\ninstance : K Bool := ⟨true⟩\n",
            "D.lean": "import B\nimport C\nexample : (K.k : Nat) = 1 := rfl\nexample : (K.k : Bool) = true := rfl\n",
        },
    )
    assert errors(tmp_path, "D.lean") == []


def test_local_attributes_end_with_their_file(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "A.lean": "def f (n : Nat) : Nat := n + 5\ntheorem fz : f 0 = 5 := rfl\nattribute [local simp] fz\n"
            "example : f 0 = 5 := by simp\n",
            "B.lean": "import A\nexample : f 0 = 5 := by simp\n",
        },
    )
    assert errors(tmp_path, "A.lean") == []
    assert len(errors(tmp_path, "B.lean")) == 1


def test_a_name_that_two_imports_declare_is_refused(tmp_path: Path) -> None:
    files = {"A.lean": "theorem x : 1 = 1 := rfl\n", "B.lean": "theorem x : 2 = 2 := rfl\n"}
    written(tmp_path, {**files, "C.lean": "import A\nimport B\ntheorem c : 2 = 2 := x\n"})
    [error] = errors(tmp_path, "C.lean")
    assert error.startswith("import of `B` failed") and "x" in error


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"A.lean": "import B\n"}, "unknown module prefix 'B'"),
        ({"A.lean": "import Mathlib.Tactic\n"}, "unknown module prefix 'Mathlib.Tactic'"),
        ({"A.lean": "import B\n", "B.lean": "import A\n"}, "import cycle: "),
        ({"A.lean": "import A\n"}, "import cycle: A -> A"),
        ({"A.lean": "import B\n", "B.lean": "import C\n", "C.lean": "import B\n"}, "import cycle: "),
        (
            {"A.lean": "import B\n", "B.lean": "theorem b : 1 = 2 := rfl\n"},
            "import of `B` failed: B.lean has errors",
        ),
        ({"A.lean": "import «..».B\n"}, "unknown module prefix"),
    ],
)
def test_an_import_that_fails_is_one_line(tmp_path: Path, files: Mapping[str, str], expected: str) -> None:
    [error] = errors(written(tmp_path, files), "A.lean")
    assert expected in error and "\n" not in error


def test_a_module_is_not_looked_for_outside_of_the_root(tmp_path: Path) -> None:
    written(tmp_path, {"inside/A.lean": "", "B.lean": ""})
    assert module_file([tmp_path / "inside"], "A") == tmp_path / "inside/A.lean"
    for name in ("..B", ".B", "/B", "..", ""):
        assert module_file([tmp_path / "inside"], name) is None


def test_a_sorry_of_an_import_is_an_axiom_of_what_uses_it(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "A.lean": "theorem gap : 1 = 2 := by sorry\naxiom mine : 1 = 3\n",
            "B.lean": "import A\ntheorem uses : 1 = 2 := gap\ntheorem more : 1 = 3 := mine\n"
            "theorem clean : 1 = 1 := rfl\n",
        },
    )
    env, _ = Project(tmp_path).environment(["B"])
    found = {name: env.kernel.axioms_of(mk_const(name)) for name in ("uses", "more", "clean")}
    assert found == {"uses": (SORRY,), "more": ("mine",), "clean": ()}


def test_axioms_are_kept_when_imports_are_joined(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "A.lean": "theorem a : 1 = 1 := rfl\n",
            "B.lean": "theorem gap : 1 = 2 := by sorry\n",
            "C.lean": "axiom mine : 1 = 3\n",
        },
    )
    env, _ = Project(tmp_path).environment(["A", "B", "C"])
    assert env.kernel.axioms_of(mk_const("gap")) == (SORRY,)
    assert env.kernel.axioms_of(mk_const("mine")) == ("mine",)
    assert env.kernel.axioms_of(mk_const("a")) == ()


def test_a_lakefile_names_the_source_folder(tmp_path: Path) -> None:
    written(
        tmp_path,
        {"lakefile.toml": '[[lean_lib]]\nname = "A"\nsrcDir = "src"\n', "src/A/B.lean": "import A.C\n"},
    )
    written(
        tmp_path,
        {"src/A/C.lean": "theorem c : 1 = 1 := rfl\n", ".lake/packages/x/X.lean": "", "build/Y.lean": ""},
    )
    sources = read_project(tmp_path)
    assert list(sources.files) == ["A.C", "A.B"] and sources.left_out == {}
    assert project_root(tmp_path / "src/A/B.lean") == tmp_path
    assert errors(tmp_path, "src/A/B.lean") == []


def test_files_that_cannot_be_read_are_left_out_with_a_reason(tmp_path: Path) -> None:
    written(tmp_path, {"A.lean": "", "B.lean": "import C\n", "D.lean": "import E\n", "E.lean": "import D\n"})
    (tmp_path / "C.lean").write_bytes(b"theorem \xff")
    sources = read_project(tmp_path)
    assert list(sources.files) == ["A"]
    assert sources.left_out["C.lean"].startswith("not UTF-8 at byte 8")
    assert set(sources.left_out) == {"B.lean", "C.lean", "D.lean", "E.lean"}
    with pytest.raises(ProjectError, match="no such folder"):
        read_project(tmp_path / "missing")


def test_check_reads_imports_below_the_given_root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {"A/B.lean": BASE, "A/C.lean": "import A.B\ntheorem c : TWO = 3 := rfl\n"})
    assert main([str(tmp_path / "A/C.lean")]) == 1
    assert "unknown module prefix 'A.B'" in capsys.readouterr().out
    assert main(["--root", str(tmp_path), str(tmp_path / "A/C.lean"), str(tmp_path / "A/B.lean")]) == 1
    out = capsys.readouterr().out
    assert out.count("error") == 2 and "C.lean:2:" in out
