"""Functions of core that textbooks call: what they compute, what `simp` makes of them, and what they refuse."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


def said(text: str) -> list[str]:
    return [" ".join(m.text.split()) for m in check_text(text)]


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("[3, 1, 2].mergeSort", "[1, 2, 3]"),
        ("[3, 1, 2].mergeSort (fun a b => b ≤ a)", "[3, 2, 1]"),
        ("[(1, 2), (0, 3), (1, 1)].mergeSort (fun a b => a.1 ≤ b.1)", "[(0, 3), (1, 2), (1, 1)]"),
        ("[1, 3].merge [2]", "[1, 2, 3]"),
        ("[1, 2, 1].isPerm [1, 1, 2]", "true"),
        ("[1, 2, 1].isPerm [2, 1, 2]", "false"),
        ("[5, 6].zipIdx", "[(5, 0), (6, 1)]"),
        ("[5, 6].zipIdx 4", "[(5, 4), (6, 5)]"),
        ("[3, 1, 2].min?", "some 1"),
        ("([] : List Nat).max?", "none"),
        ("[3, 1, 2].max?", "some 3"),
        ("[3, 1, 2].idxOf 2", "2"),
        ("[3, 1, 2].idxOf 7", "3"),
        ("[3, 1, 2].idxOf? 7", "none"),
        ("[3, 1, 2].findIdx? (· < 3)", "some 1"),
        ("[3, 1].getD 1 9", "1"),
        ("[3, 1].getD 2 9", "9"),
        ("[1, 2, 3, 4].partition (· > 2)", "([3, 4], [1, 2])"),
        ("[1, 2, 3, 1].span (· < 2)", "([1], [2, 3, 1])"),
        ("[1, 2, 3].splitAt 2", "([1, 2], [3])"),
        ("[1, 2, 3].splitAt 5", "([1, 2, 3], [])"),
        ("[1, 2, 3].rotateLeft", "[2, 3, 1]"),
        ("[1, 2, 3].rotateRight 4", "[3, 1, 2]"),
        ("[1, 2, 1].replace 1 5", "[5, 2, 1]"),
        ("[1, 2].insert 1", "[1, 2]"),
        ("#[1, 2, 3].set! 1 7", "#[1, 7, 3]"),
        ("#[1, 2, 3].set! 4 7", "#[1, 2, 3]"),
        ("#[1, 2, 3].set 1 7", "#[1, 7, 3]"),
        ("#[1, 2, 3].any (· > 2)", "true"),
        ("#[1, 2, 3].all (· > 2) 2", "true"),
        ("#[1, 2, 3].take 2", "#[1, 2]"),
        ("#[1, 2, 3].mapIdx (fun i x => i + x)", "#[1, 3, 5]"),
        ("#[1, 2, 3].filter (· > 1)", "#[2, 3]"),
        ('", ".intercalate ["a", "b"]', '"a, b"'),
        ("(compare 1 2).isLT", "true"),
        ("((compare 1 1).then (compare 3 2)).isGT", "true"),
        ("(compare [1, 2] [1, 3]).isLE", "true"),
        ("(compare 'b' 'a').isGE", "true"),
        ("(compare none (some 1)).isLT", "true"),
        ("(compare (-1 : Int) 0).swap.isGT", "true"),
        ("Nat.blt 1 2", "true"),
        ("Nat.min 1 2 + Nat.max 3 4", "5"),
    ],
)
def test_values(term: str, value: str) -> None:
    assert said(f"#eval {term}") == [value]


@pytest.mark.parametrize(
    "text",
    [
        "example : [1, 2, 3].isPerm [3, 2, 1] = true := by decide",
        "example : compare 1 2 = .lt := by decide",
        "example : compare 1 2 = .lt := rfl",
        "example : [3, 1, 2].min? = some 1 := rfl",
        "example : [3, 1, 2].findIdx? (· == 1) = some 1 := by simp",
        "example : [3, 1].zipIdx = [(3, 0), (1, 1)] := by simp",
        "example (xs : List Nat) : (xs.zipIdx).length = xs.length := by simp",
        "example (xs : List Nat) (d : Nat) : xs.getD 0 d = xs[0]?.getD d := by simp",
        "example (xs : List Nat) : xs.splitAt 2 = (xs.take 2, xs.drop 2) := by simp",
        "example (xs : Array Nat) : (xs.set! 2 3).size = xs.size := by simp",
        "example (xs : Array Nat) (h : 0 < xs.size) : (xs.map (· + 1))[0]'(by simpa) = xs[0] + 1 := by simp",
        "example (o : Ordering) : o.swap.swap = o := by simp",
        "example (o : Ordering) : (Ordering.eq.then o) = o := by simp",
        "example (a b : Nat) (h : compare a b = .lt) : (compare a b).isLE := by rw [h]; rfl",
        "example : [2, 1].mergeSort (fun a b => a ≤ b) = [1, 2] := by simp [List.mergeSort, List.merge, "
        "List.MergeSort.Internal.splitInTwo]",
        "example (x y : Nat) (h : x < y) : compare x y = .lt := by simp [compare, compareOfLessAndEq, h]",
        "class Foo (α : Type) where\n  foo : α → Nat\ninstance : Foo Nat := ⟨fun x => x + 1⟩\n"
        "example : Foo.foo 3 = 4 := by simp [Foo.foo]",
    ],
)
def test_what_holds(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("goal", "tactic", "left"),
    [
        ("(xs : Array Nat) (p : Nat → Bool) : xs.toList.any p = true", "simp", "⊢ xs.any p = true"),
        ("(a b : Nat) : compare a b = .lt", "simp only [compare]", "⊢ compareOfLessAndEq a b = Ordering.lt"),
        ("(a b : Nat) : a + b = c", "simp only [HAdd.hAdd]", "⊢ Add.add a b = c"),
        ("(a b : Nat) : a + b = c", "dsimp only [HAdd.hAdd, Add.add]", "⊢ a.add b = c"),
        ("(a b : Nat) : Nat.blt a b = true", "unfold Nat.blt", "⊢ a.succ.ble b = true"),
    ],
)
def test_goals(goal: str, tactic: str, left: str) -> None:
    assert left in said(f"example {goal} := by\n  {tactic}\n  trace_state\n  sorry")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("example : [1, 2].isPerm [1, 1] = true := by decide", "is false"),
        ("example : compare 2 1 = .lt := rfl", "mismatch"),
        ("example : [2, 1].min? = some 2 := by decide", "is false"),
        ("example (xs : Array Nat) : xs.set 0 1 = xs := rfl", "could not synthesize default value"),
        ("example : compare (fun x : Nat => x) id = .eq := rfl", "failed to synthesize instance"),
        ("class Bar (α : Type) where\n  bar : α → Nat\nexample [Bar Nat] : Bar.bar 3 = 4 := by simp only [Bar.bar]",
         "no progress"),
    ],
)  # fmt: skip
def test_what_does_not_hold(text: str, message: str) -> None:
    assert message in said(text)[0]
