/- Lean's names and syntax as data: constants of type `Lean.Syntax` stand for the tactics of default arguments.

No fact about them is proved, and no term computes with them. -/

universe u

/-- A name of Lean: its components, the last one outermost. -/
inductive Lean.Name : Type where
  | anonymous : Lean.Name
  | str (pre : Lean.Name) (str : String) : Lean.Name
  | num (pre : Lean.Name) (i : Nat) : Lean.Name

/-- A position in a string, in bytes. -/
structure String.Pos.Raw : Type where
  byteIdx : Nat

/-- A part of a string. -/
structure Substring.Raw : Type where
  str : String
  startPos : String.Pos.Raw
  stopPos : String.Pos.Raw

/-- The place of a piece of syntax in its source. -/
inductive Lean.SourceInfo : Type where
  | original (leading : Substring.Raw) (pos : String.Pos.Raw) (trailing : Substring.Raw) (endPos : String.Pos.Raw)
  | synthetic (pos : String.Pos.Raw) (endPos : String.Pos.Raw) (canonical : Bool)
  | none

/-- What an identifier in a macro stands for. -/
inductive Lean.Syntax.Preresolved : Type where
  | «namespace» (ns : Lean.Name)
  | decl (n : Lean.Name) (fields : List String)

/-- Syntax trees. -/
inductive Lean.Syntax : Type where
  | missing : Lean.Syntax
  | node (info : Lean.SourceInfo) (kind : Lean.Name) (args : Array Lean.Syntax) : Lean.Syntax
  | atom (info : Lean.SourceInfo) (val : String) : Lean.Syntax
  | ident (info : Lean.SourceInfo) (rawVal : Substring.Raw) (val : Lean.Name)
      (preresolved : List _root_.Lean.Syntax.Preresolved) : Lean.Syntax

/-- The type of a parameter that a tactic proves where a caller gives none. -/
@[reducible] def autoParam (α : Sort u) (tactic : Lean.Syntax) : Sort u := α
