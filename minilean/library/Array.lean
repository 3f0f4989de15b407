/- Arrays: lists with access by position, as far as textbooks go. -/

universe u v w

/-- A sequence of elements. -/
structure Array (α : Type u) where
  /-- The array with the elements of a list. -/
  mk ::
  /-- The elements as a list. -/
  toList : List α

attribute [extern "lean_array_mk"] Array.mk
attribute [extern "lean_array_to_list"] Array.toList

/-- The array with the elements of a list; `#[a, b]` stands for `List.toArray [a, b]`. -/
def List.toArray {α : Type u} (xs : List α) : Array α := Array.mk xs

namespace Array

variable {α : Type u} {β : Type v}

theorem ext' {xs ys : Array α} (h : xs.toList = ys.toList) : xs = ys := congrArg Array.mk h

theorem toArray_toList (xs : Array α) : xs.toList.toArray = xs := rfl

/-- The number of elements. -/
@[extern "lean_array_get_size"] def size (a : Array α) : Nat := a.toList.length

/-- The array without elements. -/
def empty : Array α := mk []

/-- The array without elements; `c` is the expected number of elements. -/
@[extern "lean_mk_empty_array_with_capacity"] def emptyWithCapacity (c : Nat) : Array α := mk []

/-- An older name of `emptyWithCapacity`. -/
abbrev mkEmpty (c : Nat) : Array α := emptyWithCapacity c

/-- The array with one more element at its end. -/
@[extern "lean_array_push"] def push (a : Array α) (v : α) : Array α := mk (a.toList ++ [v])

/-- The element at a position. -/
def getInternal (a : Array α) (i : Nat) (h : i < a.size) : α := a.toList[i]'h

/-- The element at a position, or the default of the type. -/
def get!Internal [Inhabited α] (a : Array α) (i : Nat) : α := a.toList[i]!

instance instGetElemNatLtSize : GetElem (Array α) Nat α fun xs i => i < xs.size where
  getElem xs i h := xs.getInternal i h

instance instGetElem?NatLtSize : GetElem? (Array α) Nat α fun xs i => i < xs.size where
  getElem? xs i := xs.toList[i]?
  getElem! xs i := xs.get!Internal i

/-- The element at a position, or `v₀`. -/
def getD (a : Array α) (i : Nat) (v₀ : α) : α := if h : i < a.size then a.getInternal i h else v₀

/-- The array without its last element. -/
def pop (a : Array α) : Array α := mk a.toList.dropLast

/-- The last element, if there is one. -/
def back? (a : Array α) : Option α := a[a.size - 1]?

/-- Whether there is no element. -/
def isEmpty (a : Array α) : Bool := decide (a.size = 0)

/-- `f` at each element. -/
def map (f : α → β) (a : Array α) : Array β := mk (a.toList.map f)

/-- `f (f (f init x) y) z` for the elements `x y z`. -/
def foldl (f : β → α → β) (init : β) (a : Array α) : β := a.toList.foldl f init

/-- `f x (f y (f z init))` for the elements `x y z`. -/
def foldr (f : α → β → β) (init : β) (a : Array α) : β := a.toList.foldr f init

/-- The elements of both arrays. -/
protected def append (as bs : Array α) : Array α := mk (as.toList ++ bs.toList)

instance : Append (Array α) := ⟨Array.append⟩

/-- `f` at the elements in the same position, as far as the shorter array goes. -/
def zipWith {γ : Type w} (f : α → β → γ) (as : Array α) (bs : Array β) : Array γ :=
  mk (List.zipWith f as.toList bs.toList)

/-- The elements in the opposite order. -/
def reverse (a : Array α) : Array α := mk a.toList.reverse

instance : Inhabited (Array α) := ⟨empty⟩

instance [DecidableEq α] : DecidableEq (Array α) :=
  fun a b => decidable_of_iff (a.toList = b.toList) ⟨ext', fun h => congrArg toList h⟩

@[simp] theorem size_toList (xs : Array α) : xs.toList.length = xs.size := rfl

@[simp] theorem size_empty : (empty : Array α).size = 0 := rfl

@[simp] theorem size_push {xs : Array α} (v : α) : (push xs v).size = xs.size + 1 := by
  show (xs.toList ++ [v]).length = xs.toList.length + 1
  rw [List.length_append]
  rfl

@[simp] theorem toList_push {xs : Array α} {x : α} : (xs.push x).toList = xs.toList ++ [x] := rfl

@[simp] theorem toList_append {xs ys : Array α} : (xs ++ ys).toList = xs.toList ++ ys.toList := rfl

@[simp] theorem size_append {xs ys : Array α} : (xs ++ ys).size = xs.size + ys.size := List.length_append

@[simp] theorem toList_map {f : α → β} {xs : Array α} : (xs.map f).toList = xs.toList.map f := rfl

@[simp] theorem size_map {f : α → β} {xs : Array α} : (xs.map f).size = xs.size := List.length_map f

@[simp] theorem toList_reverse {xs : Array α} : xs.reverse.toList = xs.toList.reverse := rfl

@[simp] theorem size_reverse {xs : Array α} : xs.reverse.size = xs.size := List.length_reverse

@[simp] theorem getElem_toList {xs : Array α} {i : Nat} (h : i < xs.size) : xs.toList[i]'h = xs[i] := rfl

@[simp] theorem getElem?_toList {xs : Array α} {i : Nat} : xs.toList[i]? = xs[i]? := rfl

end Array

namespace List

variable {α : Type u}

@[simp] theorem size_toArray (xs : List α) : xs.toArray.size = xs.length := rfl

@[simp] theorem toList_toArray (xs : List α) : xs.toArray.toList = xs := rfl

@[simp] theorem getElem_toArray {xs : List α} {i : Nat} (h : i < xs.toArray.size) : xs.toArray[i] = xs[i]'h := rfl

@[simp] theorem getElem?_toArray {xs : List α} {i : Nat} : xs.toArray[i]? = xs[i]? := rfl

@[simp] theorem push_toArray (xs : List α) (x : α) : xs.toArray.push x = (xs ++ [x]).toArray := rfl

end List
