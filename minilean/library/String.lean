/- Strings. How they are represented is hidden: core's is UTF-8, here it is the list of characters. -/

/-- A string. -/
inductive String : Type where
  | ofChars (chars : List Char) : String

namespace String

/-- The string of these characters. -/
def ofList (data : List Char) : String := ofChars data

/-- What a literal stands for. -/
def literal (chars : List Char) : String := ofChars chars

/-- The characters. -/
def toList (s : String) : List Char := String.rec (motive := fun _ => List Char) (fun l => l) s

/-- An older name of `ofList`. -/
abbrev mk (data : List Char) : String := ofList data

/-- An older name of `toList`. -/
abbrev data (s : String) : List Char := s.toList

@[simp] theorem toList_ofList {l : List Char} : (String.ofList l).toList = l := rfl

@[simp] theorem ofList_toList {s : String} : String.ofList s.toList = s :=
  String.rec (motive := fun s => String.ofList s.toList = s) (fun _ => rfl) s

theorem toList_inj {s t : String} : s.toList = t.toList ↔ s = t :=
  ⟨fun h => ofList_toList.symm.trans ((congrArg String.ofList h).trans ofList_toList), congrArg toList⟩

theorem ext {s t : String} (h : s.toList = t.toList) : s = t := toList_inj.mp h

theorem ofList_inj {l m : List Char} : String.ofList l = String.ofList m ↔ l = m :=
  ⟨fun h => congrArg toList h, congrArg String.ofList⟩

/-- How many characters there are. -/
def length (s : String) : Nat := s.toList.length

/-- One string after the other. -/
protected def append (s t : String) : String :=
  String.rec (motive := fun _ => String) (fun l => String.rec (motive := fun _ => String)
    (fun l' => ofChars (l ++ l')) t) s

instance instAppend : Append String := ⟨String.append⟩

/-- The string with one more character at the end. -/
def push (s : String) (c : Char) : String := String.ofList (s.toList ++ [c])

/-- The string of one character. -/
def singleton (c : Char) : String := String.ofList [c]

/-- Whether there are no characters. -/
def isEmpty (s : String) : Bool := s.toList.isEmpty

/-- All strings one after the other. -/
def join (l : List String) : String := l.foldl (fun r s => r ++ s) ""

@[simp] theorem toList_append {s t : String} : (s ++ t).toList = s.toList ++ t.toList :=
  String.rec (motive := fun s => (s ++ t).toList = s.toList ++ t.toList)
    (fun l => String.rec (motive := fun t => (ofChars l ++ t).toList = (ofChars l).toList ++ t.toList)
      (fun _ => rfl) t) s

@[simp] theorem toList_push {s : String} {c : Char} : (s.push c).toList = s.toList ++ [c] := rfl

@[simp] theorem length_toList {s : String} : s.toList.length = s.length := rfl

@[simp] theorem length_append {s t : String} : (s ++ t).length = s.length + t.length :=
  (congrArg List.length toList_append).trans List.length_append

@[simp] theorem length_push {s : String} {c : Char} : (s.push c).length = s.length + 1 := List.length_append

@[simp] theorem length_ofList {l : List Char} : (String.ofList l).length = l.length := rfl

@[simp] theorem append_empty {s : String} : s ++ "" = s :=
  ext (toList_append.trans (List.append_nil s.toList))

@[simp] theorem empty_append {s : String} : "" ++ s = s := ext toList_append

theorem append_assoc {s t u : String} : s ++ t ++ u = s ++ (t ++ u) := by
  apply ext
  rw [toList_append, toList_append, toList_append, toList_append, List.append_assoc]

end String

instance instDecidableEqString : DecidableEq String := fun s t =>
  String.rec (motive := fun s => Decidable (s = t))
    (fun l => String.rec (motive := fun t => Decidable (String.ofChars l = t))
      (fun l' => match decEq l l' with
        | isTrue h => isTrue (congrArg String.ofChars h)
        | isFalse h => isFalse (fun e => h (congrArg String.toList e))) t) s

instance instInhabitedString : Inhabited String := ⟨""⟩

/- Core computes these over bytes: what holds here by unfolding them need not hold there by `rfl`. Of them only
`ofList` and `append` compute, where nothing is variable. -/
attribute [irreducible] String.ofList String.toList String.length String.append String.push String.singleton
  String.isEmpty String.join
