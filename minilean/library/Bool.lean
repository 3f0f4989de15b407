/- Truth values: `&&`, `||`, `!`, `==`, `!=`, `bif`, and how they meet `=`, `decide` and `if`. -/

universe u v

variable {α : Type u}

instance instDecidableEqUnit : DecidableEq Unit := fun _ _ => isTrue rfl

instance instInhabitedUnit : Inhabited Unit := ⟨()⟩

@[simp] theorem cond_true {α : Sort u} (a b : α) : cond true a b = a := rfl

@[simp] theorem cond_false {α : Sort u} (a b : α) : cond false a b = b := rfl

instance Bool.instDecidableForallOfDecidablePred (p : Bool → Prop) [inst : DecidablePred p] : Decidable (∀ x, p x) :=
  match inst true, inst false with
  | isFalse h, _ => isFalse (fun k => h (k true))
  | _, isFalse h => isFalse (fun k => h (k false))
  | isTrue h, isTrue k => isTrue (fun x => by cases x; exact k; exact h)

instance Bool.instDecidableExistsOfDecidablePred (p : Bool → Prop) [inst : DecidablePred p] : Decidable (∃ x, p x) :=
  match inst true, inst false with
  | isTrue h, _ => isTrue ⟨true, h⟩
  | _, isTrue h => isTrue ⟨false, h⟩
  | isFalse h, isFalse k => isFalse (fun ⟨x, hx⟩ => by cases x; exact k hx; exact h hx)

/- Boolean equality -/

/-- `a == a` holds. -/
class ReflBEq (α : Type u) [BEq α] : Prop where
  rfl {a : α} : (a == a) = true

/-- `==` is equality. -/
class LawfulBEq (α : Type u) [BEq α] : Prop extends ReflBEq α where
  eq_of_beq {a b : α} : (a == b) = true → a = b

theorem BEq.rfl [BEq α] [ReflBEq α] {a : α} : (a == a) = true := ReflBEq.rfl

theorem eq_of_beq [BEq α] [LawfulBEq α] {a b : α} (h : (a == b) = true) : a = b := LawfulBEq.eq_of_beq h

@[simp] theorem BEq.refl [BEq α] [ReflBEq α] (a : α) : (a == a) = true := BEq.rfl

theorem beq_of_eq [BEq α] [ReflBEq α] {a b : α} (h : a = b) : (a == b) = true := by
  rw [h]
  exact BEq.rfl

instance instReflBEqOfDecidableEq [DecidableEq α] : ReflBEq α := ⟨fun {a} => of_decide_eq_self_eq_true a⟩

instance instLawfulBEqOfDecidableEq [DecidableEq α] : LawfulBEq α := ⟨fun h => of_decide_eq_true h⟩

@[simp] theorem beq_iff_eq [BEq α] [LawfulBEq α] {a b : α} : (a == b) = true ↔ a = b :=
  ⟨eq_of_beq, beq_of_eq⟩

theorem beq_self_eq_true [BEq α] [ReflBEq α] (a : α) : (a == a) = true := BEq.rfl

theorem beq_self_eq_true' [DecidableEq α] (a : α) : (a == a) = true := BEq.rfl

theorem ne_of_beq_false [BEq α] [ReflBEq α] {a b : α} (h : (a == b) = false) : a ≠ b :=
  fun e => Bool.false_ne_true (h.symm.trans (beq_of_eq e))

theorem beq_false_of_ne [BEq α] [LawfulBEq α] {a b : α} (h : a ≠ b) : (a == b) = false :=
  eq_false_of_ne_true (fun e => h (eq_of_beq e))

@[simp] theorem beq_eq_false_iff_ne [BEq α] [LawfulBEq α] {a b : α} : (a == b) = false ↔ a ≠ b :=
  ⟨ne_of_beq_false, beq_false_of_ne⟩

@[simp] theorem bne_self_eq_false [BEq α] [LawfulBEq α] (a : α) : (a != a) = false :=
  congrArg (fun b => !b) (BEq.refl a)

theorem bne_self_eq_false' [DecidableEq α] (a : α) : (a != a) = false := bne_self_eq_false a

@[simp] theorem bne_eq_false_iff_eq [BEq α] [LawfulBEq α] {a b : α} : (a != b) = false ↔ a = b := by
  rw [← beq_iff_eq (a := a)]
  show (!(a == b)) = false ↔ (a == b) = true
  cases (a == b) <;> decide

