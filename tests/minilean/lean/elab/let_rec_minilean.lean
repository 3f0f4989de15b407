-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `let rec` inside terms: functions over the local variables that they mention -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! A function over a local definition. -/

namespace Ex1
def f (n : Nat) : Nat :=
  let k := n + 1
  let rec go (m : Nat) : Nat := match m with
    | 0 => k
    | m + 1 => go m + n
  go 3

/-- info: 9 -/
#guard_msgs in
#eval f 2

/-- info: f.go : Nat → Nat → Nat -/
#guard_msgs in
#check @f.go

/-- info: f.go.eq_2 : ∀ (n m : Nat), f.go n m.succ = f.go n m + n -/
#guard_msgs in
#check @f.go.eq_2
theorem t (n : Nat) : f n = 4 * n + 1 := by simp [f, f.go]; omega
end Ex1

/-! Functions in branches arguments and alternatives. -/

namespace Ex2
def g (xs : List Nat) : Nat × Nat :=
  if xs.length = 0 then (0, 0) else
    let rec sum : List Nat → Nat
      | [] => 0
      | x :: xs => x + sum xs
    let rec scaled (c : Nat) : List Nat → Nat
      | [] => 0
      | y :: ys => c * sum [y] + scaled c ys
    (sum xs, scaled 2 xs)

/-- info: (6, 12) -/
#guard_msgs in
#eval g [1, 2, 3]
def h (α : Type) (d : α) (xs : List α) : List α :=
  xs ++ (let rec rep (n : Nat) : List α := if n = 0 then [] else d :: rep (n - 1); rep 2)

/-- info: [1, 7, 7] -/
#guard_msgs in
#eval h Nat 7 [1]
def pat (n : Nat) : Nat := match n with
  | 0 => 0
  | k + 1 => let rec go (j : Nat) : Nat := if j = 0 then k else go (j - 1); go n

/-- info: 4 -/
#guard_msgs in
#eval pat 5
theorem t (n : Nat) : n + 0 = n ∧ True := ⟨(let rec q (x : Nat) : x + 0 = x := rfl; q n), trivial⟩
end Ex2

/-! The value determines an omitted type. -/

namespace Ex3
def f (n : Nat) : Nat := n + (let rec go (k : Nat) := if k = 0 then n else go (k - 1) + 1; go 3)

/-- info: 7 -/
#guard_msgs in
#eval f 2
def g (n : Nat) : List Nat := [n] ++ (let rec two := [n, 2]; two)

/-- info: [1, 1, 2] -/
#guard_msgs in
#eval g 1
end Ex3

/-! After another tactic. -/

namespace Ex4

/--
trace: case right
n : Nat
⊢ 0 + n = n
-/
#guard_msgs in
theorem t (n : Nat) : n + 0 = n ∧ 0 + n = n := by
  constructor
  let rec first (x : Nat) : x + 0 = x := rfl
  · exact first n
  · let rec second : (x : Nat) → 0 + x = x
      | 0 => rfl
      | x + 1 => congrArg Nat.succ (second x)
    trace_state
    exact second n
def f (n : Nat) : Nat := by
  cases n
  exact 1
  let rec twice (k : Nat) := k * 2
  exact twice 4

/-- info: 8 -/
#guard_msgs in
#eval f 2
end Ex4

/-! A function in a proof proves nothing by itself. -/

-- Lean: info: 'Ex5.t' depends on axioms: [sorryAx]
namespace Ex5
/--
error: fail to show termination for
  Ex5.t.q
with errors
failed to infer structural recursion:
Not considering parameter n of Ex5.t.q:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex5.t.q` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := q n
  exact q 0

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t
end Ex5

-- Lean: info: Ex6.t.q (n : Nat) : 1 = 2
namespace Ex6
/--
error: fail to show termination for
  Ex6.t.q
with errors
failed to infer structural recursion:
Not considering parameter n of Ex6.t.q:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex6.t.q` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := q n
  exact q 0

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check t.q
end Ex6

-- Lean has `t.q (n + 1)` there.
namespace Ex7
/--
error: fail to show termination for
  Ex7.t.q
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    q (n + 1)


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
x✝ : ∀ (y : Nat), WellFoundedRelation.rel y n → 1 = 2
⊢ n + 1 < n
-/
#guard_msgs in
theorem t : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := q (n + 1)
  exact q 0

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check t.q
end Ex7

