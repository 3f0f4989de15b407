/- Lists: the functions and relations. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace List

/-- Whether a list has no elements. -/
def isEmpty : List α → Bool
  | [] => true
  | _ :: _ => false

/-- The number of elements. -/
def length : List α → Nat
  | [] => 0
  | _ :: as => length as + 1

/-- One list after the other, written `as ++ bs`. -/
protected def append : (xs ys : List α) → List α
  | [], bs => bs
  | a :: as, bs => a :: List.append as bs

instance instAppend : Append (List α) := ⟨List.append⟩

/-- The function applied to each element. -/
def map (f : α → β) : (l : List α) → List β
  | [] => []
  | a :: as => f a :: map f as

/-- The elements that satisfy a test. -/
def filter (p : α → Bool) : (l : List α) → List α
  | [] => []
  | a :: as => match p a with
    | true => a :: filter p as
    | false => filter p as

/-- `f a₁ (f a₂ (.. init))`. -/
def foldr (f : α → β → β) (init : β) : (l : List α) → β
  | [] => init
  | a :: l => f a (foldr f init l)

/-- `f (f init a₁) a₂ ..`. -/
def foldl {α : Type u} {β : Type v} (f : α → β → α) : (init : α) → List β → α
  | a, [] => a
  | a, b :: l => foldl f (f a b) l

/-- The elements of the first list, in opposite order, before the second. -/
def reverseAux : List α → List α → List α
  | [], r => r
  | a :: l, r => reverseAux l (a :: r)

/-- The elements in opposite order. -/
def reverse (as : List α) : List α := reverseAux as []

/-- The first element, if there is one. -/
def head? : List α → Option α
  | [] => none
  | a :: _ => some a

/-- The first element of a list that has one. -/
def head : (as : List α) → as ≠ [] → α
  | a :: _, _ => a

/-- What follows the first element. -/
def tail : List α → List α
  | [] => []
  | _ :: as => as

/-- What follows the first element, if there is one. -/
def tail? : List α → Option (List α)
  | [] => none
  | _ :: as => some as

/-- The first `n` elements. -/
def take : (n : Nat) → (xs : List α) → List α
  | 0, _ => []
  | _ + 1, [] => []
  | n + 1, a :: as => a :: take n as

/-- What follows the first `n` elements. -/
def drop : (n : Nat) → (xs : List α) → List α
  | 0, as => as
  | _ + 1, [] => []
  | n + 1, _ :: as => drop n as

/-- `n` times the same element. -/
def replicate : (n : Nat) → (a : α) → List α
  | 0, _ => []
  | n + 1, a => a :: replicate n a

/-- A function of the elements at the same places. -/
def zipWith (f : α → β → γ) : (xs : List α) → (ys : List β) → List γ
  | x :: xs, y :: ys => f x y :: zipWith f xs ys
  | _, _ => []

/-- The pairs of elements at the same places. -/
def zip : List α → List β → List (Prod α β) := zipWith Prod.mk

/-- The left and the right parts of pairs. -/
def unzip : (l : List (α × β)) → List α × List β
  | [] => ([], [])
  | (a, b) :: t => (a :: (unzip t).1, b :: (unzip t).2)

/-- The elements of all lists. -/
def flatten : List (List α) → List α
  | [] => []
  | l :: L => l ++ flatten L

/-- Whether some element passes a test. -/
def any : (l : List α) → (p : α → Bool) → Bool
  | [], _ => false
  | h :: t, p => p h || any t p

/-- Whether every element passes a test. -/
def all : List α → (α → Bool) → Bool
  | [], _ => true
  | h :: t, p => p h && all t p

/-- The element at a place, if there is one. -/
def get?Internal : (as : List α) → (i : Nat) → Option α
  | a :: _, 0 => some a
  | _ :: as, n + 1 => get?Internal as n
  | _, _ => none

/-- The element at a place that there is. -/
def get {α : Type u} : (as : List α) → Fin as.length → α
  | a :: _, ⟨0, _⟩ => a
  | _ :: as, ⟨i + 1, h⟩ => get as ⟨i, Nat.le_of_succ_le_succ h⟩
  | [], ⟨_, h⟩ => absurd h (Nat.not_lt_zero _)

