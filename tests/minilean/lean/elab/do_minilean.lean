-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `do` blocks, the operators of monads, their laws, and classes with new defaults for inherited fields -/

set_option linter.unusedVariables false

/-! Values. -/

namespace Values

def half (n : Nat) : Option Nat := if n % 2 = 0 then some (n / 2) else none

/-- info: some 2 -/
#guard_msgs in
#eval (do let m ← half 8; half m : Option Nat)

/-- info: none -/
#guard_msgs in
#eval (do let m ← half 6; half m : Option Nat)

/-- info: some 9 -/
#guard_msgs in
#eval (do { let m ← half 8; let k := m + 1; return m + k } : Option Nat)

/-- info: some 4 -/
#guard_msgs in
#eval (do let m : Nat ← half 8; have k := m; return k : Option Nat)

/-- info: some 3 -/
#guard_msgs in
#eval (do return (← half 4) + (← half (← half 4)) : Option Nat)

/-- info: some 3 -/
#guard_msgs in
#eval (do let (a, b) ← some (1, 2); return a + b : Option Nat)

/-- info: some 3 -/
#guard_msgs in
#eval (do let a ← (do let c ← some 3; return c); return a : Option Nat)

def f (o : Option Nat) : Option Nat := do
  let some a := o | some 7
  return a

/-- info: some 7 -/
#guard_msgs in
#eval f none

def f2 (o : Option (Option Nat)) : Option Nat := do
  let some a ← o
    | failure
  return a

/-- info: none -/
#guard_msgs in
#eval f2 (some none)

/-- info: some 1 -/
#guard_msgs in
#eval (do if (← half 4) = 2 then return 1 else return 2 : Option Nat)

/-- info: some 5 -/
#guard_msgs in
#eval (do if let some a := half 3 then return a else if half 1 = none then return 5 else failure : Option Nat)

/-- info: some 1 -/
#guard_msgs in
#eval (do match half 4 with
    | none => failure
    | some a => let b ← half a; return b : Option Nat)

def div (a b : Nat) : Except String Nat := if b = 0 then throw "div" else pure (a / b)

/-- info: Except.error "div" -/
#guard_msgs in
#eval (do let x ← div 7 2; let y ← div x 0; return y : Except String Nat)

/-- info: Except.ok 3 -/
#guard_msgs in
#eval (do let x ← div 7 2; pure x : Except String Nat)

/-- info: Except.ok 3 -/
#guard_msgs in
#eval (tryCatch (div 1 0) (fun e => .ok e.length) : Except String Nat)

def next : StateM Nat Nat := do
  let n ← get
  set (n + 1)
  return n

/-- info: (5, 6) -/
#guard_msgs in
#eval next.run 5

/-- info: ((), 8) -/
#guard_msgs in
#eval ([1, 2].forM fun k => modify (· + k) : StateM Nat PUnit).run 5

/-- info: some 3 -/
#guard_msgs in
#eval [2, 4].foldlM (fun s n => (half n).map (s + ·)) 0

/-- info: none -/
#guard_msgs in
#eval [2, 3].foldlM (fun s n => (half n).map (s + ·)) 0

/-- info: none -/
#guard_msgs in
#eval (do let a ← half 8; guard (a < 3); return a : Option Nat)

/-- info: ((1, 20), 21) -/
#guard_msgs in
#eval (do let a ← next; modify (· * 10); let b ← next; return (a, b) : StateM Nat (Nat × Nat)).run 1

/-- info: 4 -/
#guard_msgs in
#eval Id.run do
  let x := 3
  return x + 1

/-- info: some 4 -/
#guard_msgs in
#eval (· + 1) <$> some 3

/-- info: some 4 -/
#guard_msgs in
#eval some (· + 1) <*> some 3

/-- info: some 3 -/
#guard_msgs in
#eval some 3 <* some 4

/-- info: some 4 -/
#guard_msgs in
#eval some 3 *> some 4

/-- info: some 4 -/
#guard_msgs in
#eval some 3 <&> (· + 1)

/-- info: some 2 -/
#guard_msgs in
#eval half 3 <|> half 4 <|> none

/-- info: some 2 -/
#guard_msgs in
#eval some 8 >>= half >>= half

/-- info: some 4 -/
#guard_msgs in
#eval half =<< some 8

/-- info: some 2 -/
#guard_msgs in
#eval (half >=> half) 8

def sum : List (Option Nat) → Option Nat
  | [] => some 0
  | x :: xs => do
    let a ← x
    let s ← sum xs
    return a + s

/-- info: some 3 -/
#guard_msgs in
#eval sum [some 1, some 2]

end Values

/-! Goals. -/

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ (do
      let a ← x
      f a) =
    y
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : (do let a ← x; f a) = y := by
  trace_state
  sorry

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ y = do
    let a ← x
    f a
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : y = (do let a ← x; f a) := by
  trace_state
  sorry

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ (do
      let a ← x
      let k : Nat := a + 1
      pure k) =
    y
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : (do let a ← x; let k := a + 1; return k) = y := by
  trace_state
  sorry

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ (do
      let __do_lift ← x
      let __do_lift_1 ← y
      pure (__do_lift + __do_lift_1)) =
    y
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : (do return (← x) + (← y)) = y := by
  trace_state
  sorry

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ (do
      let _ ← x
      y) =
    y
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : (do let _ ← x; y) = y := by
  trace_state
  sorry

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ x >>= f = y ∧ (x <|> y) = y ∧ x *> y = y
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : (x >>= f) = y ∧ (x <|> y) = y ∧ (x *> y) = y := by
  trace_state
  sorry

/--
trace: x y : Option Nat
f : Nat → Option Nat
⊢ x <* y = id <$> x ∧ some id <*> x = y
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x y : Option Nat) (f : Nat → Option Nat) : (x <* y) = (id <$> x) ∧ some id <*> x = y := by
  trace_state
  sorry

/-! What does not hold. -/

/-- error: invalid `do` notation, expected type is not available -/
#guard_msgs in
#check do let a ← some 1; return a

/-- error: invalid `do` notation, expected type is not available -/
#guard_msgs in
#check (do let a ← some 1; return a).isSome

/--
error: failed to synthesize instance of type class
  Monad List

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
instance : LawfulMonad List := sorry

/-! New defaults of inherited fields. -/

namespace NewDefaultsInherited

structure P where
  x : Nat
  y : Nat

structure Q extends P where
  z : Nat
  y := x + z

/-- info: 3 -/
#guard_msgs in
#eval ({ x := 1, z := 2 } : Q).y

/-- info: 9 -/
#guard_msgs in
#eval ({ x := 1, z := 2, y := 9 } : Q).y

structure P2 where
  x : Nat
  h : x = x

structure Q2 extends P2 where
  x := 3
  h := rfl

/-- info: 3 -/
#guard_msgs in
#eval ({} : Q2).x

end NewDefaultsInherited

/-! A default proves nothing for other values. -/

namespace DefaultProvesNothing

structure P where
  x : Nat
  h : x < 5

/-- error: unsupported: a tactic as new default for the inherited field `h` -/
#guard_msgs in
structure Q extends P where
  x := 3
  h := by decide

/--
error: Type mismatch
  Nat.le_refl 4
has type
  4 ≤ 4
but is expected to have type
  toP.x < 5
-/
#guard_msgs in
structure Q2 extends P where
  x := 3
  h := Nat.le_refl 4

end DefaultProvesNothing
