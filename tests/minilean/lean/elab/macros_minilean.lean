-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Macros with arguments: `syntax`, `macro_rules` and `macro` with plain templates -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Accepted. -/

namespace Ex1
local macro "list(" xs:term,* ")" : term => `([$xs,*])
example : list(1, 2) = [1, 2] := rfl
end Ex1

namespace Ex2
local syntax "sum" "(" term,+ ")" : term
macro_rules | `(sum($x)) => `($x) | `(sum($x, $xs,*)) => `($x + sum($xs,*))
example : sum(1, 2, 3) = 6 := rfl
end Ex2

-- terms
namespace Ex3
local macro "both" x:term:max y:term:max : term => `(And $x $y)
example (p q : Prop) (h : p) (k : q) : both p q := ⟨h, k⟩
end Ex3

namespace Ex4
local macro x:term:51 " ~~ " y:term:51 : term => `($x = $y ∨ $y = $x)
example : 1 ~~ 1 := .inl rfl
end Ex4

namespace Ex5
local syntax:65 term:65 " ⊞ " term:66 : term
macro_rules | `($a ⊞ $b) => `($a + $b)
example : 1 ⊞ 2 ⊞ 3 = 6 := rfl
end Ex5

namespace Ex6
local macro "lam" x:ident "=>" b:term : term => `(fun $x => $b)
example : (lam y => y + 1 : Nat → Nat) 2 = 3 := rfl
end Ex6

namespace Ex7
local macro "every" x:ident ":" b:term : term => `(∀ $x:ident, $b)
example : every y : y = y + 0 := by
  intro y
  rfl
end Ex7

namespace Ex8
local macro "zero" c:term "so" a:term "else" b:term : term => `(if $c = 0 then $a else $b)
example : (zero 0 so 1 else 2) = 1 := rfl
end Ex8

namespace Ex9
local syntax "pick" ident num str : term
macro_rules | `(pick $i $n $s) => `(($i, $n, $s))
example : pick true 3 "a" = (true, 3, "a") := rfl
end Ex9

-- patterns by shape, the first that fits
namespace Ex10
local syntax "shape" term : term
macro_rules | `(shape $x:ident) => `(1) | `(shape 0) => `(2)
  | `(shape $x:num) => `(3) | `(shape $x + $y) => `($x) | `(shape ($x)) => `(shape $x)
  | `(shape $f $x) => `(4) | `(shape $x) => `(5)
example : [shape true, shape 0, shape 7, shape 8 + 9, shape (id 1), shape [1]] = [1, 2, 3, 8, 4, 5] := rfl
end Ex10

-- later commands come first
namespace Ex11
local syntax "n" : term
macro_rules | `(n) => `(1)
macro_rules | `(n) => `(2)
example : n = 2 := rfl
end Ex11

-- tactics
namespace Ex12
local macro "by_term" x:term : tactic => `(tactic| exact $x)
example (h : p) : p ∧ p := by by_term ⟨by assumption, h⟩
end Ex12

namespace Ex13
local macro "twice" t:tactic : tactic => `(tactic| ($t; $t))
example : p → q → p := by
  twice intro h
  assumption
end Ex13

namespace Ex14
local macro "all" t:tactic : tactic => `(tactic| repeat $t)
example (h : p) : p ∧ p := by
  constructor
  all exact h
end Ex14

namespace Ex15
local macro "named" h:ident : tactic => `(tactic| intro $h)
example : p → p := by
  named x
  exact x
end Ex15

namespace Ex16
local macro "clean" h:ident : tactic => `(tactic| (simp at $h; omega))
example (h : x = 1 + 0) : x + 1 = 2 := by clean h
end Ex16

namespace Ex17
local macro "swap_and" h:term : tactic => `(tactic| (obtain ⟨a, b⟩ := $h; exact ⟨b, a⟩))
example (h : p ∧ q) : q ∧ p := by swap_and h
end Ex17

namespace Ex18
local macro "turn" h:term : tactic => `(tactic| rw [$h:term])
example (h : a = b) : a = b := by turn h
end Ex18

namespace Ex19
local macro "use_it" h:term : tactic => `(tactic| (have := $h; simp_all))
example (h : a = b) (k : b = 2) : a = 2 := by use_it h
end Ex19