/-- Another element at a place. -/
def set : (l : List α) → (n : Nat) → (a : α) → List α
  | _ :: as, 0, b => b :: as
  | a :: as, n + 1, b => a :: set as n b
  | [], _, _ => []

/-- The sum of numbers. -/
def sum : List Nat → Nat := foldr (fun x y => x + y) 0

/-- The product of numbers. -/
def prod : List Nat → Nat := foldr (fun x y => x * y) 1

/-- The last element of a list that has one. -/
def getLast : (as : List α) → as ≠ [] → α
  | [], h => absurd rfl h
  | [a], _ => a
  | _ :: b :: as, _ => getLast (b :: as) nofun

/-- The last element, if there is one. -/
def getLast? : List α → Option α
  | [] => none
  | a :: as => some (getLast (a :: as) nofun)

/-- The last element, or a default. -/
def getLastD (as : List α) (fallback : α) : α :=
  match as with
  | [] => fallback
  | a :: as => getLast (a :: as) nofun

/-- All elements but the last. -/
def dropLast {α : Type u} : List α → List α
  | [] => []
  | [_] => []
  | a :: b :: as => a :: dropLast (b :: as)

/-- The first element, or a default. -/
def headD (as : List α) (fallback : α) : α :=
  match as with
  | [] => fallback
  | a :: _ => a

/-- The first element, or the default of the type. -/
def head! [Inhabited α] : List α → α
  | [] => default
  | a :: _ => a

/-- What follows the first element, or a default. -/
def tailD (l fallback : List α) : List α :=
  match l with
  | [] => fallback
  | _ :: tl => tl

/-- The list with one more element at the end. -/
def concat {α : Type u} : List α → α → List α
  | [], b => [b]
  | a :: as, b => a :: concat as b

/-- The list of one element. -/
protected def singleton {α : Type u} (a : α) : List α := [a]

/-- The values of a function that may fail. -/
def filterMap (f : α → Option β) : List α → List β
  | [] => []
  | a :: as => match f a with
    | none => filterMap f as
    | some b => b :: filterMap f as

/-- The lists that a function makes of the elements, one after the other. -/
def flatMap {α : Type u} {β : Type v} (b : α → List β) (as : List α) : List β := flatten (map b as)

/-- The first element that passes a test. -/
def find? (p : α → Bool) : List α → Option α
  | [] => none
  | a :: as => match p a with
    | true => some a
    | false => find? p as

/-- The first value of a function that may fail. -/
def findSome? (f : α → Option β) : List α → Option β
  | [] => none
  | a :: as => match f a with
    | some b => some b
    | none => findSome? f as

/-- The elements before the first that fails a test. -/
def takeWhile (p : α → Bool) : (xs : List α) → List α
  | [] => []
  | hd :: tl => match p hd with
    | true => hd :: takeWhile p tl
    | false => []

/-- The elements from the first that fails a test on. -/
def dropWhile (p : α → Bool) : List α → List α
  | [] => []
  | a :: l => match p a with
    | true => dropWhile p l
    | false => a :: l

/-- How many elements pass a test. -/
def countP (p : α → Bool) : (l : List α) → Nat
  | [] => 0
  | a :: l => match p a with
    | true => countP p l + 1
    | false => countP p l

/-- How often an element is there. -/
def count [BEq α] (a : α) : List α → Nat := countP (fun x => x == a)

/-- Whether an element is there. -/
def elem [BEq α] (a : α) : (l : List α) → Bool
  | [] => false
  | b :: bs => match a == b with
    | true => true
    | false => elem a bs

/-- Whether an element is there. -/
abbrev contains [BEq α] (as : List α) (a : α) : Bool := elem a as

/-- The list without the first occurrence of an element. -/
protected def erase {α : Type u} [BEq α] : List α → α → List α
  | [], _ => []
  | a :: as, b => match a == b with
    | true => as
    | false => a :: List.erase as b