@[simp] theorem bne_iff_ne [BEq α] [LawfulBEq α] {a b : α} : (a != b) = true ↔ a ≠ b := by
  rw [← Bool.not_eq_false (a != b), bne_eq_false_iff_eq (a := a)]

theorem beq_eq_beq [BEq α] [LawfulBEq α] {a b c d : α} : (a == b) = (c == d) ↔ (a = b ↔ c = d) := by
  rw [← beq_iff_eq (a := a), ← beq_iff_eq (a := c)]
  cases (a == b) <;> cases (c == d) <;> decide

/- Negation -/

@[simp] theorem Bool.not_true : (!true) = false := rfl

@[simp] theorem Bool.not_false : (!false) = true := rfl

@[simp] theorem Bool.not_eq_eq_eq_not : ∀ {a b : Bool}, ((!a) = b) ↔ (a = !b) := by decide

@[simp] theorem Bool.not_eq_not : ∀ {a b : Bool}, ¬a = !b ↔ a = b := by decide

theorem Bool.not_not_eq : ∀ {a b : Bool}, ¬(!a) = b ↔ a = b := by decide

theorem Bool.not_eq_true' (b : Bool) : ((!b) = true) = (b = false) := propext Bool.not_eq_eq_eq_not

theorem Bool.not_eq_false' (b : Bool) : ((!b) = false) = (b = true) := propext Bool.not_eq_eq_eq_not

theorem Bool.not_inj : ∀ {x y : Bool}, (!x) = (!y) → x = y := by decide

theorem Bool.not_inj_iff : ∀ {x y : Bool}, (!x) = (!y) ↔ x = y := by decide

theorem Bool.eq_not : ∀ {a b : Bool}, (a = (!b)) ↔ (a ≠ b) := by decide

theorem Bool.not_eq : ∀ {a b : Bool}, ((!a) = b) ↔ (a ≠ b) := by decide

@[simp] theorem Bool.eq_not_self : ∀ (b : Bool), (b = (!b)) ↔ False := by decide

theorem Bool.not_eq_self : ∀ (b : Bool), ((!b) = b) ↔ False := by decide

/- Equations with a constant -/

theorem Bool.eq_false_or_eq_true : (b : Bool) → b = true ∨ b = false
  | true => Or.inl rfl
  | false => Or.inr rfl

theorem Bool.eq_false_iff {b : Bool} : b = false ↔ b ≠ true := ⟨ne_true_of_eq_false, eq_false_of_ne_true⟩

theorem Bool.ne_false_iff {b : Bool} : b ≠ false ↔ b = true := ⟨eq_true_of_ne_false, ne_false_of_eq_true⟩

theorem Bool.eq_iff_iff : ∀ {a b : Bool}, a = b ↔ (a = true ↔ b = true) := by decide

@[simp] theorem Bool.false_eq_true : (false = true) = False := eq_false Bool.false_ne_true

@[simp] theorem Bool.true_eq_false : (true = false) = False := eq_false (fun h => Bool.false_ne_true h.symm)

@[simp low] theorem Bool.false_eq (b : Bool) : (false = b) = (b = false) := propext eq_comm

@[simp low] theorem Bool.true_eq (b : Bool) : (true = b) = (b = true) := propext eq_comm

@[simp] theorem Bool.eq_true_and_eq_false_self : ∀ (b : Bool), (b = true ∧ b = false) ↔ False := by decide

@[simp] theorem Bool.eq_false_and_eq_true_self : ∀ (b : Bool), (b = false ∧ b = true) ↔ False := by decide

@[simp] theorem Bool.eq_true_or_eq_false_self : ∀ (b : Bool), (b = true ∨ b = false) ↔ True := by decide

@[simp] theorem Bool.eq_false_or_eq_true_self : ∀ (b : Bool), (b = false ∨ b = true) ↔ True := by decide

@[simp] theorem Bool.coe_iff_coe : ∀ {a b : Bool}, (a = true ↔ b = true) ↔ a = b := by decide

@[simp] theorem Bool.coe_true_iff_false : ∀ {a b : Bool}, (a = true ↔ b = false) ↔ a = (!b) := by decide

@[simp] theorem Bool.coe_false_iff_true : ∀ {a b : Bool}, (a = false ↔ b = true) ↔ (!a) = b := by decide

