-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Functions and types of core that textbooks use: what they compute, what `simp` makes of them -/

set_option linter.unusedVariables false

/-! What `#eval` shows. -/

-- Lean: could not synthesize a `Repr` or `ToString` instance for type
/-- info: [1, 2, 3] -/
#guard_msgs in
#eval [3, 1, 2].mergeSort

/-- info: [3, 2, 1] -/
#guard_msgs in
#eval [3, 1, 2].mergeSort (fun a b => b ≤ a)

/-- info: [(0, 3), (1, 2), (1, 1)] -/
#guard_msgs in
#eval [(1, 2), (0, 3), (1, 1)].mergeSort (fun a b => a.1 ≤ b.1)

/-- info: [1, 2, 3] -/
#guard_msgs in
#eval [1, 3].merge [2]

/-- info: true -/
#guard_msgs in
#eval [1, 2, 1].isPerm [1, 1, 2]

/-- info: false -/
#guard_msgs in
#eval [1, 2, 1].isPerm [2, 1, 2]

/-- info: [(5, 0), (6, 1)] -/
#guard_msgs in
#eval [5, 6].zipIdx

/-- info: [(5, 4), (6, 5)] -/
#guard_msgs in
#eval [5, 6].zipIdx 4

/-- info: some 1 -/
#guard_msgs in
#eval [3, 1, 2].min?

/-- info: none -/
#guard_msgs in
#eval ([] : List Nat).max?

/-- info: some 3 -/
#guard_msgs in
#eval [3, 1, 2].max?

/-- info: 2 -/
#guard_msgs in
#eval [3, 1, 2].idxOf 2

/-- info: 3 -/
#guard_msgs in
#eval [3, 1, 2].idxOf 7

/-- info: none -/
#guard_msgs in
#eval [3, 1, 2].idxOf? 7

/-- info: some 1 -/
#guard_msgs in
#eval [3, 1, 2].findIdx? (· < 3)

/-- info: 1 -/
#guard_msgs in
#eval [3, 1].getD 1 9

/-- info: 9 -/
#guard_msgs in
#eval [3, 1].getD 2 9

/-- info: ([3, 4], [1, 2]) -/
#guard_msgs in
#eval [1, 2, 3, 4].partition (· > 2)

/-- info: ([1], [2, 3, 1]) -/
#guard_msgs in
#eval [1, 2, 3, 1].span (· < 2)

/-- info: ([1, 2], [3]) -/
#guard_msgs in
#eval [1, 2, 3].splitAt 2

/-- info: ([1, 2, 3], []) -/
#guard_msgs in
#eval [1, 2, 3].splitAt 5

/-- info: [2, 3, 1] -/
#guard_msgs in
#eval [1, 2, 3].rotateLeft

/-- info: [3, 1, 2] -/
#guard_msgs in
#eval [1, 2, 3].rotateRight 4

/-- info: [5, 2, 1] -/
#guard_msgs in
#eval [1, 2, 1].replace 1 5

/-- info: [1, 2] -/
#guard_msgs in
#eval [1, 2].insert 1

/-- info: #[1, 7, 3] -/
#guard_msgs in
#eval #[1, 2, 3].set! 1 7

/-- info: #[1, 2, 3] -/
#guard_msgs in
#eval #[1, 2, 3].set! 4 7

/-- info: #[1, 7, 3] -/
#guard_msgs in
#eval #[1, 2, 3].set 1 7

/-- info: true -/
#guard_msgs in
#eval #[1, 2, 3].any (· > 2)

/-- info: true -/
#guard_msgs in
#eval #[1, 2, 3].all (· > 2) 2

/-- info: #[1, 2] -/
#guard_msgs in
#eval #[1, 2, 3].take 2

/-- info: #[1, 3, 5] -/
#guard_msgs in
#eval #[1, 2, 3].mapIdx (fun i x => i + x)

/-- info: #[2, 3] -/
#guard_msgs in
#eval #[1, 2, 3].filter (· > 1)

/-- info: "a, b" -/
#guard_msgs in
#eval ", ".intercalate ["a", "b"]

/-- info: true -/
#guard_msgs in
#eval (compare 1 2).isLT

/-- info: true -/
#guard_msgs in
#eval ((compare 1 1).then (compare 3 2)).isGT

