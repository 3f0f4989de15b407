-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Macros with arguments: `syntax`, `macro_rules` and `macro` with plain templates -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Everything else is refused by name. -/

namespace Ex1

/-- error: unsupported: `$x`, which is of the kind `tactic`, in a place of another kind -/
#guard_msgs in
local macro "a" x:tactic : term => `($x)
end Ex1

namespace Ex2

/-- error: unsupported: a macro that mentions `h`, which is not declared before it -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| exact h)
end Ex2

namespace Ex3

/-- error: unsupported: `$x` in the place of a rule; write `$x:term` -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| rw [$x])
end Ex3

namespace Ex4

/-- error: unsupported: `$x` in a pattern of `rcases` -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| rcases 1 with $x)
end Ex4

namespace Ex5

/-- error: unsupported: `$x`, which is of the kind `term`, in a place of another kind -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| simp at $x)
end Ex5

namespace Ex6

/-- error: unsupported: a macro with arguments whose template has a Cases tactic -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| cases $x with | _ => skip)
end Ex6

namespace Ex7

/-- error: unsupported: a macro that names a hypothesis like the constant `id` -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| (intro id; exact $x))
end Ex7

namespace Ex8

/-- error: unsupported: a macro that binds `h` in a term and in a tactic -/
#guard_msgs in
local macro "a" x:term : tactic => `(tactic| (have h := $x; exact fun h => h))
end Ex8

-- Lean: error: unexpected token 'with'; expected term
namespace Ex9
/-- error: unsupported: a notation that stands for a `match` term -/
#guard_msgs in
local macro "a" x:term : term => `(match $x with | 0 => 1 | _ => 2)
end Ex9

namespace Ex10

/-- error: unsupported: a notation that stands for a tactic block which names hypotheses -/
#guard_msgs in
local macro "a" x:term : term => `(show $x by have h := $x; exact h)
end Ex10

namespace Ex11

/-- error: unsupported: `$x` in NamedArg syntax -/
#guard_msgs in
local macro "a" x:ident : term => `(id ($x := 1))
end Ex11

namespace Ex12

/-- error: unsupported: `$x` in LevelStx syntax -/
#guard_msgs in
local macro "a" x:ident : term => `(Type $x)
end Ex12

namespace Ex13
variable (n : Nat)

/-- error: unsupported: a macro that mentions the variable `n` and is not `local` -/
#guard_msgs in
macro "a" x:term : term => `($x + n)
end Ex13

namespace Ex14
local syntax "u" term : term

/-- error: unsupported: a pattern of a macro with ListLit syntax -/
#guard_msgs in
macro_rules | `(u [$x]) => `(1)
end Ex14

namespace Ex15
local syntax "u" term : term

/-- error: unsupported: a pattern with `$x` twice -/
#guard_msgs in
macro_rules | `(u $x + $x) => `(1)
end Ex15

namespace Ex16
local syntax "u" term : term

/-- error: unsupported: `$x:tactic` in the place of a term -/
#guard_msgs in
macro_rules | `(u $x:tactic) => `(1)
end Ex16

namespace Ex17
local syntax "u" term : term

/-- error: unsupported: `$x:num`, which is of the kind `term`, in a place of another kind -/
#guard_msgs in
macro_rules | `(u $x) => `($x:num)
end Ex17

namespace Ex18
local syntax "l" "[" term,* "]" : term

/-- error: unsupported: a pattern with more after `$xs,*` -/
#guard_msgs in
macro_rules | `(l [$xs,*, $x]) => `(1)
end Ex18

/-! Messages. -/

namespace Ex19
local syntax "u" term : term

/-- error: Unknown identifier `y` -/
#guard_msgs in
macro_rules | `(u $x) => `($y)
end Ex19

namespace Ex20
local syntax "u" term : term
macro_rules | `(u 0) => `(1)

/-- error: no rule of `macro_rules` fits this use of the syntax `u _` -/
#guard_msgs in
#check u 2
end Ex20

namespace Ex22
local syntax "u" term : term
macro_rules | `(u $x) => `(u $x)

/--
error: maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
#check u 1
end Ex22

namespace Ex23
local syntax "u" term : term
macro_rules | `(u $x) => `(u ($x + 1))

/--
error: maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
#check u 1
end Ex23

namespace Ex24
local syntax "u" term : term
macro_rules | `(u $x) => `(u $x)

/--
error: maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
def f : Nat → Nat | u 1 => 1
end Ex24

namespace Ex25
local syntax "t" term : tactic
macro_rules | `(tactic| t $x) => `(tactic| t $x)

/--
error: maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
example : False := by t 1
end Ex25

namespace Ex26
local macro "f" x:term : term => `(True)

/--
error: Type mismatch
  True
has type
  Prop
of sort `Type` but is expected to have type
  False
of sort `Prop`
-/
#guard_msgs in
theorem t : False := f False
end Ex26

namespace Ex27
local macro "t" x:term : tactic => `(tactic| exact $x)

/--
error: Type mismatch
  trivial
has type
  True
but is expected to have type
  False
-/
#guard_msgs in
theorem t : False := by t trivial
end Ex27

-- a hole stays a hole
namespace Ex28
local macro "w" x:term : term => `(sorry)

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem t : False := w 1
end Ex28

namespace Ex29
local macro "w" x:term : tactic => `(tactic| sorry)

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem t : False := by w 1
end Ex29

namespace Ex30
local macro "w" x:tactic : tactic => `(tactic| $x)

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem t : False := by w sorry
end Ex30

namespace WithVec

inductive Vec (α : Type) : Nat → Type where
  | nil : Vec α 0
  | cons (a : α) (v : Vec α n) : Vec α (n + 1)

/-! Accepted. -/

namespace Ex1
local syntax "⟪" term,* "⟫" : term
macro_rules
  | `(⟪⟫) => `(Vec.nil)
  | `(⟪$h⟫) => `(Vec.cons $h Vec.nil)
  | `(⟪$h, $t,*⟫) => `(Vec.cons $h ⟪$t,*⟫)
example : (⟪⟫ : Vec Nat 0) = Vec.nil := rfl
end Ex1

namespace Ex2
local syntax "⟪" term,* "⟫" : term
macro_rules
  | `(⟪⟫) => `(Vec.nil)
  | `(⟪$h⟫) => `(Vec.cons $h Vec.nil)
  | `(⟪$h, $t,*⟫) => `(Vec.cons $h ⟪$t,*⟫)
example : ⟪1, 2⟫ = Vec.cons 1 (Vec.cons 2 Vec.nil) := rfl
end Ex2

namespace Ex3
local syntax "⟪" term,* "⟫" : term
macro_rules
  | `(⟪⟫) => `(Vec.nil)
  | `(⟪$h⟫) => `(Vec.cons $h Vec.nil)
  | `(⟪$h, $t,*⟫) => `(Vec.cons $h ⟪$t,*⟫)
def first : Vec Nat 2 → Nat | ⟪a, _⟫ => a
example : first ⟪3, 4⟫ = 3 := rfl
end Ex3

namespace Ex4
local syntax "⟪" term,* "⟫" : term
macro_rules
  | `(⟪⟫) => `(Vec.nil)
  | `(⟪$h⟫) => `(Vec.cons $h Vec.nil)
  | `(⟪$h, $t,*⟫) => `(Vec.cons $h ⟪$t,*⟫)
example : id ⟪⟪1⟫, ⟪2⟫⟫ = ⟪⟪1⟫, Vec.cons 2 ⟪⟫⟫ := rfl
end Ex4

end WithVec