@[simp] theorem Bool.coe_false_iff_false : ∀ {a b : Bool}, (a = false ↔ b = false) ↔ (!a) = (!b) := by decide

theorem Bool.eq_false_imp_eq_true : ∀ {b : Bool}, (b = false → b = true) ↔ (b = true) := by decide

theorem Bool.eq_true_imp_eq_false : ∀ {b : Bool}, (b = true → b = false) ↔ (b = false) := by decide

/- Conjunction -/

@[simp] theorem Bool.true_and (b : Bool) : (true && b) = b := rfl

@[simp] theorem Bool.false_and (b : Bool) : (false && b) = false := rfl

@[simp] theorem Bool.and_true (b : Bool) : (b && true) = b := by cases b <;> rfl

@[simp] theorem Bool.and_false (b : Bool) : (b && false) = false := by cases b <;> rfl

@[simp] theorem Bool.and_self (b : Bool) : (b && b) = b := by cases b <;> rfl

@[simp] theorem Bool.and_self_left (a b : Bool) : (a && (a && b)) = (a && b) := by cases a <;> rfl

@[simp] theorem Bool.and_self_right (a b : Bool) : ((a && b) && b) = (a && b) := by cases a <;> cases b <;> rfl

@[simp] theorem Bool.not_and_self (x : Bool) : (!x && x) = false := by cases x <;> rfl

@[simp] theorem Bool.and_not_self (x : Bool) : (x && !x) = false := by cases x <;> rfl

theorem Bool.and_comm (x y : Bool) : (x && y) = (y && x) := by cases x <;> cases y <;> rfl

theorem Bool.and_assoc (a b c : Bool) : (a && b && c) = (a && (b && c)) := by cases a <;> rfl

theorem Bool.and_left_comm (x y z : Bool) : (x && (y && z)) = (y && (x && z)) := by cases x <;> cases y <;> rfl

theorem Bool.and_right_comm (x y z : Bool) : ((x && y) && z) = ((x && z) && y) := by
  cases x <;> cases y <;> cases z <;> rfl

@[simp] theorem Bool.and_iff_left_iff_imp : ∀ {a b : Bool}, ((a && b) = a) ↔ (a = true → b = true) := by decide

@[simp] theorem Bool.and_iff_right_iff_imp : ∀ {a b : Bool}, ((a && b) = b) ↔ (b = true → a = true) := by decide

@[simp] theorem Bool.iff_self_and : ∀ {a b : Bool}, (a = (a && b)) ↔ (a = true → b = true) := by decide

@[simp] theorem Bool.iff_and_self : ∀ {a b : Bool}, (b = (a && b)) ↔ (b = true → a = true) := by decide

theorem Bool.and_eq_true_iff {x y : Bool} : (x && y) = true ↔ x = true ∧ y = true := Iff.of_eq (Bool.and_eq_true x y)

theorem Bool.and_eq_false_iff : ∀ {x y : Bool}, (x && y) = false ↔ x = false ∨ y = false := by decide

@[simp] theorem Bool.and_eq_false_imp : ∀ {x y : Bool}, (x && y) = false ↔ (x = true → y = false) := by decide

/- Disjunction -/

@[simp] theorem Bool.true_or (b : Bool) : (true || b) = true := rfl

@[simp] theorem Bool.false_or (b : Bool) : (false || b) = b := rfl

@[simp] theorem Bool.or_true (b : Bool) : (b || true) = true := by cases b <;> rfl

@[simp] theorem Bool.or_false (b : Bool) : (b || false) = b := by cases b <;> rfl

@[simp] theorem Bool.or_self (b : Bool) : (b || b) = b := by cases b <;> rfl

@[simp] theorem Bool.or_self_left (a b : Bool) : (a || (a || b)) = (a || b) := by cases a <;> rfl

@[simp] theorem Bool.or_self_right (a b : Bool) : ((a || b) || b) = (a || b) := by cases a <;> cases b <;> rfl

@[simp] theorem Bool.not_or_self (x : Bool) : (!x || x) = true := by cases x <;> rfl

@[simp] theorem Bool.or_not_self (x : Bool) : (x || !x) = true := by cases x <;> rfl

theorem Bool.or_comm (x y : Bool) : (x || y) = (y || x) := by cases x <;> cases y <;> rfl

