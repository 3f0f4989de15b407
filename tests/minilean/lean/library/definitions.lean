-- Checked with Lean 4.35.0.

/-! # Equations of the first functions, `Int`, where `simp` ends on core's functions -/

set_option linter.unusedVariables false

/-! The equations are those of core's definitions by patterns. -/

/-- info: Nat.mul.eq_1 : ∀ (x : Nat), x.mul 0 = 0 -/
#guard_msgs in
#check @Nat.mul.eq_1

/-- info: Nat.pow.eq_2 : ∀ (m n : Nat), m.pow n.succ = (m.pow n).mul m -/
#guard_msgs in
#check @Nat.pow.eq_2

/-- info: Nat.beq.eq_3 : ∀ (n : Nat), n.succ.beq Nat.zero = false -/
#guard_msgs in
#check @Nat.beq.eq_3

/-- info: Nat.ble.eq_4 : ∀ (n m : Nat), n.succ.ble m.succ = n.ble m -/
#guard_msgs in
#check @Nat.ble.eq_4

/-- info: Bool.and.eq_1 : ∀ (y : Bool), (false && y) = false -/
#guard_msgs in
#check @Bool.and.eq_1

/-- info: Bool.or.eq_2 : ∀ (y : Bool), (false || y) = y -/
#guard_msgs in
#check @Bool.or.eq_2

/-- info: Bool.not.eq_1 : (!true) = false -/
#guard_msgs in
#check @Bool.not.eq_1

/-! Equations prove no more. -/

/--
error: Tactic `rfl` failed: The left-hand side
  a.add b.succ
is not definitionally equal to the right-hand side
  (b.add a).succ

a b : Nat
⊢ a.add b.succ = (b.add a).succ
-/
#guard_msgs in
example (a b : Nat) : a.add b.succ = (b.add a).succ := by rfl

/--
error: Type mismatch
  h
has type
  (a.add b).succ = 0
but is expected to have type
  a = b
-/
#guard_msgs in
example (a b : Nat) (h : a.add b.succ = 0) : a = b := by rw [Nat.add] at h; exact h

/-! Casts are put at the leaves. -/

/-- info: -1 : Int -/
#guard_msgs in
#check -1

/-- info: fun n z => ↑n + z : Nat → Int → Int -/
#guard_msgs in
#check fun (n : Nat) (z : Int) => n + z

/-- info: fun n z => z + ↑n : Nat → Int → Int -/
#guard_msgs in
#check fun (n : Nat) (z : Int) => z + n

/-- info: fun n m => ↑n + ↑m : Nat → Nat → Int -/
#guard_msgs in
#check fun (n m : Nat) => (n + m : Int)

/-- info: fun n m => ↑(n + m) : Nat → Nat → Int -/
#guard_msgs in
#check fun (n m : Nat) => ((n + m : Nat) : Int)

/-- info: fun n z => ↑n = -z ^ 2 : Nat → Int → Prop -/
#guard_msgs in
#check fun (n : Nat) (z : Int) => n = -z ^ 2

/-- info: fun n z => ↑n - -z : Nat → Int → Int -/
#guard_msgs in
#check fun (n : Nat) (z : Int) => ↑n - -z

/-- info: fun n z => z < ↑n ^ (n + 1) : Nat → Int → Prop -/
#guard_msgs in
#check fun (n : Nat) (z : Int) => z < n ^ (n + 1)

/-! `cases` has Lean's names and goals. -/

example (z : Int) : z = z := by
  induction z with
  | ofNat n => rfl
  | negSucc n => rfl

/-! Types that cannot be compared are left alone. -/

/--
error: failed to synthesize instance of type class
  HAdd Nat Bool ?m.3

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (n : Nat) (b : Bool) : Prop := n + b = n

/-! Where `simp` ends. -/

namespace SimpEndsWhere
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ xs.length = n
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (xs ++ []).length = n := by simp
end SimpEndsWhere

namespace SimpEndsWhere2
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ a = b ∨ a = c
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : a ∈ [b, c] := by simp
end SimpEndsWhere2

namespace SimpEndsWhere3
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ p = true → q = false
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (p && q) = false := by simp
end SimpEndsWhere3

namespace SimpEndsWhere4
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ p = false
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (!p) = true := by simp
end SimpEndsWhere4

namespace SimpEndsWhere5
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ p = false ∧ q = false
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (p || q) = false := by simp
end SimpEndsWhere5

namespace SimpEndsWhere6
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ o = none
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : o.map f = none := by simp
end SimpEndsWhere6

namespace SimpEndsWhere7
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ o = none
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : o.isSome = false := by simp
end SimpEndsWhere7

namespace SimpEndsWhere8
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ a ∈ xs ∧ t a = true
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : a ∈ xs.filter t := by simp
end SimpEndsWhere8

namespace SimpEndsWhere9
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ xs = ys
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : xs.reverse = ys.reverse := by simp
end SimpEndsWhere9

namespace SimpEndsWhere10
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ xs = []
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : xs.map f = [] := by simp
end SimpEndsWhere10

namespace SimpEndsWhere11
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ a :: (xs ++ ys) = zs
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (a :: xs) ++ ys = zs := by simp
end SimpEndsWhere11

namespace SimpEndsWhere12
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ List.map f xs ++ List.map f ys = zs
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (xs ++ ys).map f = zs := by simp
end SimpEndsWhere12

namespace SimpEndsWhere13
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ a = n
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : min a a = n := by simp
end SimpEndsWhere13

namespace SimpEndsWhere14
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ a % n = c
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (a + n * b) % n = c := by simp
end SimpEndsWhere14

namespace SimpEndsWhere15
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ xs = ys
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : (xs == ys) = true := by simp
end SimpEndsWhere15

namespace SimpEndsWhere16
/--
error: unsolved goals
a b c n : Nat
xs ys zs : List Nat
p q : Bool
o : Option Nat
f : Nat → Nat
t : Nat → Bool
⊢ a = b
-/
#guard_msgs in
theorem t (a b c n : Nat) (xs ys zs : List Nat) (p q : Bool) (o : Option Nat) (f : Nat → Nat) (t : Nat → Bool) : decide (a = b) = true := by simp
end SimpEndsWhere16
