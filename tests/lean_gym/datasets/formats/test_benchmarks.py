"""Made-up problems in each published layout."""

import json

import pytest

from lean_gym.datasets import (
    load_minif2f,
    load_proofnet,
    load_putnambench,
    load_theorems,
    read_benchmark,
    read_jsonl,
    write_jsonl,
)
from lean_gym.errors import DataError

HEADER = "import Mathlib\n\nset_option maxHeartbeats 400000\n\nopen Nat Real\n\n"
CONTEXT = "set_option maxHeartbeats 400000\nopen Nat Real"


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


PROJECT = {
    "lean-toolchain": "leanprover/lean4:v4.24.0\n",
    "lake-manifest.json": json.dumps({"packages": [{"name": "mathlib", "rev": "f00d"}]}),
    "lakefile.lean": "import Lake\ntheorem lake_is_no_problem : True := trivial\n",
    ".lake/packages/mathlib/Mathlib/X.lean": "theorem neither_is_mathlib : True := trivial\n",
}


@pytest.fixture
def split_files(tmp_path):
    """miniF2F with one file a split."""
    return write(
        tmp_path,
        {
            **PROJECT,
            "MiniF2F/Test.lean": HEADER + "theorem sum_two (a b : ℕ) : a + b = b + a := by sorry\n",
            "MiniF2F/Valid.lean": HEADER
            + "theorem easy (x : ℝ)\n  (h : x = 1) :\n  x + 1 = 2 := by\n  subst h\n  norm_num\n\n"
            + "theorem hard : ∃ x : ℝ, x ^ 2 = 2 := sorry",
        },
    )


def test_minif2f_with_a_file_for_each_split(split_files):
    test, easy, hard = load_minif2f(split_files)
    assert (test.name, test.split, test.imports, test.context) == ("sum_two", "test", ("Mathlib",), CONTEXT)
    assert test.statement == "theorem sum_two (a b : ℕ) : a + b = b + a"
    assert (easy.split, easy.statement) == ("valid", "theorem easy (x : ℝ)\n  (h : x = 1) :\n  x + 1 = 2")
    # The problem before it is no fact of its context.
    assert hard.context == CONTEXT
    assert (hard.source, hard.lean_version, hard.mathlib_revision) == (
        "minif2f: MiniF2F/Valid.lean, line 13",
        "4.24.0",
        "f00d",
    )


def test_minif2f_with_a_file_for_each_theorem(tmp_path):
    write(
        tmp_path,
        {
            "MiniF2F/Test.lean": "import MiniF2F.Test.one\n",
            "MiniF2F/Test/one.lean": HEADER + "theorem one : 1 = 1 := by sorry",
            "MiniF2F/Valid/two.lean": HEADER + "theorem two : 2 = 2 := by sorry",
        },
    )
    assert [(theorem.name, theorem.split) for theorem in load_minif2f(tmp_path)] == [
        ("one", "test"),
        ("two", "valid"),
    ]


def test_minif2f_rows_with_header_and_split(tmp_path):
    rows = [
        {
            "name": "row_one",
            "split": "valid",
            "informal_prefix": "/-- Show it. -/\n",
            "formal_statement": "theorem row_one (n : ℕ) : n = n := by\n",
            "header": HEADER,
            "goal": "n : ℕ\n⊢ n = n",
            "lean_version": "v4.9.0",
        },
        {"name": "bare", "split": "test", "formal_statement": "theorem bare : 1 = 1 := sorry"},
        {"name": "no statement", "split": "test"},
        {"name": "no_theorem", "formal_statement": "example : True := trivial"},
    ]
    write(tmp_path, {"minif2f.jsonl": jsonl(*rows) + "{broken\n[]\n"})
    found = read_benchmark("minif2f", tmp_path)
    one, bare = found.theorems
    assert (one.statement, one.context, one.imports) == (
        "theorem row_one (n : ℕ) : n = n",
        CONTEXT,
        ("Mathlib",),
    )
    assert (one.split, one.lean_version, one.source) == ("valid", "4.9.0", "minif2f: minif2f.jsonl, line 1")
    assert (bare.imports, bare.context) == (("Mathlib",), "")
    assert [failure.message.split(";")[0].split(":")[0] for failure in found.failures] == [
        "no statement among the fields name, split",
        "no theorem is declared in 'example ",
        "not JSON",
        "got list, expected an object",
    ]
    with pytest.warns(
        UserWarning, match=r"minif2f: 4 of 6 statements cannot be used, the first being 'no state"
    ):
        load_minif2f(tmp_path / "minif2f.jsonl")


