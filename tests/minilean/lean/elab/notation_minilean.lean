-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # The user's notations and tactic macros -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Notations. -/

namespace Ex1
local infixl:65 " ⊹ " => Nat.sub
example : 7 ⊹ 2 ⊹ 1 = 4 := rfl
end Ex1

namespace Ex2
local infixr:65 " ⊹ " => Nat.sub
example : 7 ⊹ 2 ⊹ 1 = 6 := rfl
end Ex2

namespace Ex3
local infix:50 " ≪ " => Nat.lt
example : (1 + 1 ≪ 3) = Nat.lt 2 3 := rfl
end Ex3

namespace Ex4
local prefix:max "√" => Nat.succ
example : √2 = 3 := rfl
end Ex4

namespace Ex5
local postfix:max "†" => Nat.succ
example : 2† = 3 := rfl
end Ex5

namespace Ex6
local notation:max "‖" x "‖" => Nat.pred x
example : ‖4‖ = 3 := rfl
end Ex6

namespace Ex7
local notation a " ⟪" b "⟫" => a * b
example : 2 ⟪3 + 1⟫ = 8 := rfl
end Ex7

namespace Ex8
local notation "ten" => 10
example : ten = 10 := rfl
end Ex8

namespace Ex9
local infixl:65 " my- " => Nat.sub
example : 7 my- 2 my- 1 = 4 := rfl
end Ex9

namespace Ex10
local infixl:65 " +' " => Nat.add
example : 7 +' 2 = 9 := rfl
end Ex10

/-! Local notations end with their section. -/

namespace Ex11
section
local notation "ten" => 10
example : ten = 10 := rfl
end

/--
error: Type mismatch
  rfl
has type
  ?m.7 = ?m.7
but is expected to have type
  ten = 10
-/
#guard_msgs in
example : ten = 10 := rfl
end Ex11

/-! Tactic macros. -/

namespace Ex12
local macro "close" : tactic => `(tactic| first | rfl | trivial)
example : 1 = 1 := by close
end Ex12

namespace Ex13
local macro "close" : tactic => `(tactic| first | rfl | trivial)
example : 1 = 1 := by close

/--
error: Tactic `assumption` failed

⊢ 1 = 2
-/
#guard_msgs in
example : 1 = 2 := by close
end Ex13

/-! Names in a macro are its own. -/

-- names of the macro are invisible to the caller, names of the caller to the macro
namespace Ex14
local macro "m" : tactic => `(tactic| intro h)

/-- error: Unknown identifier `h` -/
#guard_msgs in
example (p : Prop) : p → p := by m; exact h
end Ex14

namespace Ex15
local macro "m" : tactic => `(tactic| intro h)
example (p : Prop) : p → p := by m; rename_i k; exact k
end Ex15

namespace Ex16
local macro "m" : tactic => `(tactic| intro h)

/--
error: unsolved goals
p q : Prop
h✝ : p
⊢ q
-/
#guard_msgs in
example (p q : Prop) : p → q := by m
end Ex16

namespace Ex17
local macro "m" : tactic => `(tactic| have : 1 = 1 := rfl)

/-- error: Unknown identifier `this` -/
#guard_msgs in
example : 1 = 1 := by m; exact this
end Ex17

namespace Ex18
local macro "m" : tactic => `(tactic| exact h)

/-- error: Unknown identifier `h✝` -/
#guard_msgs in
example (p : Prop) (h : p) : p := by m
end Ex18

namespace Ex19
local macro "m" : tactic => `(tactic| (intro h; exact h))
example (p q : Prop) (h : q) : p → p := by m
end Ex19

namespace Ex20
local macro "m" : tactic => `(tactic| assumption)

/--
error: Tactic `assumption` failed

h : 1 = 2
⊢ 1 = 1
-/
#guard_msgs in
example (h : 1 = 2) : 1 = 1 := by m
end Ex20

namespace Ex21
local macro "m" : tactic => `(tactic| simp at *)
example (n : Nat) (h : n + 0 = 3) : n = 3 := by m; exact h
end Ex21

namespace Ex22
local macro "m" : tactic => `(tactic| subst_vars)
example (a b : Nat) (h : a = b) (k : b = 2) : a = 2 := by m; rfl
end Ex22

/-! Scoped notations are known where the namespace is open. -/

namespace Ex23
namespace A
scoped infixl:65 " ⊞ " => Nat.add
scoped macro "m" : tactic => `(tactic| rfl)
example : 1 ⊞ 2 = 3 := by m
end A
end Ex23

