-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Functions and theorems of a `mutual` block: structural recursion, equations, and Lean's refusals -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Induction by the recursor with the other motive given. -/

-- Lean has `Hint: Perhaps you meant one of the following parameter names:` there.
namespace Ex1
inductive R where | mk : List R → R
/-- error: Invalid argument name `m` for function `R.rec` -/
#guard_msgs in
example (r : R) : r = r := by
  induction r using R.rec (m := 1)
end Ex1

/-! All functions take the section variables that one of them mentions. -/

namespace Ex2
section
variable {α : Type u} (p : α → Bool) (unused : Nat)
mutual
def evens : List α → Nat
  | [] => 0
  | x :: xs => if p x then odds xs + 1 else odds xs
def odds : List α → Nat
  | [] => 0
  | _ :: xs => evens xs
end
theorem odds_cons (x : α) (xs) : odds p (x :: xs) = evens p xs := by rw [odds]
end

/-- info: 2 -/
#guard_msgs in
#eval odds (fun x => x == 2) [1, 2, 3, 2]
section
variable (a b : Nat)
mutual
def k : Nat → Nat
  | 0 => a
  | n + 1 => l n
def l : Nat → Nat
  | 0 => b
  | n + 1 => k n
end
end
end Ex2

/-! A section variable proves nothing. -/

-- Lean: warning: automatically included section variable(s) unused in theorem `Ex3.a`: h consider
-- restructuring your `variable` declarations so that the variables are not in ..
namespace Ex3
variable (h : 1 = 2)
include h
mutual
theorem a (n : Nat) : n = n := rfl
theorem b (n : Nat) : 1 = 2 := h
end

/--
error: numerals are data in Lean, but the expected type is a proposition
  1 = 2 : Prop
-/
#guard_msgs in
example : 1 = 2 := b 0

/-- info: Ex3.b (h : 1 = 2) (n : Nat) : 1 = 2 -/
#guard_msgs in
#check b
end Ex3

-- Lean: error: invalid mutually recursive definitions, cannot mix theorems and definitions
namespace Ex4
variable (h : 1 = 2)

/-- error: unsupported: theorems and definitions of a `mutual` block over variables of the section -/
#guard_msgs in
mutual
def a (n : Nat) : Nat := n
theorem b (n : Nat) : h = h := rfl
end
end Ex4

/-! Theorems over section variables recurse on smaller arguments. -/

-- Lean has `Not considering parameter p of Ex5.a:` there.
namespace Ex5
variable (p : Nat → Prop)

/--
error: unsupported: a measure for the functions of this `mutual` block: please use `termination_by`

fail to show termination for
  Ex5.a
  Ex5.b
with errors
failed to infer structural recursion:
Skipping arguments of type that is not an inductive type.
-/
#guard_msgs in
mutual
theorem a (n : Nat) : p n := b n
theorem b (n : Nat) : p n := a n
end
end Ex5

/-! Functions after where. -/

namespace Ex6
variable (k : Nat)
mutual
def p (n : Nat) : Nat := match n with
  | 0 => base
  | n + 1 => q n + twice 2
where
  base : Nat := k
  twice : Nat → Nat
    | 0 => 0
    | m + 1 => twice m + 2
def q (n : Nat) : Nat := match n with
  | 0 => 0
  | n + 1 => p n + shift n
where
  shift (m : Nat) := m + n
end

/-- info: 21 -/
#guard_msgs in
#eval p 7 4
end Ex6

-- Lean accepts this.
namespace Ex7
variable (k : Nat)

/-- error: unsupported: mutual recursion of `shift` with the definitions around it -/
#guard_msgs in
mutual
def p (n : Nat) : Nat := match n with
  | 0 => base
  | n + 1 => q n + twice 2
where
  base : Nat := k
  twice : Nat → Nat
    | 0 => 0
    | m + 1 => twice m + 2
def q (n : Nat) : Nat := match n with
  | 0 => 0
  | n + 1 => p n + shift n
where
  shift (m : Nat) := p m
end
end Ex7

-- Lean: error: fail to show termination for Ex8.a.b Ex8.c Ex8.a with errors failed to infer structural
-- recursion: Not considering parameter n of Ex8.a.b: it is unchanged ..
namespace Ex8
/-- error: unsupported: mutual recursion of `b` with the definitions around it -/
#guard_msgs in
mutual
theorem a (n : Nat) : False := b n
where
  b (n : Nat) : False := c n
