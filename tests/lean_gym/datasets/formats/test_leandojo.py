"""A made-up repository in the layout of LeanDojo Benchmark 4."""

import json

import pytest

from lean_gym.datasets import load_leandojo, load_theorems, read_benchmark
from lean_gym.datasets.formats.leandojo import straight_proof
from lean_gym.errors import DataError

BASIC = """\
import Made.Up.Start

open Nat

namespace Pair

variable (a b : ℕ)

/-- Swapped. -/
@[simp]
protected theorem swap (h : a = b) : b = a := by
  symm
  exact h

theorem later : a = a := rfl

end Pair
"""


def tactic(text, before, after):
    return {"tactic": text, "annotated_tactic": [text, []], "state_before": before, "state_after": after}


def row(name, start, end, tactics=(), path="Made/Up/Basic.lean"):
    return {
        "url": "https://github.com/leanprover-community/mathlib4",
        "commit": "29dcec074de168ac2bf835a77ef68bbe069194c5",
        "file_path": path,
        "full_name": name,
        "start": start,
        "end": end,
        "traced_tactics": list(tactics),
    }


SWAP = row("Pair.swap", [9, 1], [13, 10], [tactic("symm", "A", "B"), tactic("exact h", "B", "no goals")])
LATER = row("Pair.later", [15, 1], [15, 29])
CORPUS = [
    {"path": "Made/Up/Start.lean", "imports": [".lake/packages/lean4/src/lean/Init.lean"], "premises": []},
    {
        "path": "Made/Up/Basic.lean",
        "imports": [
            "Made/Up/Start.lean",
            ".lake/packages/std/Std/Logic.lean",
            ".lake/packages/lean4/src/lean/Init/Core.lean",
        ],
        "premises": [
            {
                "full_name": "Pair.swap",
                "code": "@[simp]\nprotected theorem swap (h : a = b) : b = a",
                "start": [9, 1],
                "end": [13, 10],
                "kind": "theorem",
            },
            {"full_name": "Pair.other", "code": "def other := 1", "start": [1, 1], "end": [1, 2]},
        ],
    },
]


@pytest.fixture
def benchmark(tmp_path):
    folder = tmp_path / "leandojo_benchmark_4"
    for strategy, train in (("random", [SWAP]), ("novel_premises", [LATER])):
        (folder / strategy).mkdir(parents=True)
        for part, rows in (("train", train), ("val", []), ("test", [LATER])):
            (folder / strategy / f"{part}.json").write_text(json.dumps(rows))
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in CORPUS))
    (folder / "metadata.json").write_text("{}")
    return folder


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "made"
    (folder / "Made" / "Up").mkdir(parents=True)
    (folder / "Made" / "Up" / "Basic.lean").write_text(BASIC)
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.9.0")
    return folder


def test_statement_and_imports_from_the_corpus(benchmark):
    with pytest.warns(
        UserWarning, match="leandojo: 1 of 2 statements cannot be used, the first being 'Pair.later'"
    ):
        (swap,) = load_leandojo(benchmark)
    assert (swap.name, swap.statement) == ("Pair.swap", "theorem Pair.swap (h : a = b) : b = a")
    # Never the module that holds the theorem itself.
    assert swap.imports == ("Made.Up.Start", "Std.Logic", "Init.Core")
    assert (swap.split, swap.proof) == ("train", "symm\nexact h")
    assert swap.mathlib_revision == "29dcec074de168ac2bf835a77ef68bbe069194c5"
    assert swap.source == "leandojo: train 0, Made/Up/Basic.lean of mathlib4@29dcec074de1"
    with pytest.warns(UserWarning):
        assert load_theorems(f"leandojo:{benchmark}") == [swap]


def test_a_later_version_brings_its_statements(benchmark):
    rows = [{**LATER, "theorem_statement": "theorem later (a : ℕ) : a = a := rfl"}]
    (benchmark / "random" / "test.json").write_text(json.dumps(rows))
    (later,) = load_leandojo(benchmark, split="test")
    assert later.statement == "theorem Pair.later (a : ℕ) : a = a"