def test_proofnet_rows_and_hub_field_names(tmp_path):
    header = "import Mathlib\n\nopen Filter\nopen scoped Topology\n\n"
    rows = [
        {
            "id": "Rudin|exercise_1_1a",
            "nl_statement": "Irrational.",
            "lean4_src_header": header,
            "lean4_formalization": "theorem exercise_1_1a (x : ℝ) : x = x :=",
        },
        {
            "id": "Pugh|exercise_1_1a",
            "lean4_src_header": header,
            "lean4_formalization": "theorem exercise_1_1a : 1 = 1 :=",
        },
    ]
    write(tmp_path, {"data/valid.jsonl": jsonl(rows[0]), "data/test.jsonl": jsonl(rows[1])})
    pugh, rudin = load_proofnet(tmp_path)
    assert (rudin.name, rudin.split) == ("Rudin_exercise_1_1a", "valid")
    assert rudin.statement == "theorem Rudin_exercise_1_1a (x : ℝ) : x = x"
    assert rudin.context == "open Filter\nopen scoped Topology"
    assert (pugh.name, pugh.split) == ("Pugh_exercise_1_1a", "test")


def test_proofnet_files_carry_their_textbook(tmp_path):
    exercise = "import Mathlib\n\nopen Set\nnoncomputable section\n\n{}theorem exercise_1 : 1 = 1 :=\nsorry\n"
    write(
        tmp_path,
        {
            "formal/Dummit-Foote.lean": exercise.format("def two := 2\n\n"),
            "formal/Rudin.lean": exercise.format("instance exercise_0 : Inhabited Nat :=\nsorry\n\n"),
        },
    )
    dummit, rudin = load_proofnet(tmp_path)
    assert (dummit.name, rudin.name) == ("Dummit_Foote_exercise_1", "Rudin_exercise_1")
    assert dummit.statement == "theorem Dummit_Foote_exercise_1 : 1 = 1"
    assert dummit.context == "open Set\nnoncomputable section\ndef two := 2"
    assert rudin.context == "open Set\nnoncomputable section"


PUTNAM = {
    "lean4/lean-toolchain": "leanprover/lean4:v4.27.0",
    "lean4/src/putnam_1900_a1.lean": "import Mathlib\n\nopen Set\n\n"
    "noncomputable abbrev putnam_1900_a1_solution : ℝ := sorry\n-- 2 / 3\n/--\nFind it.\n-/\n"
    "theorem putnam_1900_a1\n    (x : ℝ) :\n    x = putnam_1900_a1_solution :=\n  sorry\n",
    "lean4/src/putnam_1900_a2.lean": "import Mathlib\n\ntheorem putnam_1900_a2 : True :=\nsorry\n",
}


def test_putnambench_answers_are_filled_in(tmp_path):
    write(tmp_path, PUTNAM)
    first, second = load_putnambench(tmp_path)
    assert first.context == "open Set\nnoncomputable abbrev putnam_1900_a1_solution : ℝ := 2 / 3"
    assert first.statement == "theorem putnam_1900_a1\n    (x : ℝ) :\n    x = putnam_1900_a1_solution"
    assert (second.context, second.lean_version, second.split) == ("", "4.27.0", "")
    assert [theorem.name for theorem in load_putnambench(tmp_path / "lean4" / "src")] == [
        first.name,
        second.name,
    ]
    (alone,) = load_putnambench(tmp_path / "lean4" / "src" / "putnam_1900_a1.lean")
    assert alone.context == first.context
    assert alone.lean_version == "4.27.0"


def test_a_placeholder_without_answer_is_listed(tmp_path):
    text = PUTNAM["lean4/src/putnam_1900_a1.lean"].replace("-- 2 / 3\n", "")
    write(tmp_path, {**PUTNAM, "lean4/src/putnam_1900_a1.lean": text})
    found = read_benchmark("putnambench", tmp_path)
    assert [theorem.name for theorem in found.theorems] == ["putnam_1900_a2"]
    (failure,) = found.failures
    assert failure.name == "putnam_1900_a1"
    assert "the context says `sorry`, so no proof of it could be free of sorryAx" in failure.message


