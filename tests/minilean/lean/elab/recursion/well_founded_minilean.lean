-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Well-founded recursion: what is compiled, the goals that are shown, and the equations of the functions -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! The goals of decreasing by. -/

-- Lean has `x✝ :` there.
namespace Ex1
/--
trace: x : Nat
⊢ Prod.Lex (fun a₁ a₂ => a₁ < a₂) (fun a₁ a₂ => a₁ < a₂) (x, 1) (x.succ, 0)
x y : Nat
⊢ Prod.Lex (fun a₁ a₂ => a₁ < a₂) (fun a₁ a₂ => a₁ < a₂) (x + 1, y) (x.succ, y.succ)
x y : Nat
x✝ : (y_1 : (_ : Nat) ×' Nat) → WellFoundedRelation.rel y_1 ⟨x.succ, y.succ⟩ → PSigma.rec (fun x x_1 => Nat) y_1
⊢ Prod.Lex (fun a₁ a₂ => a₁ < a₂) (fun a₁ a₂ => a₁ < a₂) (x, x✝ ⟨x + 1, y⟩ ⋯) (x.succ, y.succ)
-/
#guard_msgs in
def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)
decreasing_by all_goals (trace_state; decreasing_tactic)
end Ex1

/-! The table of measures. -/

-- Lean has `1) 70:33-43 ? ≤` there.
namespace Ex2
/--
error: fail to show termination for
  Ex2.M
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    Ex2.M (n + 11)


Could not find a decreasing measure.
The basic measures relate at each recursive call as follows:
(<, ≤, =: relation proved, ? all proofs failed, _: no proof attempted)
   n #1
1) ?  ≤
2) _  ?

#1: 100 - n

Please use `termination_by` to specify a decreasing measure.
-/
#guard_msgs in
def M (n : Nat) : Nat :=
  if n > 100 then n - 10 else M (M (n + 11))
end Ex2

namespace WithDiv

def div (x y : Nat) : Nat :=
  if h : 0 < y ∧ y ≤ x then
    have : x - y < x := Nat.sub_lt (Nat.lt_of_lt_of_le h.1 h.2) h.1
    div (x - y) y + 1
  else
    0

/-! Recursion with a proof in the context. -/

/-- info: 3 -/
#guard_msgs in
#eval div 17 5

/-! The function is irreducible. -/

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  div 8 2 = 4
-/
#guard_msgs in
example : div 8 2 = 4 := rfl

-- Lean: error: Tactic `decide` failed to reduce @decide (div 8 2 = 4) (instDecidableEqNat (div 8 2) 4) to
-- `true` or `false`. After unfolding the instances ..
/--
error: Tactic `decide` failed for proposition
  div 8 2 = 4
because its `Decidable` instance
  instDecidableEqNat (div 8 2) 4
did not reduce to `isTrue` or `isFalse`.

After unfolding, reduction got stuck at the `Decidable` instance
  match instDecidableEqBool ((div 8 2).beq 4) true with
  | isTrue h => (fun h => isTrue ⋯) h
  | isFalse h => (fun h => isFalse ⋯) h
-/
#guard_msgs in
example : div 8 2 = 4 := by decide

end WithDiv

namespace WithAck

def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)

/-! Lexicographic recursion. -/

/-- info: 7 -/
#guard_msgs in
#eval ack 2 2

/-- info: ack.eq_3 : ∀ (x y : Nat), ack x.succ y.succ = ack x (ack (x + 1) y) -/
#guard_msgs in
#check @ack.eq_3

end WithAck