theorem Bool.or_assoc (a b c : Bool) : (a || b || c) = (a || (b || c)) := by cases a <;> rfl

theorem Bool.or_left_comm (x y z : Bool) : (x || (y || z)) = (y || (x || z)) := by cases x <;> cases y <;> rfl

theorem Bool.or_right_comm (x y z : Bool) : ((x || y) || z) = ((x || z) || y) := by
  cases x <;> cases y <;> cases z <;> rfl

@[simp] theorem Bool.or_iff_left_iff_imp : ∀ {a b : Bool}, ((a || b) = a) ↔ (b = true → a = true) := by decide

@[simp] theorem Bool.or_iff_right_iff_imp : ∀ {a b : Bool}, ((a || b) = b) ↔ (a = true → b = true) := by decide

@[simp] theorem Bool.iff_self_or : ∀ {a b : Bool}, (a = (a || b)) ↔ (b = true → a = true) := by decide

@[simp] theorem Bool.iff_or_self : ∀ {a b : Bool}, (b = (a || b)) ↔ (a = true → b = true) := by decide

theorem Bool.or_eq_true_iff {x y : Bool} : (x || y) = true ↔ x = true ∨ y = true := Iff.of_eq (Bool.or_eq_true x y)

@[simp] theorem Bool.or_eq_false_iff : ∀ {x y : Bool}, (x || y) = false ↔ x = false ∧ y = false := by decide

/- Both -/

@[simp] theorem Bool.not_and (x y : Bool) : (!(x && y)) = (!x || !y) := by cases x <;> rfl

@[simp] theorem Bool.not_or (x y : Bool) : (!(x || y)) = (!x && !y) := by cases x <;> rfl

theorem Bool.and_or_distrib_left (x y z : Bool) : (x && (y || z)) = (x && y || x && z) := by cases x <;> rfl

theorem Bool.and_or_distrib_right (x y z : Bool) : ((x || y) && z) = (x && z || y && z) := by
  cases x <;> cases y <;> cases z <;> rfl

theorem Bool.or_and_distrib_left (x y z : Bool) : (x || y && z) = ((x || y) && (x || z)) := by cases x <;> rfl

theorem Bool.or_and_distrib_right (x y z : Bool) : (x && y || z) = ((x || z) && (y || z)) := by
  cases x <;> cases y <;> cases z <;> rfl

/- Equality and difference of truth values -/

@[simp] theorem Bool.true_beq (b : Bool) : (true == b) = b := by cases b <;> rfl

@[simp] theorem Bool.false_beq (b : Bool) : (false == b) = !b := by cases b <;> rfl

@[simp] theorem beq_true (b : Bool) : (b == true) = b := by cases b <;> rfl

@[simp] theorem beq_false (b : Bool) : (b == false) = !b := by cases b <;> rfl

@[simp] theorem Bool.true_bne (b : Bool) : (true != b) = !b := by cases b <;> rfl

@[simp] theorem Bool.false_bne (b : Bool) : (false != b) = b := by cases b <;> rfl

@[simp] theorem Bool.bne_true (b : Bool) : (b != true) = !b := by cases b <;> rfl

@[simp] theorem Bool.bne_false (b : Bool) : (b != false) = b := by cases b <;> rfl

@[simp] theorem Bool.not_beq_self (x : Bool) : ((!x) == x) = false := by cases x <;> rfl

@[simp] theorem Bool.beq_not_self (x : Bool) : (x == !x) = false := by cases x <;> rfl

@[simp] theorem Bool.bne_assoc (x y z : Bool) : ((x != y) != z) = (x != (y != z)) := by
  cases x <;> cases y <;> cases z <;> rfl

@[simp] theorem Bool.not_bne (a b : Bool) : ((!a) != b) = !(a != b) := by cases a <;> cases b <;> rfl

@[simp] theorem Bool.bne_not (a b : Bool) : (a != !b) = !(a != b) := by cases a <;> cases b <;> rfl

theorem Bool.beq_to_eq (a b : Bool) : ((a == b) = true) = (a = b) := propext beq_iff_eq

theorem Bool.beq_eq_decide_eq [BEq α] [LawfulBEq α] [DecidableEq α] (a b : α) : (a == b) = decide (a = b) := by
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_iff]