def test_a_checkout_gives_the_file_before_the_theorem(benchmark, checkout):
    swap, later = load_leandojo(benchmark, checkout=checkout)
    assert (swap.name, swap.statement) == ("swap", "theorem swap (h : a = b) : b = a")
    assert swap.context == "open Nat\n\nnamespace Pair\n\nvariable (a b : ℕ)"
    assert (swap.imports, swap.lean_version) == (("Made.Up.Start",), "4.9.0")
    # A theorem before it in the repository is a fact, with its proof.
    assert later.context.endswith("b = a := by\n  symm\n  exact h")
    assert (later.split, later.proof) == ("test", "")


def test_strategies_and_their_folders(benchmark, checkout):
    found = load_leandojo(benchmark, split="train", strategy="novel_premises", checkout=checkout)
    assert [theorem.name for theorem in found] == ["later"]
    assert load_leandojo(benchmark / "novel_premises", split="train", checkout=checkout) == found
    with pytest.raises(DataError, match=r"unknown strategy 'rndom'; did you mean 'random'\?"):
        load_leandojo(benchmark, strategy="rndom")


def test_what_the_checkout_lacks_is_listed(benchmark, checkout):
    rows = [
        row("Pair.gone", [15, 1], [15, 29]),
        row("x", [1, 1], [1, 1], path="Made/Up/Gone.lean"),
        row("y", [1, 1], [1, 1], path="../leandojo_benchmark_4/metadata.json"),
        {**row("z", None, None), "start": None},
    ]
    (benchmark / "random" / "train.json").write_text(json.dumps(rows))
    failures = read_benchmark("leandojo", benchmark, checkout=checkout).failures
    assert [failure.message for failure in failures] == [
        "no theorem of that name between lines 15 and 15 of Made/Up/Basic.lean",
        "the checkout has no file 'Made/Up/Gone.lean'",
        "the checkout has no file '../leandojo_benchmark_4/metadata.json'",
        "the fields 'start' and 'end' are no [line, column]",
    ]


@pytest.mark.parametrize(
    ("tactics", "proof"),
    [
        ([tactic("simp", "A", "no goals")], "simp"),
        ([tactic("intro h", "A", "B"), tactic("exact h", "B", "no goals")], "intro h\nexact h"),
        ([tactic("intro h", "A", "B"), tactic("exact h", "C", "no goals")], ""),
        ([tactic("intro h", "A", "B")], ""),
        ([tactic("calc a\n  _ = b := h", "A", "no goals")], "calc a\n  _ = b := h"),
        ([tactic("simp\nsimp", "A", "no goals")], ""),
        ([], ""),
    ],
)
def test_a_trace_is_a_script_only_if_it_is_straight(tactics, proof):
    assert straight_proof(tactics) == proof


def test_unusable_folders(benchmark, tmp_path):
    with pytest.raises(DataError, match="is no folder; expected the unpacked data set"):
        load_leandojo(tmp_path / "missing")
    with pytest.raises(DataError, match=r"holds none of train.json, val.json, test.json"):
        load_leandojo(tmp_path)
    with pytest.raises(DataError, match=r"the checkout '.*nowhere' does not exist"):
        load_leandojo(benchmark, checkout=tmp_path / "nowhere")
    (benchmark / "random" / "val.json").write_text("{}")
    with pytest.raises(DataError, match="got dict, expected a list of objects"):
        load_leandojo(benchmark)
    (benchmark / "random" / "val.json").write_text("[]")
    (benchmark / "corpus.jsonl").write_text('{"path": "Made/Up/Basic.lean"}\n')
    with pytest.raises(DataError, match=r"corpus.jsonl, line 1: expected an object with 'path', 'imports'"):
        load_leandojo(benchmark)
    (benchmark / "corpus.jsonl").unlink()
    with pytest.raises(DataError, match=r"has no corpus.jsonl, which tells each theorem's imports"):
        load_leandojo(benchmark)
