/- Induction along the algorithms of `/` and `%`, and recursion on accessibility with an equation for each call. -/

universe u v

namespace Nat

/-- Induction along the subtractions by which `x / y` is found. -/
def div.inductionOn {motive : Nat → Nat → Sort u} (x y : Nat)
    (ind : ∀ x y, 0 < y ∧ y ≤ x → motive (x - y) y → motive x y)
    (base : ∀ x y, ¬(0 < y ∧ y ≤ x) → motive x y) : motive x y :=
  if h : 0 < y ∧ y ≤ x then ind x y h (div.inductionOn (x - y) y ind base) else base x y h
termination_by x
decreasing_by exact Nat.sub_lt (Nat.lt_of_lt_of_le h.1 h.2) h.1

/-- Induction along the subtractions by which `x % y` is found. -/
def mod.inductionOn {motive : Nat → Nat → Sort u} (x y : Nat)
    (ind : ∀ x y, 0 < y ∧ y ≤ x → motive (x - y) y → motive x y)
    (base : ∀ x y, ¬(0 < y ∧ y ≤ x) → motive x y) : motive x y :=
  div.inductionOn x y ind base

end Nat

namespace Acc

variable {α : Sort u} {r : α → α → Prop}

/-- The relation `r` between accessible elements. -/
@[reducible] def wfRel : WellFoundedRelation { a // Acc r a } where
  rel := InvImage r (fun x => x.1)
  wf := ⟨fun x => InvImage.accessible _ x.2⟩

attribute [local instance] wfRel in
/-- The recursor as a function whose equation unfolds one step for any proof of accessibility. -/
protected noncomputable def recC {motive : (a : α) → Acc r a → Sort v}
    (intro : (x : α) → (h : (y : α) → r y x → Acc r y) → ((y : α) → (hr : r y x) → motive y (h y hr)) →
      motive x (Acc.intro x h))
    {a : α} (t : Acc r a) : motive a t :=
  intro a (fun _ h => t.inv h) (fun _ hr => Acc.recC intro (t.inv hr))
termination_by (⟨a, t⟩ : { a // Acc r a })

theorem rec_eq_recC : @Acc.rec = @Acc.recC := by
  funext α r motive intro a t
  induction t with
  | intro x h ih =>
    rw [Acc.recC]
    have e : (fun y hr => Acc.rec (motive := motive) intro (h y hr)) = fun y hr => Acc.recC intro (h y hr) :=
      funext fun y => funext fun hr => ih y hr
    exact congrArg (intro x h) e

end Acc
