"""minilean's library compiled by Lean: nothing is refused, and theorems say the same and rest on the same axioms."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_gym.errors import BackendUnavailable
from lean_gym.lean import compiled_library as compiling
from lean_gym.lean.bridge import identifier
from lean_gym.lean.compiled_library import NotCompiled, compiled_library
from minilean.kernel.declaration import TheoremDecl
from minilean.kernel.expr import mk_const
from minilean.meta.extension import LeanEnv

MADE_BY_EACH = re.compile(
    r"\.(eq_def|eq_\d+|match_\d+(_\d+)?|inj|injEq|sizeOf_spec|_default|_sizeOf_\w+|casesOn|recOn|below|brecOn)$"
)
"""Auxiliary declarations, which Lean makes at other times, or in another form."""
OTHERWISE = {
    "Trans.trans": "the class's parameters in braces are explicit in minilean's projection",
    "List.filterMap_cons": "a function for `match` of another name",
    "List.elem_cons": "a function for `match` of another name",
    "List.lookup_cons": "a function for `match` of another name",
    "LawfulGetElem.mk": "a function for `match`, or the recursor",
    "LawfulGetElem.rec": "a function for `match`, or the recursor",
    "LawfulGetElem.getElem!_def": "a function for `match`, or the recursor",
    "Array.getElem_map": "another proof that the index is in bounds",
    "String.append_empty": "a literal, which minilean represents otherwise",
    "String.empty_append": "a literal, which minilean represents otherwise",
    "String.splitOn": "a literal in a default value",
    "let_body_congr": "`let` in a statement, which minilean expands",
    "instDecidableEqOrdering.number": "an auxiliary definition of `deriving`",
    "instDecidableEqOrdering.differ": "an auxiliary definition of `deriving`",
    "instDecidableEqOrdering.decEq": "an auxiliary definition of `deriving`",
}
MORE_AXIOMS = {
    **dict.fromkeys(
        [
            *(
                f"Nat.Simproc.{name}"
                for name in ("sub_add_eq_comm", "add_sub_add_le", "add_sub_add_ge", "add_sub_le")
            ),
            *(f"List.MergeSort.Internal.{name}" for name in ("longer_half_lt", "half_lt")),
        ],
        "`omega` of Lean rests on propext",
    ),
    **dict.fromkeys(
        ["List.nil_merge", "List.merge_right"], "equations of recursion along a measure rest on Quot.sound"
    ),
}
"""Theorems for which Lean needs an axiom that minilean does not."""
Lean = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def compiled(lean_library: Path) -> Path:
    """The compiled library; the first run after a change of it takes one to two minutes."""
    return compiled_library(lean_library)


@pytest.fixture(scope="session")
def lean(compiled: Path, lean_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Lean:
    """Run Lean's command line on a text, with the library; return its messages, errors marked."""
    file = tmp_path_factory.mktemp("lean") / "Test.lean"

    def said(text: str) -> list[str]:
        file.write_text(text, "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "lean_gym.lean.lean_main", "--json", "-DmaxErrors=10000", str(file)],
            capture_output=True,
            text=True,
            cwd=file.parent,
            env=os.environ | {"LEAN_PATH": str(compiled), "LEAN_GYM_LEAN_LIBRARY": str(lean_library)},
        )
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        return [("error: " if each["severity"] == "error" else "") + each["data"] for each in messages]

    return said