theorem Bool.beq_comm [BEq α] [LawfulBEq α] {a b : α} : (a == b) = (b == a) := by
  rw [Bool.eq_iff_iff, beq_iff_eq, beq_iff_eq]
  exact eq_comm

/-- Exactly one of both. -/
abbrev Bool.xor (x y : Bool) : Bool := x != y

theorem Bool.xor_comm (x y : Bool) : Bool.xor x y = Bool.xor y x := by cases x <;> cases y <;> rfl

theorem Bool.xor_self (x : Bool) : Bool.xor x x = false := by cases x <;> rfl

/- Choice by a truth value -/

@[simp] theorem Bool.cond_eq_ite {α : Sort u} (b : Bool) (t e : α) : cond b t e = if b = true then t else e := by
  cases b <;> rfl

@[simp] theorem Bool.cond_not {α : Sort u} (b : Bool) (t e : α) : cond (!b) t e = cond b e t := by cases b <;> rfl

@[simp] theorem Bool.cond_self {α : Sort u} (c : Bool) (t : α) : cond c t t = t := by cases c <;> rfl

theorem Bool.cond_decide {α : Sort u} (p : Prop) [h : Decidable p] (t e : α) :
    cond (decide p) t e = if p then t else e := by cases h <;> rfl

@[simp] theorem Bool.cond_true_left (c f : Bool) : cond c true f = (c || f) := by cases c <;> rfl

@[simp] theorem Bool.cond_false_left (c f : Bool) : cond c false f = (!c && f) := by cases c <;> rfl

@[simp] theorem Bool.cond_true_right (c t : Bool) : cond c t true = (!c || t) := by cases c <;> rfl

@[simp] theorem Bool.cond_false_right (c t : Bool) : cond c t false = (c && t) := by cases c <;> cases t <;> rfl

/- Decisions -/

@[simp] theorem Bool.decide_eq_true {b : Bool} [h : Decidable (b = true)] : decide (b = true) = b := by
  cases h with
  | isTrue k => exact k.symm
  | isFalse k => exact (eq_false_of_ne_true k).symm

@[simp] theorem Bool.decide_eq_false {b : Bool} [h : Decidable (b = false)] : decide (b = false) = !b := by
  cases h with
  | isTrue k => exact (congrArg (fun b => !b) k).symm
  | isFalse k => exact (congrArg (fun b => !b) (eq_true_of_ne_false k)).symm

@[simp] theorem decide_not {p : Prop} [g : Decidable p] [h : Decidable (¬p)] : decide (¬p) = !decide p := by
  cases g with
  | isTrue k => cases h with
    | isTrue n => exact absurd k n
    | isFalse _ => rfl
  | isFalse k => cases h with
    | isTrue _ => rfl
    | isFalse n => exact absurd k n

theorem not_decide_eq_true {p : Prop} [h : Decidable p] : ((!decide p) = true) = ¬p := by
  cases h with
  | isTrue k => exact propext ⟨fun e => absurd e Bool.false_ne_true, fun n => absurd k n⟩
  | isFalse k => exact propext ⟨fun _ => k, fun _ => rfl⟩

@[simp] theorem decide_eq_decide {p q : Prop} {_ : Decidable p} {_ : Decidable q} : decide p = decide q ↔ (p ↔ q) := by
  rw [Bool.eq_iff_iff, decide_eq_true_iff, decide_eq_true_iff]

@[simp] theorem Bool.decide_and (p q : Prop) [dpq : Decidable (p ∧ q)] [dp : Decidable p] [dq : Decidable q] :
    decide (p ∧ q) = (decide p && decide q) := by
  rw [Bool.eq_iff_iff, Bool.and_eq_true_iff, decide_eq_true_iff, decide_eq_true_iff, decide_eq_true_iff]

@[simp] theorem Bool.decide_or (p q : Prop) [dpq : Decidable (p ∨ q)] [dp : Decidable p] [dq : Decidable q] :
    decide (p ∨ q) = (decide p || decide q) := by
  rw [Bool.eq_iff_iff, Bool.or_eq_true_iff, decide_eq_true_iff, decide_eq_true_iff, decide_eq_true_iff]

@[simp] theorem Bool.decide_iff_dist (p q : Prop) [dpq : Decidable (p ↔ q)] [dp : Decidable p] [dq : Decidable q] :
    decide (p ↔ q) = (decide p == decide q) := by
  rw [Bool.eq_iff_iff, decide_eq_true_iff, beq_iff_eq, decide_eq_decide]

