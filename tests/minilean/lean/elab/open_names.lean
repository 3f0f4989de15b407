-- Checked with Lean 4.35.0.

/-! # Names that open namespaces make short or ambiguous: elaboration and printing -/

set_option linter.unusedVariables false

/-! A namespace cannot redefine what is to be proved. -/

-- `False` refers to the one of the enclosing namespace, which is not a contradiction
namespace Ex1
namespace N
def False : Prop := 1 = 1
theorem t : False := rfl
end N
end Ex1

namespace Ex2
namespace N
def False : Prop := 1 = 1

/--
error: Type mismatch
  rfl
has type
  ?m.2 = ?m.2
but is expected to have type
  _root_.False
---
error: Not a definitional equality: the conclusion should be an equality, but is `_root_.False` 
-/
#guard_msgs in
theorem t : _root_.False := rfl
end N
end Ex2

namespace WithTwo

namespace Foo
def False : Nat := 3
def f (n : Nat) : Nat := n
theorem bar : True := trivial
end Foo
namespace Goo
def f (b : Bool) : Nat := 1
def g (n : Nat) : Nat := n
protected def h (n : Nat) : Nat := n
theorem bar : 1 = 1 := rfl
end Goo
open Foo Goo

/-! The meaning that fits is taken. -/

example : f (!false) = 1 := rfl
example (h : 1 = 1 → False) : _root_.False := h bar
example : (False : Nat) = 3 := rfl
example : g (f 2) = Goo.h 2 := rfl

/-! What nothing decides is refused. -/

/--
error: Ambiguous term
  False
Possible interpretations:
  _root_.False : Prop
  
  Foo.False : Nat
-/
#guard_msgs in
example : False = 3 := rfl

end WithTwo
