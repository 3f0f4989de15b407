-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `match` and definitions by equations: values, printed text, equation theorems -/

set_option linter.unusedVariables false

/-! Bad matches. -/

-- Lean: info: fun n => match n with | 0 => 1 : Nat → Nat
/--
error: Missing cases:
(Nat.succ _)
-/
#guard_msgs in
#check fun (n : Nat) => (match n with | 0 => 1 : Nat)

-- Lean: info: fun n => match n with | x => 1 | 0 => 2 : Nat → Nat
/--
error: Redundant alternative: Any expression matching
  0
will match one of the preceding alternatives
-/
#guard_msgs in
#check fun (n : Nat) => (match n with | _ => 1 | 0 => 2 : Nat)

-- Lean: error: Too many patterns in match alternative: Expected 1, but found 2: 0, 1
/-- error: Too many patterns in match alternative: Expected 1, but found 2 -/
#guard_msgs in
#check fun (n : Nat) => (match n with | 0, 1 => 1 : Nat)

-- Lean: error: Invalid pattern variable: Variable name `x` was already used
/-- error: Invalid pattern(s): Variable `x` occurred more than once -/
#guard_msgs in
#check fun (n m : Nat) => (match n, m with | x, x => 1 : Nat)

/-! Patterns of numerals and sums of other types are constructors. -/

-- `toPattern` evaluates what is marked `@[match_pattern]` until constructors and variables are left.
-- Lean: info: mul.eq_2 : ∀ (x b : MyNat), x.mul b.succ = x.mul b + x
namespace Ex5
inductive MyNat where | zero | succ (n : MyNat)
namespace MyNat
def ofNat : Nat → MyNat | 0 => zero | n + 1 => succ (ofNat n)
instance : OfNat MyNat n := ⟨ofNat n⟩
def add : MyNat → MyNat → MyNat
  | a, 0 => a
  | a, succ b => succ (add a b)
instance : Add MyNat := ⟨add⟩
def mul : MyNat → MyNat → MyNat
  | _, 0 => 0
  | a, b + 1 => mul a b + a

/-- info: mul.eq_2 : ∀ (a b : MyNat), a.mul b.succ = a.mul b + a -/
#guard_msgs in
#check @mul.eq_2

/--
info: def Ex5.MyNat.mul : MyNat → MyNat → MyNat :=
fun x x_1 =>
  match x, x_1 with
  | x, zero => 0
  | a, b.succ => a.mul b + a
-/
#guard_msgs in
#print mul
end MyNat
end Ex5

/-! A pattern that evaluates to no constructor is refused. -/

-- Lean: error: Invalid pattern variable: Variable name `n` was already used
namespace Ex6
inductive MyNat where | zero | succ (n : MyNat)
namespace MyNat
def ofNat : Nat → MyNat | 0 => zero | n + 1 => succ (ofNat n)
instance : OfNat MyNat n := ⟨ofNat n⟩
def add : MyNat → MyNat → MyNat
  | a, 0 => a
  | a, succ b => succ (add a b)
instance : Add MyNat := ⟨add⟩
def mul : MyNat → MyNat → MyNat
  | _, 0 => 0
  | a, b + 1 => mul a b + a

/-- error: Invalid pattern(s): Variable `n` occurred more than once -/
#guard_msgs in
def half : MyNat → MyNat
  | 0 => 0
  | n + n => n
end MyNat
end Ex6

namespace WithFunctions

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

def len {α : Type u} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

def app (xs ys : List α) : List α := match xs with
  | [] => ys
  | x :: xs => x :: app xs ys

inductive Tree where
  | leaf : Tree
  | node (l : Tree) (v : Nat) (r : Tree) : Tree

def Tree.mirror : Tree → Tree
  | leaf => leaf
  | node l v r => node r.mirror v l.mirror

def Tree.size : Tree → Nat
  | leaf => 0
  | node l _ r => l.size + 1 + r.size

