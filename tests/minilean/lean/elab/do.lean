-- Checked with Lean 4.35.0.

/-! # `do` blocks, the operators of monads, their laws, and classes with new defaults for inherited fields -/

set_option linter.unusedVariables false

def half (n : Nat) : Option Nat := if n % 2 = 0 then some (n / 2) else none

/-! What holds. -/

namespace Holds

example : (do let m ← half 8; half m) = some 2 := rfl
example : (do let m ← half 8; half m) = some 2 := by decide
example : (do let m ← half 8; half m) = some 2 := by simp [half]
example (x : Option Nat) : (do let a ← x; return a) = x := by simp
example (x : Option Nat) (f : Nat → Option Nat) : (do let a ← x; f a) = x >>= f := rfl
example (x : Option Nat) (f : Nat → Option Nat) : (do let a ← x; f a) = x.bind f := by simp
example (f : Nat → Option Nat) : (do let a ← none; f a) = none := by simp

example (m : Type → Type) [Monad m] [LawfulMonad m] (a : Nat) (f : Nat → m Nat) :
    (do let b ← pure a; f b) = f a := by simp

example (m : Type → Type) [Monad m] [LawfulMonad m] (x : m Nat) (f g : Nat → m Nat) :
    (x >>= f) >>= g = x >>= fun a => f a >>= g := by simp

example (m : Type → Type) [Monad m] [LawfulMonad m] (x : m Nat) : x >>= pure = x := by simp
example (m : Type → Type) [Monad m] [LawfulMonad m] (x : m Nat) : id <$> x = x := by simp

def div (a b : Nat) : Except String Nat := if b = 0 then throw "div" else pure (a / b)

example : (do let x ← div 1 0; pure x : Except String Nat) = .error "div" := rfl
example (a b : Nat) (h : b ≠ 0) : div a b = .ok (a / b) := by simp [div, h]; rfl

def next : StateM Nat Nat := do
  let n ← get
  set (n + 1)
  return n

example (n : Nat) : next.run n = pure (n, n + 1) := by simp [next]
example : (next.run 5).1 = 5 := by decide

structure St (α : Type) where
  run : Nat → α × Nat

instance : Monad St where
  pure a := ⟨fun n => (a, n)⟩
  bind x f := ⟨fun n => let (a, k) := x.run n; (f a).run k⟩

def tick : St Nat := ⟨fun n => (n, n + 1)⟩

example : (do let a ← tick; let b ← tick; return (a, b) : St (Nat × Nat)).run 7 = ((7, 8), 9) := rfl

instance : LawfulMonad St where
  map_const := rfl
  id_map _ := rfl
  comp_map _ _ _ := rfl
  seqLeft_eq _ _ := rfl
  seqRight_eq _ _ := rfl
  pure_seq _ _ := rfl
  map_pure _ _ := rfl
  seq_pure _ _ := rfl
  seq_assoc _ _ _ := rfl
  bind_pure_comp _ _ := rfl
  bind_map _ _ := rfl
  pure_bind _ _ := rfl
  bind_assoc _ _ _ := rfl

namespace Ex
namespace A
def Bind.bind := 1
def PUnit := Nat
def Pure.pure := 2
example : (do let a ← some 1; some (); return a) = some 1 := rfl
end A
end Ex

end Holds

/-! What does not hold. -/

namespace DoesHold

/--
error: invalid `do` notation, expected type is not a monad application
  Nat
You can use the `do` notation in pure code by writing `Id.run do` instead of `do`, where `Id` is the identity monad.
-/
#guard_msgs in
def f : Nat := do return 1

/--
error: failed to synthesize instance of type class
  Pure List

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def f2 : List Nat := do return 1

/--
error: Type mismatch
  rfl
has type
  ?m.16 = ?m.16
but is expected to have type
  (do
      let m ← half 6
      half m) =
    some 2
-/
#guard_msgs in
example : (do let m ← half 6; half m) = some 2 := rfl

/--
error: Tactic `rfl` failed: The left-hand side
  x *> y
is not definitionally equal to the right-hand side
  y

x y : Option Nat
⊢ x *> y = y
-/
#guard_msgs in
example (x y : Option Nat) : (x *> y) = y := by rfl

/-- error: Fields missing: `bind` -/
#guard_msgs in
instance : Monad List where
  pure := fun a => [a]

end DoesHold

/-! New defaults of inherited fields. -/

namespace NewDefaultsInherited

class A (f : Type → Type) where
  map : {α β : Type} → (α → β) → f α → f β

class B (f : Type → Type) extends A f where
  bind : {α β : Type} → f α → (α → f β) → f β
  pure : {α : Type} → α → f α
  map g x := bind x fun a => pure (g a)

instance : B Option where
  bind := Option.bind
  pure := some

example (x : Option Nat) : A.map id x = x.bind some := rfl

instance : B Option where
  bind := Option.bind
  pure := some
  map := Option.map

example (x : Option Nat) : A.map id x = x.map id := rfl

/-- error: Fields missing: `bind` -/
#guard_msgs in
instance : B Option where
  pure := some

structure P where
  x : Nat

/--
error: Type mismatch
  true
has type
  Bool
but is expected to have type
  Nat
-/
#guard_msgs in
structure Q extends P where
  x := true

end NewDefaultsInherited