namespace Ex24
namespace A
scoped infixl:65 " ⊞ " => Nat.add
scoped macro "m" : tactic => `(tactic| rfl)
section
example : 1 ⊞ 2 = 3 := by m
end
end A
end Ex24

namespace Ex25
namespace A
scoped infixl:65 " ⊞ " => Nat.add
scoped macro "m" : tactic => `(tactic| rfl)
end A
open A
example : 1 ⊞ 2 = 3 := by m
end Ex25

namespace Ex26
namespace A
scoped infixl:65 " ⊞ " => Nat.add
scoped macro "m" : tactic => `(tactic| rfl)
end A
open scoped A
example : 1 ⊞ 2 = 3 := by m
end Ex26

namespace Ex27
namespace A
scoped infixl:65 " ⊞ " => Nat.add
scoped macro "m" : tactic => `(tactic| rfl)
end A
namespace A
example : 1 ⊞ 2 = 3 := by m
end A
end Ex27

-- Lean: error: Scoped attributes must be used inside namespaces
section
/-- error: scoped attributes must be used inside namespaces -/
#guard_msgs in
scoped notation "foo" => 1
end

/-! The latest notation shows. -/

namespace Ex30
local infixl:65 " ⊹ " => Nat.sub
section
local infixl:65 " ⊖ " => Nat.sub

/-- info: 2 ⊖ 1 : Nat -/
#guard_msgs in
#check Nat.sub 2 1
end

/-- info: 2 ⊹ 1 : Nat -/
#guard_msgs in
#check Nat.sub 2 1
end Ex30

/-! Goals are shown by notations. -/

namespace Ex31
local notation "ℕ" => Nat

/--
error: unsolved goals
x y : ℕ
⊢ x = y
-/
#guard_msgs in
example (x y : ℕ) : x = y := by
  skip
end Ex31

/-! Notations take part in line breaks. -/

namespace Ex32
local infix:50 " ≼≼ " => Nat.le

/--
error: unsolved goals
averylongname_averylongname_averylongname_a averylongname_averylongname_averylongname_b : Nat
⊢ averylongname_averylongname_averylongname_a + averylongname_averylongname_averylongname_a ≼≼
    averylongname_averylongname_averylongname_b
-/
#guard_msgs in
example (averylongname_averylongname_averylongname_a averylongname_averylongname_averylongname_b : Nat) : averylongname_averylongname_averylongname_a + averylongname_averylongname_averylongname_a ≼≼ averylongname_averylongname_averylongname_b := by
  skip
end Ex32

/-! Default precedence. a notation that does not end with a token is not an argument unless it has precedence `max`
-/

namespace Ex33
local notation:max "‖" x => Nat.pred x

/-- info: (‖3).succ : Nat -/
#guard_msgs in
#check Nat.succ ‖3
end Ex33

/-! Tokens of core mean what fits. -/

namespace Ex34
inductive L where | nil | cons (n : Nat) (l : L)
namespace L
local infixr:60 " :: " => L.cons
def app : L → L → L
  | nil, m => m
  | x :: l, m => x :: app l m
local infixr:60 " ++ " => app
example (x : Nat) (l m : L) : (x :: l) ++ m = x :: l ++ m := rfl
end L
end Ex34

namespace Ex35
inductive L where | nil | cons (n : Nat) (l : L)
namespace L
local infixr:60 " :: " => L.cons
def app : L → L → L
  | nil, m => m
  | x :: l, m => x :: app l m
local infixr:60 " ++ " => app
example (x : Nat) (l : List Nat) : (x :: l) ++ l = ([x] ++ l) ++ l := rfl
end L
end Ex35

namespace Ex36
inductive L where | nil | cons (n : Nat) (l : L)
namespace L
local infixr:60 " :: " => L.cons
def app : L → L → L
  | nil, m => m
  | x :: l, m => x :: app l m
local infixr:60 " ++ " => app
example (x : Nat) (l : List Nat) : ([x] ++ l).length = (x :: l).length := by cases l <;> rfl
end L
end Ex36

/-! Equal readings are ambiguous. -/

namespace Ex37
local infixl:65 " ⊹ " => Nat.add
local infixl:65 " ⊹ " => Nat.sub

/--
error: Ambiguous term
  2 ⊹ 1
Possible interpretations:
  2 ⊹ 1 : Nat
  
  2 ⊹ 1 : Nat
-/
#guard_msgs in
#check 2 ⊹ 1
end Ex37

/-! Priorities decide. -/

namespace Ex38
local infixl:65 " ⊹ " => Nat.add
local infixl:65 (priority := high) " ⊹ " => Nat.sub
example : 2 ⊹ 1 = 1 := rfl
end Ex38
