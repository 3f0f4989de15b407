/- Copies of types in larger universes, and classes of operators. -/

/-- The type `α` in a larger universe. -/
structure ULift.{r, s} (α : Type s) : Type (max s r) where
  /-- The copy of an element. -/
  up ::
  /-- The element that a copy stands for. -/
  down : α

/-- The type or proposition `α` as a type. -/
structure PLift.{u} (α : Sort u) : Type u where
  /-- The copy of an element. -/
  up ::
  /-- The element that a copy stands for. -/
  down : α

universe u v

namespace ULift

variable {α : Type u}

@[simp] theorem up_down (b : ULift.{v, u} α) : up (down b) = b := rfl

@[simp] theorem down_up (a : α) : down (up.{v, u} a) = a := rfl

theorem down_inj {a b : ULift.{v, u} α} : a.down = b.down ↔ a = b :=
  ⟨fun h => congrArg up h, fun h => congrArg down h⟩

theorem up_inj {a b : α} : up.{v, u} a = up b ↔ a = b := ⟨fun h => congrArg down h, fun h => congrArg up h⟩

instance instInhabited [Inhabited α] : Inhabited (ULift.{v, u} α) := ⟨up default⟩

instance instNonempty [h : Nonempty α] : Nonempty (ULift.{v, u} α) := h.elim (fun a => ⟨up a⟩)

instance instDecidableEq [DecidableEq α] : DecidableEq (ULift.{v, u} α) :=
  fun a b => decidable_of_iff (a.down = b.down) down_inj

end ULift

namespace PLift

variable {α : Sort u}

@[simp] theorem up_down (b : PLift α) : up (down b) = b := rfl

@[simp] theorem down_up (a : α) : down (up a) = a := rfl

theorem down_inj {a b : PLift α} : a.down = b.down ↔ a = b := ⟨fun h => congrArg up h, fun h => congrArg down h⟩

theorem up_inj {a b : α} : up a = up b ↔ a = b := ⟨fun h => congrArg down h, fun h => congrArg up h⟩

instance instInhabited [Inhabited α] : Inhabited (PLift α) := ⟨up default⟩

instance instNonempty [h : Nonempty α] : Nonempty (PLift α) := h.elim (fun a => ⟨up a⟩)

instance instDecidableEq [DecidableEq α] : DecidableEq (PLift α) :=
  fun a b => decidable_of_iff (a.down = b.down) down_inj

end PLift

namespace Std

variable {α : Sort u}

/-- `op (op a b) c = op a (op b c)`. -/
class Associative (op : α → α → α) : Prop where
  /-- The law. -/
  assoc : (a b c : α) → op (op a b) c = op a (op b c)

/-- `op a b = op b a`. -/
class Commutative (op : α → α → α) : Prop where
  /-- The law. -/
  comm : (a b : α) → op a b = op b a

/-- `op a a = a`. -/
class IdempotentOp (op : α → α → α) : Prop where
  /-- The law. -/
  idempotent : (x : α) → op x x = x

end Std

instance Nat.instAssociativeHAdd : Std.Associative (α := Nat) (· + ·) := ⟨Nat.add_assoc⟩

instance Nat.instCommutativeHAdd : Std.Commutative (α := Nat) (· + ·) := ⟨Nat.add_comm⟩

instance Nat.instAssociativeHMul : Std.Associative (α := Nat) (· * ·) := ⟨Nat.mul_assoc⟩

instance Nat.instCommutativeHMul : Std.Commutative (α := Nat) (· * ·) := ⟨Nat.mul_comm⟩

instance Nat.instAssociativeMax : Std.Associative (α := Nat) max := ⟨Nat.max_assoc⟩

instance Nat.instCommutativeMax : Std.Commutative (α := Nat) max := ⟨Nat.max_comm⟩

instance Nat.instIdempotentOpMax : Std.IdempotentOp (α := Nat) max := ⟨Nat.max_self⟩

instance Nat.instAssociativeMin : Std.Associative (α := Nat) min := ⟨Nat.min_assoc⟩

instance Nat.instCommutativeMin : Std.Commutative (α := Nat) min := ⟨Nat.min_comm⟩

instance Nat.instIdempotentOpMin : Std.IdempotentOp (α := Nat) min := ⟨Nat.min_self⟩

instance Int.instAssociativeHAdd : Std.Associative (α := Int) (· + ·) := ⟨Int.add_assoc⟩

instance Int.instCommutativeHAdd : Std.Commutative (α := Int) (· + ·) := ⟨Int.add_comm⟩

instance Int.instAssociativeHMul : Std.Associative (α := Int) (· * ·) := ⟨Int.mul_assoc⟩

instance Int.instCommutativeHMul : Std.Commutative (α := Int) (· * ·) := ⟨Int.mul_comm⟩

instance instAssociativeAnd : Std.Associative And := ⟨fun _ _ _ => propext and_assoc⟩

instance instCommutativeAnd : Std.Commutative And := ⟨fun _ _ => propext and_comm⟩

instance instIdempotentOpAnd : Std.IdempotentOp And := ⟨and_self⟩

instance instAssociativeOr : Std.Associative Or := ⟨fun _ _ _ => propext or_assoc⟩

instance instCommutativeOr : Std.Commutative Or := ⟨fun _ _ => propext or_comm⟩

instance instIdempotentOpOr : Std.IdempotentOp Or := ⟨or_self⟩

instance instCommutativeIff : Std.Commutative Iff := ⟨fun _ _ => propext iff_comm⟩

instance Bool.instAssociativeAnd : Std.Associative and := ⟨Bool.and_assoc⟩

instance Bool.instCommutativeAnd : Std.Commutative and := ⟨Bool.and_comm⟩

instance Bool.instAssociativeOr : Std.Associative or := ⟨Bool.or_assoc⟩

instance Bool.instCommutativeOr : Std.Commutative or := ⟨Bool.or_comm⟩

instance List.instAssociativeHAppend {α : Type u} : Std.Associative (α := List α) (· ++ ·) := ⟨List.append_assoc⟩
