/- Text for values: `toString`. -/

universe u v

namespace Nat

/-- The character of a digit below 16. -/
def digitChar (n : Nat) : Char :=
  if n = 0 then '0' else if n = 1 then '1' else if n = 2 then '2' else if n = 3 then '3'
  else if n = 4 then '4' else if n = 5 then '5' else if n = 6 then '6' else if n = 7 then '7'
  else if n = 8 then '8' else if n = 9 then '9' else if n = 10 then 'a' else if n = 11 then 'b'
  else if n = 12 then 'c' else if n = 13 then 'd' else if n = 14 then 'e' else if n = 15 then 'f' else '*'

/-- The digits of `n`, at most `fuel + 1` of them, before those that are known. -/
def toDigitsCore (base : Nat) : (fuel n : Nat) → (known : List Char) → List Char
  | 0, _, known => known
  | fuel + 1, n, known =>
    if n / base = 0 then digitChar (n % base) :: known
    else toDigitsCore base fuel (n / base) (digitChar (n % base) :: known)

/-- The digits of `n`, the highest one first. -/
def toDigits (base n : Nat) : List Char := toDigitsCore base (n + 1) n []

/-- The decimal digits of `n`. -/
protected def repr (n : Nat) : String := String.ofList (toDigits 10 n)

end Nat

/-- Types with a text for each value. -/
class ToString (α : Type u) where
  /-- The text. -/
  toString : α → String

export ToString (toString)

instance : ToString String := ⟨fun s => s⟩

instance : ToString Nat := ⟨Nat.repr⟩

instance : ToString Bool := ⟨fun b => cond b "true" "false"⟩

instance : ToString Char := ⟨String.singleton⟩

instance : ToString Unit := ⟨fun _ => "()"⟩

/-- The decimal digits of the absolute value, after a sign if it is negative. -/
protected def Int.repr : Int → String
  | Int.ofNat m => Nat.repr m
  | Int.negSucc m => "-" ++ Nat.repr (m + 1)

instance : ToString Int := ⟨Int.repr⟩

instance {n : Nat} : ToString (Fin n) := ⟨fun i => Nat.repr i.val⟩

instance {α : Type u} [ToString α] : ToString (Option α) :=
  ⟨fun
    | none => "none"
    | some a => "(some " ++ ToString.toString a ++ ")"⟩

/-- The texts of the elements between commas, after the text of the first one. -/
protected def List.toStringRest {α : Type u} [ToString α] : List α → String
  | [] => "]"
  | x :: xs => ", " ++ ToString.toString x ++ List.toStringRest xs

/-- The texts of the elements between commas, in brackets. -/
protected def List.toString {α : Type u} [ToString α] : List α → String
  | [] => "[]"
  | x :: xs => "[" ++ ToString.toString x ++ List.toStringRest xs

instance {α : Type u} [ToString α] : ToString (List α) := ⟨List.toString⟩

instance {α : Type u} {β : Type v} [ToString α] [ToString β] : ToString (α × β) :=
  ⟨fun p => "(" ++ ToString.toString p.1 ++ ", " ++ ToString.toString p.2 ++ ")"⟩

/-- What `panic!` prints. -/
def mkPanicMessage (modName : String) (line col : Nat) (msg : String) : String :=
  "PANIC at " ++ modName ++ ":" ++ toString line ++ ":" ++ toString col ++ ": " ++ msg

/-- What `panic!` prints in a declaration. -/
def mkPanicMessageWithDecl (modName : String) (declName : String) (line col : Nat) (msg : String) : String :=
  "PANIC at " ++ declName ++ " " ++ modName ++ ":" ++ toString line ++ ":" ++ toString col ++ ": " ++ msg

/-- The default value; a program prints the message. -/
def panicCore {α : Sort u} [Inhabited α] (_msg : String) : α := default

/-- The default value; a program prints the message. -/
def panic {α : Sort u} [Inhabited α] (msg : String) : α := panicCore msg

/-- `panic!` outside of a declaration. -/
def panicWithPos {α : Sort u} [Inhabited α] (modName : String) (line col : Nat) (msg : String) : α :=
  panic (mkPanicMessage modName line col msg)

/-- `panic!` in a declaration. -/
def panicWithPosWithDecl {α : Sort u} [Inhabited α] (modName : String) (declName : String) (line col : Nat)
    (msg : String) : α :=
  panic (mkPanicMessageWithDecl modName declName line col msg)
