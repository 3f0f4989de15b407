-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `where` and an outermost `let rec`: functions inside a definition become declarations that take what they mention -/

set_option linter.unusedVariables false

/-! What is refused. -/

namespace Refused

/-- error: unsupported: mutual recursion of `go` with the definition around it -/
#guard_msgs in
def f (n : Nat) : Nat := go n
where go (k : Nat) : Nat := f k

/-- error: unsupported: mutual recursion of `a` with the definition around it -/
#guard_msgs in
def f2 (n : Nat) : Nat := a n
where
  a (k : Nat) : Nat := b k
  b (k : Nat) : Nat := k

/-- error: unsupported: `let rec` in a declaration without a name, or in a step of a proof -/
#guard_msgs in
example (n : Nat) : Nat := n + (let rec f (x : Nat) : Nat := x; f n)

/-- error: unsupported: `where` and `let rec` in an `example` without a name -/
#guard_msgs in
example : Nat := go 1
where go (n : Nat) : Nat := n

end Refused

def f.go := 1
/-- error: `f.go` has already been declared -/
#guard_msgs in
def f : Nat := go 1
where go (n : Nat) : Nat := n

/-! Nothing is declared if the definition fails. -/

-- Lean: info: Ex1.h.go (n : Nat) : Nat
namespace Ex1
/--
error: Type mismatch
  true
has type
  Bool
but is expected to have type
  Nat
-/
#guard_msgs in
def h : Nat := true
where go (n : Nat) : Nat := n

/-- error: Unknown identifier `h.go` -/
#guard_msgs in
#check h.go
end Ex1
