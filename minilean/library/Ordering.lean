/- Comparison: `Ordering`, `compare` and its instances. -/

universe u v w

/-- The result of a comparison. -/
inductive Ordering where
  | lt
  | eq
  | gt
  deriving Inhabited, DecidableEq

namespace Ordering

/-- The result with the operands in the other order. -/
def swap : Ordering → Ordering
  | .lt => .gt
  | .eq => .eq
  | .gt => .lt

/-- The first result that is not `eq`. -/
def «then» (a b : Ordering) : Ordering :=
  match a with
  | .eq => b
  | a => a

/-- Whether the left operand is equal. -/
def isEq : Ordering → Bool
  | eq => true
  | _ => false

/-- Whether the operands differ. -/
def isNe : Ordering → Bool
  | eq => false
  | _ => true

/-- Whether the left operand is not greater. -/
def isLE : Ordering → Bool
  | gt => false
  | _ => true

/-- Whether the left operand is less. -/
def isLT : Ordering → Bool
  | lt => true
  | _ => false

/-- Whether the left operand is greater. -/
def isGT : Ordering → Bool
  | gt => true
  | _ => false

/-- Whether the left operand is not less. -/
def isGE : Ordering → Bool
  | lt => false
  | _ => true

@[simp] theorem swap_lt : lt.swap = gt := rfl

@[simp] theorem swap_eq : eq.swap = eq := rfl

@[simp] theorem swap_gt : gt.swap = lt := rfl

@[simp] theorem swap_swap {o : Ordering} : o.swap.swap = o := by cases o <;> rfl

@[simp] theorem swap_inj {o₁ o₂ : Ordering} : o₁.swap = o₂.swap ↔ o₁ = o₂ :=
  ⟨fun h => by rw [← swap_swap (o := o₁), h, swap_swap], fun h => by rw [h]⟩

@[simp] theorem lt_then {o : Ordering} : lt.then o = lt := rfl

@[simp] theorem gt_then {o : Ordering} : gt.then o = gt := rfl

@[simp] theorem eq_then {o : Ordering} : eq.then o = o := rfl

theorem swap_then (o₁ o₂ : Ordering) : (o₁.then o₂).swap = o₁.swap.then o₂.swap := by cases o₁ <;> rfl

theorem then_eq_eq {o₁ o₂ : Ordering} : o₁.then o₂ = eq ↔ o₁ = eq ∧ o₂ = eq := by cases o₁ <;> simp

@[simp] theorem isLT_lt : lt.isLT = true := rfl

@[simp] theorem isLE_lt : lt.isLE = true := rfl

@[simp] theorem isEq_lt : lt.isEq = false := rfl

@[simp] theorem isNe_lt : lt.isNe = true := rfl

@[simp] theorem isGE_lt : lt.isGE = false := rfl

@[simp] theorem isGT_lt : lt.isGT = false := rfl

@[simp] theorem isLT_eq : eq.isLT = false := rfl

@[simp] theorem isLE_eq : eq.isLE = true := rfl

@[simp] theorem isEq_eq : eq.isEq = true := rfl

@[simp] theorem isNe_eq : eq.isNe = false := rfl

@[simp] theorem isGE_eq : eq.isGE = true := rfl

@[simp] theorem isGT_eq : eq.isGT = false := rfl

@[simp] theorem isLT_gt : gt.isLT = false := rfl

@[simp] theorem isLE_gt : gt.isLE = false := rfl

@[simp] theorem isEq_gt : gt.isEq = false := rfl

@[simp] theorem isNe_gt : gt.isNe = true := rfl

@[simp] theorem isGE_gt : gt.isGE = true := rfl

@[simp] theorem isGT_gt : gt.isGT = true := rfl

end Ordering

/-- The comparison by `<` and `=`. -/
def compareOfLessAndEq {α : Type u} (x y : α) [LT α] [Decidable (x < y)] [DecidableEq α] : Ordering :=
  if x < y then Ordering.lt
  else if x = y then Ordering.eq
  else Ordering.gt

/-- The first comparison that tells the operands apart. -/
def compareLex {α : Type u} {β : Type v} (cmp₁ cmp₂ : α → β → Ordering) (a : α) (b : β) : Ordering :=
  (cmp₁ a b).then (cmp₂ a b)

/-- The types with a comparison. -/
class Ord (α : Type u) where
  /-- Compares two values. -/
  compare : α → α → Ordering

export Ord (compare)

/-- The comparison of what `f` makes of the operands. -/
def compareOn {α : Type u} {β : Type v} [ord : Ord β] (f : α → β) (x y : α) : Ordering := Ord.compare (f x) (f y)

/-- The comparison of pairs by their left parts, then by their right parts. -/
@[reducible] def lexOrd {α : Type u} {β : Type v} [Ord α] [Ord β] : Ord (α × β) where
  compare := compareLex (compareOn (fun x => x.1)) (compareOn (fun x => x.2))

/-- `<` by a comparison. -/
def ltOfOrd {α : Type u} [Ord α] : LT α where
  lt a b := Ord.compare a b = Ordering.lt

/-- `≤` by a comparison. -/
def leOfOrd {α : Type u} [Ord α] : LE α where
  le a b := (Ord.compare a b).isLE = true

/-- `==` by a comparison. -/
def beqOfOrd {α : Type u} [Ord α] : BEq α where
  beq a b := (Ord.compare a b).isEq

instance instOrdNat : Ord Nat where
  compare x y := compareOfLessAndEq x y

instance instOrdInt : Ord Int where
  compare x y := compareOfLessAndEq x y

instance instOrdBool : Ord Bool where
  compare
  | false, true => Ordering.lt
  | true, false => Ordering.gt
  | _, _ => Ordering.eq

instance instOrdFin (n : Nat) : Ord (Fin n) where
  compare x y := compareOfLessAndEq x.val y.val

instance instOrdChar : Ord Char where
  compare x y := compareOfLessAndEq x y

instance instOrdOption {α : Type u} [Ord α] : Ord (Option α) where
  compare
  | none, none => .eq
  | none, some _ => .lt
  | some _, none => .gt
  | some x, some y => Ord.compare x y

/-- The comparison of lists by the first place where they differ. -/
protected def List.compareLex {α : Type u} (cmp : α → α → Ordering) : List α → List α → Ordering
  | [], [] => .eq
  | [], _ => .lt
  | _, [] => .gt
  | x :: xs, y :: ys => match cmp x y with
    | .lt => .lt
    | .eq => List.compareLex cmp xs ys
    | .gt => .gt

namespace List

instance {α : Type u} [Ord α] : Ord (List α) where
  compare := List.compareLex Ord.compare

protected theorem compareLex_cons_cons {α : Type u} {cmp : α → α → Ordering} {x y : α} {xs ys : List α} :
    (x :: xs).compareLex cmp (y :: ys) = (cmp x y).then (xs.compareLex cmp ys) := by
  rw [List.compareLex]
  cases cmp x y <;> rfl

@[simp] protected theorem compare_cons_cons {α : Type u} [Ord α] {x y : α} {xs ys : List α} :
    Ord.compare (x :: xs) (y :: ys) = (Ord.compare x y).then (Ord.compare xs ys) := List.compareLex_cons_cons

@[simp] protected theorem compare_nil_cons {α : Type u} [Ord α] {x : α} {xs : List α} :
    Ord.compare [] (x :: xs) = Ordering.lt := rfl

@[simp] protected theorem compare_cons_nil {α : Type u} [Ord α] {x : α} {xs : List α} :
    Ord.compare (x :: xs) [] = Ordering.gt := rfl

end List