namespace Ex20
def f (n : Nat) := n + 1
local macro "open_f" x:term : tactic => `(tactic| (unfold f; exact $x))
example : f 1 = 1 + 1 := by open_f rfl
end Ex20

namespace Ex21
local syntax "oneof" "[" term,* "]" : tactic
macro_rules
  | `(tactic| oneof [$h]) => `(tactic| exact $h)
  | `(tactic| oneof [$h, $hs,*]) => `(tactic| first | exact $h | oneof [$hs,*])
example (h : p) (k : q) : q := by oneof [h, k]
end Ex21

namespace Ex22
local macro "pull" t:term : tactic => `(tactic| (generalize h : $t = x; revert h; intro h; clear h; rfl))
example (n : Nat) : n + 1 = n + 1 := by pull n + 1
end Ex22

-- the first word of a tactic stays a name
namespace Ex23
local macro "m" x:term : tactic => `(tactic| exact $x)
local macro "k" : tactic => `(tactic| rfl)
example (m k : Nat) (h : m = k) : m = k := by m h
end Ex23

-- two tactics with one first word
namespace Ex24
local syntax "settle" term : tactic
local syntax "settle" : tactic
macro_rules | `(tactic| settle) => `(tactic| trivial) | `(tactic| settle $t) => `(tactic| exact $t)
example (h : p) : p ∧ True := by
  constructor
  settle h
  settle
end Ex24

/-! Names of a template are its own. -/

-- names of the template and names of the arguments
namespace Ex25
local macro "k" x:term : term => `(fun y => $x)
example (y : Nat) : (k y) 1 = y := rfl
end Ex25

namespace Ex26
local macro "plus" x:term : term => `(let y := 1; $x + y)
def y := 5
example : (plus y) = 6 := rfl
end Ex26

namespace Ex27
local macro "some_of" x:term : term => `(∃ y, y = $x)
example (y : Nat) : some_of y := ⟨y, rfl⟩
end Ex27

namespace Ex28
local macro "after" t:term : tactic => `(tactic| (intro h; exact $t))
example (p q : Prop) (h : q) : p → q := by after h
end Ex28

namespace Ex29
local macro "after" t:term : tactic => `(tactic| (intro h; exact $t))

/-- error: Unknown identifier `h` -/
#guard_msgs in
example (p : Prop) : p → p := by after h
end Ex29

namespace Ex30
local macro "twin" h:ident : tactic => `(tactic| (intro $h; have k := $h))

/--
error: unsolved goals
p q : Prop
x k✝ : p
⊢ q
-/
#guard_msgs in
example (p q : Prop) : p → q := by
  twin x
end Ex30

namespace Ex31
local macro "see" t:tactic : tactic => `(tactic| (intro h; $t))

/--
error: Failed: `fail` tactic was invoked
p : Prop
h✝ : p
⊢ p
-/
#guard_msgs in
example (p : Prop) : p → p := by see fail
end Ex31

-- an argument may bind the same name itself
namespace Ex32
local notation "unique" p => ∃ y : Nat, p y ∧ ∀ z, p z → z = y
local notation "only" x => unique (fun y => y = x)
example : only 1 := ⟨1, rfl, fun _ h => h⟩
end Ex32

namespace Ex33
local notation "inner" p => fun y : Nat => p y
local notation "outer" x => fun y : Nat => inner (fun y : Fin y => x)

/-- error: unsupported: expansions inside each other that both bind `y` -/
#guard_msgs in
#check outer 1
end Ex33

-- an expansion inside another one names its own hypothesis
namespace Ex34
local macro "inner" t:term : tactic => `(tactic| intro h)
local macro "outer" t:term : tactic => `(tactic| (intro h; inner 1; exact h))
example (p q : Prop) : p → q → p := by outer 1
end Ex34

namespace Ex35
local macro "inner" t:term : tactic => `(tactic| intro h)
local macro "outer" t:term : tactic => `(tactic| (intro h; inner 1; exact h))

/--
error: Type mismatch
  h✝¹
has type
  p
but is expected to have type
  q
-/
#guard_msgs in
example (p q : Prop) : p → q → q := by outer 1
end Ex35

namespace Ex36
local macro "inner" x:term:max : term => `(fun y => y + $x)
local macro "outer" x:term:max : term => `(fun (y : Nat) => (inner y) $x)

/-- error: unsupported: expansions inside each other that both bind `y` -/
#guard_msgs in
#check outer 1
end Ex36

namespace Ex37
local notation "inner" x => fun y => y + x
local notation "outer" x => fun (y : Nat) => (inner y) x

/-- error: unsupported: expansions inside each other that both bind `y` -/
#guard_msgs in
#check outer 1
end Ex37