def test_putnambench_rows_hold_the_whole_file(tmp_path):
    statement = PUTNAM["lean4/src/putnam_1900_a1.lean"].removeprefix("import Mathlib\n\n")
    path = write(tmp_path, {"p.jsonl": jsonl({"name": "putnam_1900_a1", "lean4_statement": statement})})
    (theorem,) = load_putnambench(path)
    assert theorem.context.endswith("putnam_1900_a1_solution : ℝ := 2 / 3")
    assert theorem.imports == ("Mathlib",)


def test_names_stay_unique(tmp_path):
    row = {"name": "same", "formal_statement": "theorem same : 1 = 1 := sorry"}
    path = write(tmp_path, {"p.jsonl": jsonl(row, row, {**row, "name": "007"})})
    theorems = load_minif2f(path)
    assert [theorem.name for theorem in theorems] == ["same", "same_2", "same_3"]
    assert theorems[1].statement == "theorem same_2 : 1 = 1"


def test_sources_as_text(split_files):
    assert load_theorems(f"minif2f:{split_files}") == load_minif2f(split_files)
    assert [theorem.name for theorem in load_theorems(f"minif2f:{split_files}:test")] == ["sum_two"]
    assert load_minif2f(split_files, split="validation") == load_theorems(f"minif2f:{split_files}:valid")
    with pytest.raises(DataError, match=r"no theorems in split 'train' \(splits found: test, valid\)"):
        load_theorems(f"minif2f:{split_files}:train")
    with pytest.raises(DataError, match=r"unknown benchmark layout 'minf2f'; did you mean 'minif2f'\?"):
        load_theorems(f"minf2f:{split_files}")


def test_rows_are_written_and_read_back_as_they_were(split_files, tmp_path):
    theorems = load_minif2f(split_files)
    write_jsonl(tmp_path / "out.jsonl", theorems)
    assert read_jsonl(tmp_path / "out.jsonl") == theorems


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("missing/folder/here", "does not exist; expected a folder, a .jsonl file or a hub id"),
        ("minif2v", "does not exist"),
        ("empty/minif2v", "does not exist"),
        ("empty", "holds no .jsonl, .lean or .parquet file"),
        ("two", r"holds 2 .jsonl files \(a.jsonl, b.jsonl\); give the path of one"),
        ("notes.txt", "got a .txt file, expected .jsonl or .lean"),
        ("nothing.lean", "minif2f: no theorems found"),
    ],
)
def test_unusable_places(tmp_path, place, message):
    (tmp_path / "empty").mkdir()
    write(
        tmp_path, {"two/a.jsonl": "", "two/b.jsonl": "", "notes.txt": "", "nothing.lean": "import Mathlib\n"}
    )
    with pytest.raises(DataError, match=message):
        load_minif2f(tmp_path / place)


@pytest.mark.parametrize(
    ("layout", "named"),
    [
        ("minif2f", "for a split, such as MiniF2F/Test.lean"),
        ("putnambench", "for a problem, such as putnam_19"),
    ],
)
def test_the_folder_of_something_else(tmp_path, layout, named):
    write(tmp_path, {"Mathlib/Basic.lean": "theorem a : True := trivial", "Mathlib/Logic.lean": ""})
    with pytest.raises(DataError, match=f"holds 2 .lean files, none named {named}"):
        read_benchmark(layout, tmp_path)


def test_a_statement_that_was_cut_off_upstream_is_listed(tmp_path):
    """As in some published rows, where a default value in a binder was taken for the proof."""
    rows = jsonl({"name": "whole", "formal_statement": "theorem whole (f := 1) : f = f := sorry"})
    rows += jsonl({"name": "cut", "formal_statement": "theorem cut (a : ℤ)\n  (f := sorry"})
    found = read_benchmark("proofnet", write(tmp_path, {"rows.jsonl": rows}))
    assert [theorem.statement for theorem in found.theorems] == ["theorem whole (f := 1) : f = f"]
    assert [failure.name for failure in found.failures] == ["cut"]
    assert "has not as many `)` as `(`: it ends with" in found.failures[0].message


def test_an_unreadable_file_is_listed(split_files):
    (split_files / "MiniF2F" / "Latin.lean").write_bytes(b"theorem \xff : True := trivial")
    (failure,) = read_benchmark("minif2f", split_files).failures
    assert (failure.name, failure.source) == ("Latin", "MiniF2F/Latin.lean")
    assert failure.message.startswith("cannot be read: ")
