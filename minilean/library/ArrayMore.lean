/- Arrays: changing an element, tests, parts, positions. -/

universe u v

namespace List

/-- The function of position and element, applied to each element. -/
def mapIdx {α : Type u} {β : Type v} (f : Nat → α → β) (as : List α) : List β := go as #[]
where
  go : List α → Array β → List β
  | [], acc => acc.toList
  | a :: as, acc => go as (acc.push (f acc.size a))

@[simp] theorem mapIdx_nil {α : Type u} {β : Type v} {f : Nat → α → β} : mapIdx f [] = [] := rfl

end List

namespace Array

variable {α : Type u} {β : Type v}

/-- The array with another element at a position that it has. -/
protected def set (xs : Array α) (i : Nat) (v : α) (h : i < xs.size := by get_elem_tactic) : Array α :=
  mk (xs.toList.set i v)

/-- The array with another element at a position, if it has that position. -/
def setIfInBounds (xs : Array α) (i : Nat) (v : α) : Array α := if h : i < xs.size then xs.set i v h else xs

/-- The array with another element at a position, if it has that position. -/
abbrev set! (xs : Array α) (i : Nat) (v : α) : Array α := setIfInBounds xs i v

@[simp] theorem toList_set {xs : Array α} {i : Nat} {x : α} (h : i < xs.size) :
    (xs.set i x h).toList = xs.toList.set i x := rfl

@[simp] theorem size_set {xs : Array α} {i : Nat} {v : α} (h : i < xs.size) : (xs.set i v h).size = xs.size :=
  List.length_set

@[simp] theorem size_setIfInBounds {xs : Array α} {i : Nat} {a : α} : (xs.setIfInBounds i a).size = xs.size := by
  unfold setIfInBounds
  split
  · exact size_set _
  · rfl

@[simp] theorem getElem_map {f : α → β} {xs : Array α} {i : Nat} (hi : i < (xs.map f).size) :
    (xs.map f)[i] = f (xs[i]'(by simpa using hi)) := List.getElem_map f

/-- The elements from `start` to before `stop`. -/
def extract (as : Array α) (start : Nat := 0) (stop : Nat := as.size) : Array α :=
  mk ((as.toList.take stop).drop start)

/-- The first `i` elements. -/
def take (xs : Array α) (i : Nat) : Array α := xs.extract 0 i

/-- Whether some element from `start` to before `stop` passes a test. -/
def any (as : Array α) (p : α → Bool) (start : Nat := 0) (stop : Nat := as.size) : Bool :=
  (as.extract start stop).toList.any p

/-- Whether every element from `start` to before `stop` passes a test. -/
def all (as : Array α) (p : α → Bool) (start : Nat := 0) (stop : Nat := as.size) : Bool :=
  (as.extract start stop).toList.all p

theorem toList_extract_all {xs : Array α} : (xs.extract 0 xs.size).toList = xs.toList := List.take_length

@[simp] theorem any_toList {p : α → Bool} {xs : Array α} : xs.toList.any p = xs.any p := by
  unfold any
  rw [toList_extract_all]

@[simp] theorem all_toList {p : α → Bool} {xs : Array α} : xs.toList.all p = xs.all p := by
  unfold all
  rw [toList_extract_all]

/-- The elements that pass a test. -/
def filter (p : α → Bool) (as : Array α) (start : Nat := 0) (stop : Nat := as.size) : Array α :=
  mk ((as.extract start stop).toList.filter p)

/-- The function of position and element, applied to each element. -/
def mapIdx (f : Nat → α → β) (as : Array α) : Array β := mk (as.toList.mapIdx f)

/-- Whether an element is there. -/
def contains [BEq α] (as : Array α) (a : α) : Bool := as.toList.contains a

end Array

/-- The strings, one after the other, with `s` between them. -/
def String.intercalate (s : String) : List String → String
  | [] => ""
  | a :: as => go a s as
where
  go (acc : String) (s : String) : List String → String
  | a :: as => go (acc ++ s ++ a) s as
  | [] => acc

/-- The parts of a list of characters between the occurrences of `sep`: `skip` characters belong to the last one, and
`part` has those since then, the last first. -/
def String.splitOnAux (sep : List Char) : (rest : List Char) → (skip : Nat) → (part : List Char) → List String
  | [], _, part => [String.ofList part.reverse]
  | _ :: cs, skip + 1, part => splitOnAux sep cs skip part
  | c :: cs, 0, part =>
    if sep.isPrefixOf (c :: cs) then
      String.ofList part.reverse :: splitOnAux sep cs (sep.length - 1) []
    else
      splitOnAux sep cs 0 (c :: part)

/-- The parts between the occurrences of `sep`; the string itself where `sep` is empty. -/
def String.splitOn (s : String) (sep : String := " ") : List String :=
  if sep == "" then [s] else splitOnAux sep.toList s.toList 0 []