/-- The list without the element at a place. -/
def eraseIdx {α : Type u} : (l : List α) → (i : Nat) → List α
  | [], _ => []
  | _ :: as, 0 => as
  | a :: as, n + 1 => a :: eraseIdx as n

/-- The value beside the first key that is found. -/
def lookup [BEq α] : α → List (α × β) → Option β
  | _, [] => none
  | a, (k, b) :: as => match a == k with
    | true => some b
    | false => lookup a as

/-- The numbers below a bound before a list. -/
def range.loop : Nat → List Nat → List Nat
  | 0, ns => ns
  | n + 1, ns => loop n (n :: ns)

/-- The numbers below a bound, in order. -/
def range (n : Nat) : List Nat := range.loop n []

/-- `len` numbers from `start` on, in steps. -/
def range' (start len : Nat) (step : Nat := 1) : List Nat :=
  match len with
  | 0 => []
  | n + 1 => start :: range' (start + step) n step

/-- An element between each two. -/
def intersperse (sep : α) : (l : List α) → List α
  | [] => []
  | [x] => [x]
  | x :: y :: zs => x :: sep :: intersperse sep (y :: zs)

/-- A list between each two, as one list. -/
def intercalate (sep : List α) (xs : List (List α)) : List α := flatten (intersperse sep xs)

/-- Whether the second list begins with the first. -/
def isPrefixOf [BEq α] : List α → List α → Bool
  | [], _ => true
  | _, [] => false
  | a :: as, b :: bs => a == b && isPrefixOf as bs

/-- Whether two lists have equal elements. -/
protected def beq [BEq α] : List α → List α → Bool
  | [], [] => true
  | a :: as, b :: bs => a == b && List.beq as bs
  | _, _ => false

instance instBEq [BEq α] : BEq (List α) := ⟨List.beq⟩

/-- `a` is one of the elements. -/
inductive Mem (a : α) : List α → Prop where
  | head (as : List α) : Mem a (a :: as)
  | tail (b : α) {as : List α} : Mem a as → Mem a (b :: as)

instance instMembership : Membership α (List α) := ⟨fun l a => Mem a l⟩

/-- Every element of the first list is in the second. -/
protected def Subset (l₁ l₂ : List α) : Prop := ∀ ⦃a : α⦄, a ∈ l₁ → a ∈ l₂

instance instHasSubset : HasSubset (List α) := ⟨List.Subset⟩

/-- The first list is the second without some elements. -/
inductive Sublist {α : Type u} : List α → List α → Prop where
  | slnil : Sublist ([] : List α) []
  | cons {l₁ l₂ : List α} (a : α) : Sublist l₁ l₂ → Sublist l₁ (a :: l₂)
  | cons_cons {l₁ l₂ : List α} (a : α) : Sublist l₁ l₂ → Sublist (a :: l₁) (a :: l₂)

/-- The second list begins with the first. -/
def IsPrefix (l₁ l₂ : List α) : Prop := ∃ t, l₁ ++ t = l₂

/-- The second list ends with the first. -/
def IsSuffix (l₁ l₂ : List α) : Prop := ∃ t, t ++ l₁ = l₂

/-- The relation holds between each element and all that follow it. -/
inductive Pairwise (R : α → α → Prop) : List α → Prop where
  | nil : Pairwise R []
  | cons {a : α} {l : List α} : (∀ a', a' ∈ l → R a a') → Pairwise R l → Pairwise R (a :: l)

/-- No element is there twice. -/
def Nodup : List α → Prop := Pairwise (fun a b => a ≠ b)

/-- The same elements in any order. -/
inductive Perm : List α → List α → Prop where
  | nil : Perm ([] : List α) []
  | cons (x : α) {l₁ l₂ : List α} : Perm l₁ l₂ → Perm (x :: l₁) (x :: l₂)
  | swap (x y : α) (l : List α) : Perm (y :: x :: l) (x :: y :: l)
  | trans {l₁ l₂ l₃ : List α} : Perm l₁ l₂ → Perm l₂ l₃ → Perm l₁ l₃

end List
