-- Checked with Lean 4.35.0.

/-! # Functions and types of core that textbooks use: what they compute, what `simp` makes of them -/

set_option linter.unusedVariables false

/-! True statements. -/

example : [1, 2, 3].isPerm [3, 2, 1] = true := by decide

example : compare 1 2 = .lt := by decide

example : compare 1 2 = .lt := rfl

example : [3, 1, 2].min? = some 1 := rfl

example : [3, 1, 2].findIdx? (· == 1) = some 1 := by simp

example : [3, 1].zipIdx = [(3, 0), (1, 1)] := by simp

example (xs : List Nat) : (xs.zipIdx).length = xs.length := by simp

example (xs : List Nat) (d : Nat) : xs.getD 0 d = xs[0]?.getD d := by simp

example (xs : List Nat) : xs.splitAt 2 = (xs.take 2, xs.drop 2) := by simp

example (xs : Array Nat) : (xs.set! 2 3).size = xs.size := by simp

example (xs : Array Nat) (h : 0 < xs.size) : (xs.map (· + 1))[0]'(by simpa) = xs[0] + 1 := by simp

example (o : Ordering) : o.swap.swap = o := by simp

example (o : Ordering) : (Ordering.eq.then o) = o := by simp

example (a b : Nat) (h : compare a b = .lt) : (compare a b).isLE := by rw [h]; rfl

example : [2, 1].mergeSort (fun a b => a ≤ b) = [1, 2] := by simp [List.mergeSort, List.merge, List.MergeSort.Internal.splitInTwo]

example (x y : Nat) (h : x < y) : compare x y = .lt := by simp [compare, compareOfLessAndEq, h]

namespace Holds
class Foo (α : Type) where
  foo : α → Nat
local instance : Foo Nat := ⟨fun x => x + 1⟩
example : Foo.foo 3 = 4 := by simp [Foo.foo]
end Holds

/-! False statements, and terms without a type. -/

/--
error: Tactic `decide` proved that the proposition
  [1, 2].isPerm [1, 1] = true
is false
-/
#guard_msgs in
example : [1, 2].isPerm [1, 1] = true := by decide

/--
error: Tactic `decide` proved that the proposition
  [2, 1].min? = some 2
is false
-/
#guard_msgs in
example : [2, 1].min? = some 2 := by decide

namespace DoesNotHold
class Bar (α : Type) where
  bar : α → Nat
/-- error: `simp` made no progress -/
#guard_msgs in
example [Bar Nat] : Bar.bar 3 = 4 := by simp only [Bar.bar]
end DoesNotHold

/-! True statements. -/

example (x : ULift.{3} Nat) : ULift.up x.down = x := by simp

example (x : ULift.{3, 0} Nat) : ULift.{3} Nat := ⟨x.down + 1⟩

example (p : Prop) (h : p) : PLift p := ⟨h⟩

example (p : Prop) (h : PLift p) : p := h.down

example : ULift.up.{2} 3 ≠ ULift.up 4 := by decide

example : Std.Associative (α := Nat) (· + ·) := inferInstance

example : Std.Commutative (fun a b : Nat => a * b) := inferInstance

example (f : Nat → Nat → Nat) [h : Std.Commutative f] : f 1 2 = f 2 1 := h.comm 1 2

example : #[1, 2, 3][1] = 2 := rfl

example : #[1, 2, 3][7]? = none := rfl

example : (#[1, 2].push 3) = #[1, 2, 3] := by simp

example (a : Array Nat) (x : Nat) : (a.push x).size = a.size + 1 := by simp

example (a : Array Nat) (i : Nat) (h : i < a.size) : Nat := a[i]

example (a : Array Nat) (i : Fin a.size) : Nat := a[i]

example (a b : Array Nat) : (a ++ b).size = a.size + b.size := by simp

example : toString 42 = "42" := rfl

namespace Holds2
structure P where
  x : Nat
instance : ToString P := ⟨fun p => toString p.x⟩
example : toString (P.mk 3) = "3" := rfl
end Holds2

/-! False statements, and terms without a type. -/

/--
error: failed to synthesize instance of type class
  Std.Commutative fun a b => a - b

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example : Std.Commutative (fun a b : Nat => a - b) := inferInstance

/--
error: failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
a : Array Nat
⊢ 0 < a.size
-/
#guard_msgs in
example (a : Array Nat) : Nat := a[0]

/--
error: Tactic `decide` proved that the proposition
  #[1] = #[2]
is false
-/
#guard_msgs in
example : #[1] = #[2] := by decide

/--
error: failed to synthesize instance of type class
  ToString (Nat → Nat)

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example : toString (fun x : Nat => x) = "f" := rfl

/--
error: Type mismatch
  x.down
has type
  1 = 2
but is expected to have type
  1 = 3
-/
#guard_msgs in
example (x : PLift (1 = 2)) : 1 = 3 := x.down

/-! Arrays in goals. -/

/--
error: unsolved goals
f : Array Nat → Nat
⊢ f #[1, 2] = 1
-/
#guard_msgs in
example (f : Array Nat → Nat) : f #[1, 2] = 1 := by skip
