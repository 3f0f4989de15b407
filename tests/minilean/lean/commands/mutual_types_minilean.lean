-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Mutual and nested inductive types: declarations, eliminators, tactics on them, and Lean's refusals -/

set_option linter.unusedVariables false

/-! Refusals. -/

namespace Refusals

/--
error: (kernel) arg #1 of '_nested.List_1.cons' has a non positive occurrence of the datatypes being declared
-/
#guard_msgs in
inductive Bad where | mk : List (Bad → Nat) → Bad

end Refusals

/-- error: `A` has already been declared -/
#guard_msgs in
mutual
inductive A where | mk : A
inductive A where | mk : A
end