def test_every_declaration_has_the_type_that_lean_gives_it(compiled: Path, library_export: Path) -> None:
    program = Path(__file__).with_name("compared_types.py")
    done = subprocess.run(
        [sys.executable, str(program), str(compiled), str(library_export)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    differing = dict(map(json.loads, done.stdout.splitlines()))
    assert {name for name in differing if not MADE_BY_EACH.search(name)} == set(OTHERWISE)


def test_theorems_rest_on_no_more_axioms(lean: Lean, known: LeanEnv) -> None:
    kernel = known.kernel
    names = [
        name for name in kernel if isinstance(kernel.get(name), TheoremDecl) and not MADE_BY_EACH.search(name)
    ]
    assert len(names) > 2400
    said = lean("".join(f"#print axioms {identifier(tuple(name.split('.')))}\n" for name in names))
    assert len(said) == len(names)
    of_lean = {}
    for name, line in zip(names, said, strict=True):
        found = re.search(r"\[(.*)\]", line, re.DOTALL)
        of_lean[name] = tuple(sorted(re.split(r",\s*", found[1]))) if found else ()
    assert set().union(*of_lean.values()) == {"Classical.choice", "Quot.sound", "propext"}
    # Lean's `by_cases` asks for an instance first, minilean's is always classical.
    more = {
        name for name, axioms in of_lean.items() if not set(axioms) <= set(kernel.axioms_of(mk_const(name)))
    }
    assert more == set(MORE_AXIOMS)


def test_goals_are_printed_with_lean_s_notations(lean: Lean) -> None:
    text = """
theorem a (p : Nat → Prop) (f : ∀ n, p n) :
    (∃ x, x < 5 ∧ ¬ p x) → ∀ y ∈ ([1, 2] : List Nat), ∃ z : Int, (y : Int) ≤ z := by
  intro ⟨x, h, k⟩
  trace_state
  exact absurd (f x) k
#print axioms a
"""
    assert lean(text) == [
        "p : Nat → Prop\nf : ∀ (n : Nat), p n\nx : Nat\nh : x < 5\nk : ¬p x\n⊢ ∀ (y : Nat), y ∈ [1, 2] → ∃ z, ↑y ≤ z",
        "'a' does not depend on any axioms",
    ]


@pytest.mark.parametrize(
    "proof",
    [
        "(a b c : Nat) (h : a < b) (k : 2 * b ≤ c) : 2 * a + 1 < c := by omega",
        "(x y : Int) (h : 12 * x + 21 * y = 4) : False := by omega",
        "(x : Nat) (h : x + 5 = 8) : x = 3 := by simpa using h",
        "(a b : Nat) (h : a < b) : (a : Int) < b := by exact_mod_cast h",
        "(b : Bool) : (if b then 1 else 2) ≤ 2 := by split <;> decide",
        "(x : Nat) (h : x ∈ [1, 2]) : x ≤ 2 := by rcases h with _ | ⟨_, _ | ⟨_, h⟩⟩; all_goals trivial",
        "(a b c : Nat) (h : a = b) (k : b = c) : a = c := calc\n  a = b := h\n  _ = c := k",
        "(n : Nat) : n < 2 ^ n := by induction n with | zero => decide | succ n h => rw [Nat.pow_succ]; omega",
        "(f : Nat → Nat) (h : ∀ x, f x = x) : (fun x => f x) = fun x => x := by ext x; conv => lhs; rw [h]",
        "(xs : Array Nat) (i : Nat) (h : i < xs.size) : (xs.set i 1).size = xs.size := by simp",
    ],
)
def test_tactics_find_the_constants_that_they_name(lean: Lean, proof: str) -> None:
    said = lean(f"theorem a {proof}\n#print axioms a\n")
    assert [line for line in said if line.startswith("error") or "sorryAx" in line] == []
    assert said[-1].startswith("'a' d")


def test_a_failing_tactic_says_what_fails(lean: Lean) -> None:
    assert lean("theorem a (a b : Nat) : a = b := by omega\n")[0].startswith(
        "error: omega could not prove the goal"
    )
    assert lean("theorem a (p q : Prop) (h : p) : q := by exact h\n") == [
        "error: Type mismatch\n  h\nhas type\n  p\nbut is expected to have type\n  q"
    ]


def test_what_is_compiled_is_not_compiled_again(compiled: Path, lean_library: Path) -> None:
    said: list[str] = []
    assert compiled_library(lean_library, said.append) == compiled
    assert said == []


@pytest.fixture
def interrupted(compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which a process was stopped while it compiled the last file of the library."""
    last = (
        (Path(compiling.__file__).parents[2] / "minilean" / "library" / "order.txt").read_text().split()[-1]
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "lean-gym" / "oleans" / compiled.name
    shutil.copytree(compiled, folder)
    for missing in (folder / "Init.olean", folder / "Init" / last.replace(".lean", ".olean")):
        missing.unlink()
    abandoned = tmp_path / "lean-gym" / "oleans" / "modules" / "lean-killed"
    abandoned.mkdir(parents=True)
    return folder


def test_a_stopped_compilation_goes_on(interrupted: Path, lean_library: Path) -> None:
    said: list[str] = []
    assert compiled_library(lean_library, said.append) == interrupted
    assert [line.split()[5].rstrip(",") for line in said] == ["MergeSort", "Init"]
    assert (interrupted / "Init.olean").is_file()
    assert not (interrupted.parent / "modules" / "lean-killed").exists()


def test_two_processes_compile_once(interrupted: Path, lean_library: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from lean_gym.lean.compiled_library import compiled_library as c\n"
        "print(c(Path(sys.argv[1]), lambda line: print(line, file=sys.stderr)))"
    )
    command = [sys.executable, "-c", program, str(lean_library)]
    pipe = subprocess.PIPE
    both = [subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) for _ in range(2)]
    results = [each.communicate() for each in both]
    assert [out for out, _ in results] == [f"{interrupted}\n"] * 2
    assert sum(said.count("compiling") for _, said in results) == 2  # two files, by one of them


def test_a_refused_file_is_named_with_the_place(
    lean_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bad = tmp_path / "Small.lean"
    bad.write_text("inductive P : Prop where | a\n\ntheorem x (h : P) : P := h\n\ntheorem y : P := x\n")
    monkeypatch.setattr(compiling, "library_sources", lambda: [bad])
    with pytest.raises(NotCompiled, match=r"\ASmall\.lean:5:17: Type mismatch x has type P → P but is"):
        compiled_library(lean_library)
    bad.write_text("inductive P : Prop where | a\n")
    assert (compiled_library(lean_library) / "Init" / "Small.olean").is_file()


def test_a_cache_that_cannot_be_written_is_one_line(
    lean_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lean-gym").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(BackendUnavailable, match="set XDG_CACHE_HOME to a directory that can be written"):
        compiled_library(lean_library)
