/- Steps of simplification: what the procedures of Lean's `simp` name in their proofs. -/

universe u v

/- `have x := a; b` as an application, its value and its body simplified -/

theorem have_unused_dep' {α : Sort u} {β : Sort v} (a : α) {f : α → β} {b : β} (h : ∀ x, f x = b) : f a = b := h a

theorem have_unused' {α : Sort u} {β : Sort v} (a : α) {b b' : β} (h : b = b') : (fun _ : α => b) a = b' := h

theorem have_body_congr_dep' {α : Sort u} {β : α → Sort v} (a : α) {f f' : (x : α) → β x} (h : ∀ x, f x = f' x) :
    f a = f' a := h a

theorem have_val_congr' {α : Sort u} {β : Sort v} {a a' : α} {f : α → β} (h : a = a') : f a = f a' := congrArg f h

theorem have_body_congr' {α : Sort u} {β : Sort v} (a : α) {f f' : α → β} (h : ∀ x, f x = f' x) : f a = f' a := h a

theorem have_congr' {α : Sort u} {β : Sort v} {a a' : α} {f f' : α → β} (h₁ : a = a') (h₂ : ∀ x, f x = f' x) :
    f a = f' a' := (congrArg f h₁).trans (h₂ a')

theorem let_congr {α : Sort u} {β : Sort v} {a a' : α} {b b' : α → β} (h₁ : a = a') (h₂ : ∀ x, b x = b' x) :
    (let x := a; b x) = (let x := a'; b' x) := (congrArg b h₁).trans (h₂ a')

theorem let_val_congr {α : Sort u} {β : Sort v} {a a' : α} (b : α → β) (h : a = a') :
    (let x := a; b x) = (let x := a'; b x) := congrArg b h

theorem let_body_congr {α : Sort u} {β : α → Sort v} {b b' : (a : α) → β a} (a : α) (h : ∀ x, b x = b' x) :
    (let x := a; b x) = (let x := a; b' x) := h a

theorem implies_congr_left {p₁ p₂ : Sort u} {q : Sort v} (h : p₁ = p₂) : (p₁ → q) = (p₂ → q) :=
  congrArg (fun p : Sort u => p → q) h

theorem implies_congr_right {p : Sort u} {q₁ q₂ : Sort v} (h : q₁ = q₂) : (p → q₁) = (p → q₂) :=
  congrArg (fun q : Sort v => p → q) h

/- Natural numbers with a numeral added -/

namespace Nat

protected theorem not_le_eq (a b : Nat) : (¬a ≤ b) = (b + 1 ≤ a) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem not_ge_eq (a b : Nat) : (¬a ≥ b) = (a + 1 ≤ b) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem not_lt_eq (a b : Nat) : (¬a < b) = (b ≤ a) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem not_gt_eq (a b : Nat) : (¬a > b) = (a ≤ b) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem dvd_eq_true_of_mod_eq_zero {m n : Nat} (h : (n % m == 0) = true) : (m ∣ n) = True :=
  eq_true (Nat.dvd_of_mod_eq_zero (eq_of_beq h))

protected theorem dvd_eq_false_of_mod_ne_zero {m n : Nat} (h : (n % m != 0) = true) : (m ∣ n) = False :=
  eq_false (fun d => ne_of_beq_false (Eq.mp (Bool.not_eq_true' _) h) (Nat.mod_eq_zero_of_dvd d))

namespace Simproc

theorem sub_add_eq_comm (a b c : Nat) : a - (b + c) = a - c - b := by omega

theorem add_sub_add_le (a c : Nat) {b d : Nat} (h : b ≤ d) : a + b - (c + d) = a - (c + (d - b)) := by omega

theorem add_sub_add_ge (a c : Nat) {b d : Nat} (h : b ≥ d) : a + b - (c + d) = a + (b - d) - c := by omega

theorem add_sub_le (a : Nat) {b c : Nat} (h : b ≤ c) : a + b - c = a - (c - b) := by omega

theorem add_eq_gt (a : Nat) {b c : Nat} (h : b > c) : (a + b = c) = False := eq_false (fun e => by omega)

theorem eq_add_gt (a : Nat) {b c : Nat} (h : c > a) : (a = b + c) = False := eq_false (fun e => by omega)

theorem add_eq_add_le (a c : Nat) {b d : Nat} (h : b ≤ d) : (a + b = c + d) = (a = c + (d - b)) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem add_eq_add_ge (a c : Nat) {b d : Nat} (h : b ≥ d) : (a + b = c + d) = (a + (b - d) = c) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem add_eq_le (a : Nat) {b c : Nat} (h : b ≤ c) : (a + b = c) = (a = c - b) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem eq_add_le {a : Nat} (b : Nat) {c : Nat} (h : c ≤ a) : (a = b + c) = (b = a - c) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem add_le_add_le (a c : Nat) {b d : Nat} (h : b ≤ d) : (a + b ≤ c + d) = (a ≤ c + (d - b)) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem add_le_add_ge (a c : Nat) {b d : Nat} (h : b ≥ d) : (a + b ≤ c + d) = (a + (b - d) ≤ c) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem add_le_le (a : Nat) {b c : Nat} (h : b ≤ c) : (a + b ≤ c) = (a ≤ c - b) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

theorem add_le_gt (a : Nat) {b c : Nat} (h : b > c) : (a + b ≤ c) = False := eq_false (fun e => by omega)

theorem le_add_le (a : Nat) {b c : Nat} (h : a ≤ c) : (a ≤ b + c) = True := eq_true (by omega)

theorem le_add_ge (a : Nat) {b c : Nat} (h : a ≥ c) : (a ≤ b + c) = (a - c ≤ b) :=
  propext ⟨fun e => by omega, fun e => by omega⟩

end Simproc

end Nat

namespace Int

protected theorem not_le_eq (a b : Int) : (¬a ≤ b) = (b + 1 ≤ a) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem not_ge_eq (a b : Int) : (¬a ≥ b) = (a + 1 ≤ b) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem not_lt_eq (a b : Int) : (¬a < b) = (b ≤ a) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem not_gt_eq (a b : Int) : (¬a > b) = (a ≤ b) := propext ⟨fun h => by omega, fun h => by omega⟩

protected theorem dvd_eq_true_of_mod_eq_zero {a b : Int} (h : (b % a == 0) = true) : (a ∣ b) = True :=
  eq_true (Int.dvd_of_emod_eq_zero (eq_of_beq h))

protected theorem dvd_eq_false_of_mod_ne_zero {a b : Int} (h : (b % a != 0) = true) : (a ∣ b) = False :=
  eq_false (fun d => ne_of_beq_false (Eq.mp (Bool.not_eq_true' _) h) (Int.emod_eq_zero_of_dvd d))

end Int

namespace Fin

variable {n : Nat} {a b : Fin n}

theorem val_congr (h : a = b) : (a : Nat) = (b : Nat) := congrArg Fin.val h

theorem val_le_of_le (h : a ≤ b) : (a : Nat) ≤ (b : Nat) := h

theorem val_le_of_ge (h : a ≥ b) : (b : Nat) ≤ (a : Nat) := h

theorem val_add_one_le_of_lt (h : a < b) : (a : Nat) + 1 ≤ (b : Nat) := h

theorem val_add_one_le_of_gt (h : a > b) : (b : Nat) + 1 ≤ (a : Nat) := h

end Fin

/- Instances under the names that Lean 4.35 gives them -/

abbrev Nat.instDiv : Div Nat := Nat.instDivNat

abbrev Nat.instMod : Mod Nat := Nat.instModNat

abbrev Nat.instDvd : Dvd Nat := Nat.instDvdNat

abbrev Int.instAdd : Add Int := Int.instAddInt

abbrev Int.instMul : Mul Int := Int.instMulInt

abbrev Int.instSub : Sub Int := Int.instSubInt

abbrev Int.instDiv : Div Int := Int.instDivInt

abbrev Int.instMod : Mod Int := Int.instModInt

abbrev Int.instDvd : Dvd Int := Int.instDvdInt

abbrev Int.instNatPow : NatPow Int := Int.instNatPowInt