theorem c (n : Nat) : False := a n
end
end Ex8

/-! Refusals declare nothing. -/

-- Lean: error: fail to show termination for Ex9.a Ex9.b with errors failed to infer structural recursion: no
-- parameters suitable for structural recursion well-founded ..
namespace Ex9
/-- error: unexpected occurrence of `Ex9.b` without arguments -/
#guard_msgs in
mutual
theorem a : 1 = 2 := b
theorem b : 1 = 2 := a
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex9

-- Lean has `Not considering parameter n of Ex10.a:` there.
namespace Ex10
/--
error: unsupported: a measure for the functions of this `mutual` block: please use `termination_by`

fail to show termination for
  Ex10.a
  Ex10.b
with errors
failed to infer structural recursion:
Skipping arguments of type that is not an inductive type.
-/
#guard_msgs in
mutual
theorem a (n : Nat) : 1 = 2 := b n
theorem b (n : Nat) : 1 = 2 := a n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex10

-- Lean has `Cannot use parameters n of Ex11.a and #1 of Ex11.b:` there.
namespace Ex11
/--
error: unsupported: a measure for the functions of this `mutual` block: please use `termination_by`

fail to show termination for
  Ex11.a
  Ex11.b
with errors
failed to infer structural recursion:
Cannot use parameters n of Ex11.a, #1 of Ex11.b:
  failed to eliminate recursive application
    Ex11.b (n + 1)
-/
#guard_msgs in
mutual
theorem a (n : Nat) : False := b (n + 1)
theorem b : Nat → False
  | 0 => a 0
  | n + 1 => a n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex11

-- Lean has `Cannot use parameters #1 of Ex12.a and #1 of Ex12.b:` there.
namespace Ex12
/--
error: unsupported: a measure for the functions of this `mutual` block: please use `termination_by`

fail to show termination for
  Ex12.a
  Ex12.b
with errors
failed to infer structural recursion:
Cannot use parameters #1 of Ex12.a, #1 of Ex12.b:
  failed to eliminate recursive application
    Ex12.b 1
-/
#guard_msgs in
mutual
theorem a : Nat → False
  | 0 => b 1
  | n + 1 => b n
theorem b : Nat → False
  | 0 => a 1
  | n + 1 => a n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex12

-- Lean: error: cannot use specified measure for structural recursion: it is unchanged in the recursive calls
namespace Ex13
/--
error: fail to show termination for
  Ex13.a
  Ex13.b
with errors
failed to infer structural recursion:
Skipping arguments of type that is not an inductive type.
-/
#guard_msgs in
mutual
def a (n : Nat) : Empty := b n
def b (n : Nat) : Empty := a n
termination_by structural n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex13

-- Lean: error: incomplete set of termination hints: This function is mutually recursive with Ex14.b, which
-- does not have a termination hint. The present clause is ignored.
namespace Ex14
/--
error: incomplete set of termination hints: `Ex14.b` needs `termination_by`, as the functions that it is mutually recursive with
-/
#guard_msgs in
mutual
def a (n : Nat) : Nat := b (n / 2)
termination_by n
def b (n : Nat) : Nat := n + a 0
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex14

-- Lean: error: `mutual` block contains two declarations of the same name `Ex15.a`
namespace Ex15
/-- error: `Ex15.a` has already been declared -/
#guard_msgs in
mutual
def a : Nat := 1
def a : Nat := 2
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex15

-- Lean: error: Unknown identifier `a`
namespace Ex16
/--
error: invalid mutual block: either all elements of the block must be inductive/structure declarations, or they must all be definitions/theorems/abbrevs
-/
#guard_msgs in
mutual
def a : Nat := 1
axiom b : False
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex16

-- Lean: error: invalid mutually recursive definitions, cannot mix theorems and definitions
namespace Ex17
/--
error: type of theorem `b` is not a proposition
  Nat
-/
#guard_msgs in
mutual
def a : Nat := 1
theorem b : Nat := a
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex17

namespace WithParity

mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end

/-! Functions compute and have equations. -/

/-- info: true -/
#guard_msgs in
#eval isOdd 7

end WithParity