/-- info: true -/
#guard_msgs in
#eval (compare [1, 2] [1, 3]).isLE

/-- info: true -/
#guard_msgs in
#eval (compare 'b' 'a').isGE

/-- info: true -/
#guard_msgs in
#eval (compare none (some 1)).isLT

/-- info: true -/
#guard_msgs in
#eval (compare (-1 : Int) 0).swap.isGT

/-- info: true -/
#guard_msgs in
#eval Nat.blt 1 2

/-- info: 5 -/
#guard_msgs in
#eval Nat.min 1 2 + Nat.max 3 4

/-! Goals after a step. -/

-- Lean: declaration uses `sorry` xs : Array Nat p : Nat → Bool
/--
trace: xs : Array Nat
p : Nat → Bool
⊢ xs.any p = true
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (xs : Array Nat) (p : Nat → Bool) : xs.toList.any p = true := by
  simp
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Nat ⊢ compareOfLessAndEq a b = Ordering.lt
/--
trace: a b : Nat
⊢ compareOfLessAndEq a b = Ordering.lt
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : compare a b = .lt := by
  simp only [compare]
  trace_state
  sorry

-- Lean: declaration uses `sorry` c a b : Nat ⊢ Add.add a b = c
/--
trace: c a b : Nat
⊢ Add.add a b = c
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a + b = c := by
  simp only [HAdd.hAdd]
  trace_state
  sorry

-- Lean: declaration uses `sorry` c a b : Nat ⊢ a.add b = c
/--
trace: c a b : Nat
⊢ a.add b = c
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a + b = c := by
  dsimp only [HAdd.hAdd, Add.add]
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Nat ⊢ a.succ.ble b = true
/--
trace: a b : Nat
⊢ a.succ.ble b = true
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : Nat.blt a b = true := by
  unfold Nat.blt
  trace_state
  sorry

/-! False statements, and terms without a type. -/

-- Lean: other numbers of metavariables
/--
error: Type mismatch
  rfl
has type
  ?m.10 = ?m.10
but is expected to have type
  compare 2 1 = Ordering.lt
-/
#guard_msgs in
example : compare 2 1 = .lt := rfl

-- Lean: says in addition: failed to prove index is valid, possible solutions:
/-- error: could not synthesize default value for parameter 'h' using tactics -/
#guard_msgs in
example (xs : Array Nat) : xs.set 0 1 = xs := rfl

-- Lean: says in addition: Invalid dotted identifier notation: The expected type of `.eq` could not be determined
/--
error: failed to synthesize instance of type class
  Ord (Nat → Nat)

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example : compare (fun x : Nat => x) id = .eq := rfl

/-! True statements. -/

-- Lean: Tactic `decide` failed to reduce
example : toString true = "true" := by decide

/-! False statements, and terms without a type. -/

-- Lean: other numbers of metavariables
/--
error: Type mismatch
  rfl
has type
  ?m.19 = ?m.19
but is expected to have type
  #[1, 2][2]? = some 3
-/
#guard_msgs in
example : #[1, 2][2]? = some 3 := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.7 = ?m.7
but is expected to have type
  toString 42 = "24"
-/
#guard_msgs in
example : toString 42 = "24" := rfl

-- Lean: too many explicit universe levels for `ULift`
/-- error: `ULift` takes 2 universe levels, got 3 -/
#guard_msgs in
#check ULift.{1, 2, 3} Nat

/-! What `#eval` shows. -/

-- Lean: could not synthesize a `Repr` or `ToString` instance for type
/-- info: #[1, 2, 3] -/
#guard_msgs in
#eval #[1, 2].push 3

/-- info: #[] -/
#guard_msgs in
#eval (#[] : Array Nat)

/-- info: #["a!", "b!"] -/
#guard_msgs in
#eval #["a", "b"].map (fun s => s ++ "!")

/-- info: 6 -/
#guard_msgs in
#eval #[1, 2, 3].foldl (· + ·) 0

/-- info: "1234567890123" -/
#guard_msgs in
#eval toString 1234567890123

/-- info: "[1, 2, 3]" -/
#guard_msgs in
#eval toString [1, 2, 3]

/-- info: "-5" -/
#guard_msgs in
#eval toString (-5 : Int)

/-- info: "(some (1, c))" -/
#guard_msgs in
#eval toString (some (1, "c"))