@[simp] theorem decide_implies (u v : Prop) [duv : Decidable (u → v)] [du : Decidable u] {dv : u → Decidable v} :
    decide (u → v) = if h : u then @decide v (dv h) else true := by
  cases du with
  | isTrue hu =>
    rw [dif_pos hu, Bool.eq_iff_iff, decide_eq_true_iff, @decide_eq_true_iff v (dv hu)]
    exact ⟨fun h => h hu, fun h _ => h⟩
  | isFalse hu =>
    rw [dif_neg hu]
    exact decide_eq_true fun h => absurd h hu

@[simp] theorem Bool.not_ite_eq_true_eq_true {p : Prop} [h : Decidable p] {b c : Bool} :
    (¬(ite p (b = true) (c = true))) ↔ (ite p (b = false) (c = false)) := by
  cases h <;> cases b <;> cases c <;> simp [*]

@[simp] theorem Bool.not_ite_eq_false_eq_false {p : Prop} [h : Decidable p] {b c : Bool} :
    (¬(ite p (b = false) (c = false))) ↔ (ite p (b = true) (c = true)) := by
  cases h <;> cases b <;> cases c <;> simp [*]

@[simp] theorem Bool.not_ite_eq_true_eq_false {p : Prop} [h : Decidable p] {b c : Bool} :
    (¬(ite p (b = true) (c = false))) ↔ (ite p (b = false) (c = true)) := by
  cases h <;> cases b <;> cases c <;> simp [*]

@[simp] theorem Bool.not_ite_eq_false_eq_true {p : Prop} [h : Decidable p] {b c : Bool} :
    (¬(ite p (b = false) (c = true))) ↔ (ite p (b = true) (c = false)) := by
  cases h <;> cases b <;> cases c <;> simp [*]

@[simp] theorem Bool.if_true_left (p : Prop) [h : Decidable p] (f : Bool) :
    (if p then true else f) = (decide p || f) := by cases h <;> rfl

@[simp] theorem Bool.if_false_left (p : Prop) [h : Decidable p] (f : Bool) :
    (if p then false else f) = (!decide p && f) := by cases h <;> rfl

@[simp] theorem Bool.if_true_right (p : Prop) [h : Decidable p] (t : Bool) :
    (if p then t else true) = (!decide p || t) := by cases h <;> rfl

@[simp] theorem Bool.if_false_right (p : Prop) [h : Decidable p] (t : Bool) :
    (if p then t else false) = (decide p && t) := by cases h <;> rfl

@[simp] theorem Bool.ite_eq_true_distrib (p : Prop) [h : Decidable p] (t f : Bool) :
    ((if p then t else f) = true) = if p then t = true else f = true := by cases h <;> rfl

@[simp] theorem Bool.ite_eq_false_distrib (p : Prop) [h : Decidable p] (t f : Bool) :
    ((if p then t else f) = false) = if p then t = false else f = false := by cases h <;> rfl

/- For all, and for some -/

@[simp] theorem Bool.forall_bool {p : Bool → Prop} : (∀ b, p b) ↔ p false ∧ p true :=
  ⟨fun h => ⟨h false, h true⟩, fun h b => by cases b; exact h.left; exact h.right⟩

@[simp] theorem Bool.exists_bool {p : Bool → Prop} : (∃ b, p b) ↔ p false ∨ p true :=
  ⟨fun ⟨b, h⟩ => by cases b; exact Or.inl h; exact Or.inr h, fun h => Or.elim h (fun h => ⟨false, h⟩) (fun h => ⟨true, h⟩)⟩

@[simp] theorem Bool.default_bool : (default : Bool) = false := rfl

/-- 1 for `true`, 0 for `false`. -/
def Bool.toNat (b : Bool) : Nat := cond b 1 0

@[simp] theorem Bool.toNat_false : false.toNat = 0 := rfl

@[simp] theorem Bool.toNat_true : true.toNat = 1 := rfl

theorem Bool.toNat_le (c : Bool) : c.toNat ≤ 1 := by cases c; exact Nat.zero_le 1; exact Nat.le_refl 1

theorem Bool.toNat_lt (b : Bool) : b.toNat < 2 := Nat.lt_succ_of_le (Bool.toNat_le b)
