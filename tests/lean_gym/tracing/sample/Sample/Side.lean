import Sample.Basic

infixl:65 " ⊞ " => Nat.add

@[simp] theorem side (n : Nat) : 0 ⊞ n = n := Nat.zero_add n