def overlap : Nat → Nat → Nat
  | 0, _ => 1
  | _, 0 => 2
  | n + 1, m + 1 => overlap n m

/-! An equation that does not hold is refused. -/

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  overlap m 0 = 2
-/
#guard_msgs in
example (m : Nat) : overlap m 0 = 2 := rfl

/-! Equation theorems. -/

-- Lean: info: WithFunctions.overlap.eq_2 (x✝ : Nat) (x_3 : x✝ = 0 → False) : overlap x✝ 0 = 2
/-- info: WithFunctions.overlap.eq_2 : ∀ (x : Nat), (x = 0 → False) → overlap x 0 = 2 -/
#guard_msgs in
#check overlap.eq_2

/--
info: WithFunctions.fib.eq_def : ∀ (x : Nat),
    fib x =
      match x with
      | 0 => 0
      | 1 => 1
      | n.succ.succ => fib n + fib (n + 1)
-/
#guard_msgs in
#check fib.eq_def

end WithFunctions

namespace WithExpr

inductive Expr where
  | num : Nat → Expr
  | plus : Expr → Expr → Expr

def Expr.simp : Expr → Expr
  | num n => num n
  | plus (num 0) b => simp b
  | plus a b => plus (simp a) (simp b)

def Expr.eval : Expr → Nat
  | num n => n
  | plus a b => a.eval + b.eval

def toTen : Nat → Nat
  | 0 => 0
  | 10 => 1
  | n + 1 => toTen n

/-! Recursive functions with nested overlapping patterns have equations. -/

-- Lean: info: WithExpr.Expr.simp.eq_3 (a b : Expr) (x_1 : a = Expr.num 0 → False) : (a.plus b).simp =
-- a.simp.plus b.simp
/-- info: WithExpr.Expr.simp.eq_3 (a b : Expr) : (a = Expr.num 0 → False) → (a.plus b).simp = a.simp.plus b.simp -/
#guard_msgs in
#check Expr.simp.eq_3

/-- info: WithExpr.toTen.eq_3 (n : Nat) : (n = 9 → False) → toTen n.succ = toTen n -/
#guard_msgs in
#check toTen.eq_3

end WithExpr

namespace WithT

inductive T where | a | b | c

theorem t (x : T) : (match x with | .a => 1 | _ => 2) < 3 :=
  match x with | .a => by decide | .b => by decide | .c => by decide

def f (x : T) : T := match x with | .c => .a | y => y

/-! A proof numbers its matchers apart from the statement. -/

-- Theorem Proving in Lean 4 (4.34), "Induction and Recursion", prints `subst.match_1_1`
-- Lean: info: WithT.t.match_1.{u_1} (motive : T → Sort u_1) (x✝ : T) (h_1 : Unit → motive T.a) (h_2 : (x : T)
-- → motive x) : motive x✝
/--
info: WithT.t.match_1.{u_1} (motive : T → Sort u_1) : (x : T) → (Unit → motive T.a) → ((x : T) → motive x) → motive x
-/
#guard_msgs in
#check t.match_1

/--
info: WithT.t.match_1_1 (motive : T → Prop) : ∀ (x : T), (∀ (x : Unit), motive T.a) → (∀ (x : Unit), motive T.b) → (∀ (x : Unit), motive T.c) → motive x
-/
#guard_msgs in
#check t.match_1_1

/--
info: WithT.f.match_1.{u_1} (motive : T → Sort u_1) : (x : T) → (Unit → motive T.c) → ((y : T) → motive y) → motive x
-/
#guard_msgs in
#check f.match_1

-- Lean: info: WithT.t.match_2 (motive : T → Prop) (x✝ : T) (h_1 : ∀ (_ : Unit), motive T.a) (h_2 : ∀ (_ :
-- Unit), motive T.b) (h_3 : ∀ (_ : Unit), motive T.c) : motive x✝
/-- error: Unknown constant `WithT.t.match_2` -/
#guard_msgs in
#check t.match_2

end WithT