-- Lean: info: 'Ex8.t' depends on axioms: [sorryAx]
namespace Ex8
/--
error: fail to show termination for
  Ex8.t.q
with errors
failed to infer structural recursion:
Not considering parameter n of Ex8.t.q:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex8.t.q` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := absurd (q n) (by decide)
  exact q 0

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t
end Ex8

-- Lean: info: Ex9.t.q (n : Nat) : 1 = 2
namespace Ex9
/--
error: fail to show termination for
  Ex9.t.q
with errors
failed to infer structural recursion:
Not considering parameter n of Ex9.t.q:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex9.t.q` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := absurd (q n) (by decide)
  exact q 0

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check t.q
end Ex9

/-! What is refused. -/

-- Lean: info: 'Ex10.t' depends on axioms: [sorryAx]
namespace Ex10
/--
error: fail to show termination for
  Ex10.t.q
with errors
failed to infer structural recursion:
Not considering parameter x of Ex10.t.q:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex10.t.q` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : 1 = 2 := And.right ⟨trivial, (let rec q (x : Nat) : 1 = 2 := q x; q 0 : 1 = 2)⟩

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t
end Ex10

-- Lean: info: t.q : ∀ (x : Nat), 1 = 2
namespace Ex11
/--
error: fail to show termination for
  Ex11.t.q
with errors
failed to infer structural recursion:
Not considering parameter x of Ex11.t.q:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex11.t.q` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : 1 = 2 := And.right ⟨trivial, (let rec q (x : Nat) : 1 = 2 := q x; q 0 : 1 = 2)⟩

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex11

-- Lean has `t.q (x + 1)` there.
namespace Ex12
/--
error: fail to show termination for
  Ex12.t.q
with errors
failed to infer structural recursion:
Cannot use parameter x:
  failed to eliminate recursive application
    q (x + 1)


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
x : Nat
x✝ : ∀ (y : Nat), WellFoundedRelation.rel y x → 1 = 2
⊢ x + 1 < x
-/
#guard_msgs in
theorem t : 1 = 2 := (⟨trivial, (let rec q (x : Nat) : 1 = 2 := q (x + 1); q 0)⟩ : True ∧ 1 = 2).2

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex12

-- Lean: error: fail to show termination for Ex13.t.q Ex13.t with errors failed to infer structural recursion:
-- Not considering parameter x of Ex13.t.q: it is unchanged in the ..
namespace Ex13
/-- error: unsupported: mutual recursion of `q` with the definition around it -/
#guard_msgs in
theorem t (n : Nat) : False ∧ True := ⟨(let rec q (x : Nat) : False := (t x).1; q n), trivial⟩

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex13

-- Lean: info: 'Ex14.t' depends on axioms: [sorryAx]
namespace Ex14
/-- error: `Ex14.t.q` has already been declared -/
#guard_msgs in
def t (n : Nat) : Nat := n + (let rec q (x : Nat) : Nat := x; q n) + (let rec q (x : Nat) : Nat := x + 1; q n)

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex14

-- Lean accepts this.
namespace Ex15
/-- error: `Classical.choice` not supported by code generator; consider marking definition as `noncomputable` -/
#guard_msgs in
def t (n : Nat) : Nat := n + (let rec q (x : Nat) : Nat := Classical.choice ⟨x⟩; q n)

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex15

-- Lean: error: don't know how to synthesize placeholder context: n x : Nat ⊢ Nat
namespace Ex16
/-- error: unsupported: `let rec q` whose type or value is not determined where it is written -/
#guard_msgs in
def t (n : Nat) : Nat := n + (let rec q (x : Nat) : Nat := _; q n)

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex16

-- Lean: error: fail to show termination for Ex17.t.q with errors failed to infer structural recursion: Not
-- considering parameter x of Ex17.t.q: it is unchanged in the ..
namespace Ex17
/-- error: unsupported: `let rec q` whose type or value is not determined where it is written -/
#guard_msgs in
def t (n : Nat) : Nat := n + (let rec q x := q x; q n)

/-- error: Unknown constant `t` -/
#guard_msgs in
#print axioms t

/-- error: Unknown identifier `t.q` -/
#guard_msgs in
#check @t.q
end Ex17
