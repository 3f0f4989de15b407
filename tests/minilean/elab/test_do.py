"""`do` blocks, the operators of monads, their laws, and classes with new defaults for inherited fields."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

HALF = "def half (n : Nat) : Option Nat := if n % 2 = 0 then some (n / 2) else none\n"
DIV = 'def div (a b : Nat) : Except String Nat := if b = 0 then throw "div" else pure (a / b)\n'
STATE = "def next : StateM Nat Nat := do\n  let n ← get\n  set (n + 1)\n  return n\n"
LAWFUL = """structure St (α : Type) where
  run : Nat → α × Nat
instance : Monad St where
  pure a := ⟨fun n => (a, n)⟩
  bind x f := ⟨fun n => let (a, k) := x.run n; (f a).run k⟩
instance : LawfulMonad St where
  map_const := rfl
  id_map _ := rfl
  comp_map _ _ _ := rfl
  seqLeft_eq _ _ := rfl
  seqRight_eq _ _ := rfl
  pure_seq _ _ := rfl
  map_pure _ _ := rfl
  seq_pure _ _ := rfl
  seq_assoc _ _ _ := rfl
  bind_pure_comp _ _ := rfl
  bind_map _ _ := rfl
  pure_bind _ _ := rfl
  bind_assoc _ _ _ := rfl
"""


def said(text: str) -> list[str]:
    return [m.text for m in check_text(text)]


@pytest.mark.parametrize(
    ("context", "term", "value"),
    [
        (HALF, "(do let m ← half 8; half m : Option Nat)", "some 2"),
        (HALF, "(do let m ← half 6; half m : Option Nat)", "none"),
        (HALF, "(do { let m ← half 8; let k := m + 1; return m + k } : Option Nat)", "some 9"),
        (HALF, "(do let m : Nat ← half 8; have k := m; return k : Option Nat)", "some 4"),
        (HALF, "(do return (← half 4) + (← half (← half 4)) : Option Nat)", "some 3"),
        (HALF, "(do let (a, b) ← some (1, 2); return a + b : Option Nat)", "some 3"),
        (HALF, "(do let a ← (do let c ← some 3; return c); return a : Option Nat)", "some 3"),
        ("def f (o : Option Nat) : Option Nat := do\n  let some a := o | some 7\n  return a\n", "f none", "some 7"),
        ("def f (o : Option (Option Nat)) : Option Nat := do\n  let some a ← o\n    | failure\n  return a\n",
         "f (some none)", "none"),
        (HALF, "(do if (← half 4) = 2 then return 1 else return 2 : Option Nat)", "some 1"),
        (HALF, "(do if let some a := half 3 then return a else if half 1 = none then return 5 else failure "
         ": Option Nat)", "some 5"),
        (HALF, "(do match half 4 with\n    | none => failure\n    | some a => let b ← half a; return b : Option Nat)",
         "some 1"),
        (DIV, "(do let x ← div 7 2; let y ← div x 0; return y : Except String Nat)", 'Except.error "div"'),
        (DIV, "(do let x ← div 7 2; pure x : Except String Nat)", "Except.ok 3"),
        (DIV, "(tryCatch (div 1 0) (fun e => .ok e.length) : Except String Nat)", "Except.ok 3"),
        (STATE, "next.run 5", "(5, 6)"),
        (STATE, "([1, 2].forM fun k => modify (· + k) : StateM Nat PUnit).run 5", "((), 8)"),
        (HALF, "[2, 4].foldlM (fun s n => (half n).map (s + ·)) 0", "some 3"),
        (HALF, "[2, 3].foldlM (fun s n => (half n).map (s + ·)) 0", "none"),
        (HALF, "(do let a ← half 8; guard (a < 3); return a : Option Nat)", "none"),
        (STATE, "(do let a ← next; modify (· * 10); let b ← next; return (a, b) : StateM Nat (Nat × Nat)).run 1",
         "((1, 20), 21)"),
        ("", "Id.run do\n  let x := 3\n  return x + 1", "4"),
        ("", "(· + 1) <$> some 3", "some 4"),
        ("", "some (· + 1) <*> some 3", "some 4"),
        ("", "some 3 <* some 4", "some 3"),
        ("", "some 3 *> some 4", "some 4"),
        ("", "some 3 <&> (· + 1)", "some 4"),
        (HALF, "half 3 <|> half 4 <|> none", "some 2"),
        (HALF, "some 8 >>= half >>= half", "some 2"),
        (HALF, "half =<< some 8", "some 4"),
        (HALF, "(half >=> half) 8", "some 2"),
        ("def sum : List (Option Nat) → Option Nat\n  | [] => some 0\n  | x :: xs => do\n    let a ← x\n"
         "    let s ← sum xs\n    return a + s\n", "sum [some 1, some 2]", "some 3"),
    ],
)  # fmt: skip
def test_values(context: str, term: str, value: str) -> None:
    assert said(f"{context}#eval {term}") == [value]


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("(do let a ← x; f a) = y", "⊢ (do\n      let a ← x\n      f a) =\n    y"),
        ("y = (do let a ← x; f a)", "⊢ y = do\n    let a ← x\n    f a"),
        ("(do let a ← x; let k := a + 1; return k) = y",
         "⊢ (do\n      let a ← x\n      let k : Nat := a + 1\n      pure k) =\n    y"),
        ("(do return (← x) + (← y)) = y",
         "⊢ (do\n      let __do_lift ← x\n      let __do_lift_1 ← y\n      pure (__do_lift + __do_lift_1)) =\n    y"),
        ("(do let _ ← x; y) = y", "⊢ (do\n      let _ ← x\n      y) =\n    y"),
        ("(x >>= f) = y ∧ (x <|> y) = y ∧ (x *> y) = y", "⊢ x >>= f = y ∧ (x <|> y) = y ∧ x *> y = y"),
        ("(x <* y) = (id <$> x) ∧ some id <*> x = y", "⊢ x <* y = id <$> x ∧ some id <*> x = y"),
    ],
)  # fmt: skip
def test_goals(statement: str, left: str) -> None:
    head = "example (x y : Option Nat) (f : Nat → Option Nat) : "
    assert said(f"{head}{statement} := by\n  trace_state\n  sorry")[0].endswith(left)


@pytest.mark.parametrize(
    "text",
    [
        HALF + "example : (do let m ← half 8; half m) = some 2 := rfl",
        HALF + "example : (do let m ← half 8; half m) = some 2 := by decide",
        HALF + "example : (do let m ← half 8; half m) = some 2 := by simp [half]",
        "example (x : Option Nat) : (do let a ← x; return a) = x := by simp",
        "example (x : Option Nat) (f : Nat → Option Nat) : (do let a ← x; f a) = x >>= f := rfl",
        "example (x : Option Nat) (f : Nat → Option Nat) : (do let a ← x; f a) = x.bind f := by simp",
        "example (f : Nat → Option Nat) : (do let a ← none; f a) = none := by simp",
        "example (m : Type → Type) [Monad m] [LawfulMonad m] (a : Nat) (f : Nat → m Nat) :\n"
        "    (do let b ← pure a; f b) = f a := by simp",
        "example (m : Type → Type) [Monad m] [LawfulMonad m] (x : m Nat) (f g : Nat → m Nat) :\n"
        "    (x >>= f) >>= g = x >>= fun a => f a >>= g := by simp",
        "example (m : Type → Type) [Monad m] [LawfulMonad m] (x : m Nat) : x >>= pure = x := by simp",
        "example (m : Type → Type) [Monad m] [LawfulMonad m] (x : m Nat) : id <$> x = x := by simp",
        DIV + 'example : (do let x ← div 1 0; pure x : Except String Nat) = .error "div" := rfl',
        DIV + "example (a b : Nat) (h : b ≠ 0) : div a b = .ok (a / b) := by simp [div, h]; rfl",
        STATE + "example (n : Nat) : next.run n = pure (n, n + 1) := by simp [next]",
        STATE + "example : (next.run 5).1 = 5 := by decide",
        "structure St (α : Type) where\n  run : Nat → α × Nat\ninstance : Monad St where\n"
        "  pure a := ⟨fun n => (a, n)⟩\n  bind x f := ⟨fun n => let (a, k) := x.run n; (f a).run k⟩\n"
        "def tick : St Nat := ⟨fun n => (n, n + 1)⟩\n"
        "example : (do let a ← tick; let b ← tick; return (a, b) : St (Nat × Nat)).run 7 = ((7, 8), 9) := rfl",
        LAWFUL,
        "namespace A\ndef Bind.bind := 1\ndef PUnit := Nat\ndef Pure.pure := 2\n"
        "example : (do let a ← some 1; some (); return a) = some 1 := rfl\nend A",
    ],
)
def test_what_holds(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("let mut x := 1\n  return x", "unsupported: `let mut` in `do`"),
        ("for i in [1] do\n    pure ()\n  return 1", "unsupported: `for` in `do`"),
        ("while true do\n    pure ()\n  return 1", "unsupported: `while` in `do`"),
        ("if true then\n    failure\n  return 1", "unsupported: an action after `if` in `do`"),
        ("match 1 with\n  | _ => failure\n  return 1", "unsupported: an action after `match` in `do`"),
        ("return 1\n  return 2", "unsupported: an action after `return` in `do`"),
        ("let a ← if true then some 1 else none\n  return a", "unsupported: `if` after `←` in `do`"),
        ("let a := 1\n  a := 2\n  return a", "unsupported: an assignment in `do`"),
        ("try failure catch _ => some 1", "unsupported: `try` in `do`"),
        ("return [1].map (fun x => (← some x))", "unsupported: `(← e)` outside of an action of `do`"),
        ("return if true then 1 else (← some 1)", "unsupported: `(← e)` outside of an action of `do`"),
        ("let a ← some 1", "unexpected end of `do` block after `let`"),
        ("some 1\n  some 2", "OfNat PUnit 1"),
        ("some true\n  some 2", "mismatch"),
        ("do\n    return 1\n  return 2", "unsupported: an action after `do` in `do`"),
        ("let a ← some true\n  return a", "mismatch"),
    ],
)
def test_what_is_refused(block: str, message: str) -> None:
    assert message in said(f"def f : Option Nat := do\n  {block}\n")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#check do let a ← some 1; return a", "expected type is not available"),
        ("def f : Nat := do return 1", "invalid `do` notation, expected type is not a monad application"),
        (
            "def f : Nat := do return 1",
            "invalid `do` notation, expected type is not a monad application",
        ),
        (
            "def f : List Nat := do return 1",
            "failed to synthesize instance of type class\n  Pure List",
        ),
        ("#check (← some 1)", "unsupported: `(← e)` outside of an action of `do`"),
        (HALF + "example : (do let m ← half 6; half m) = some 2 := rfl", "mismatch"),
        ("example (x y : Option Nat) : (x *> y) = y := by rfl", "Tactic `rfl` failed"),
        ("instance : Monad List where\n  pure := fun a => [a]", "Fields missing: `bind`"),
        ("#check (do let a ← some 1; return a).isSome", "expected type is not available"),
        ("instance : LawfulMonad List := sorry\n", "failed to synthesize"),
    ],
)
def test_what_does_not_hold(text: str, message: str) -> None:
    assert any(message in m for m in said(text))


CLASSES = """
class A (f : Type → Type) where
  map : {α β : Type} → (α → β) → f α → f β
class B (f : Type → Type) extends A f where
  bind : {α β : Type} → f α → (α → f β) → f β
  pure : {α : Type} → α → f α
  map g x := bind x fun a => pure (g a)
"""


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (CLASSES + "instance : B Option where\n  bind := Option.bind\n  pure := some\n"
         "example (x : Option Nat) : A.map id x = x.bind some := rfl", []),
        (CLASSES + "instance : B Option where\n  bind := Option.bind\n  pure := some\n  map := Option.map\n"
         "example (x : Option Nat) : A.map id x = x.map id := rfl", []),
        (CLASSES + "instance : B Option where\n  pure := some", ["Fields missing: `bind`"]),
        ("structure P where\n  x : Nat\n  y : Nat\nstructure Q extends P where\n  z : Nat\n  y := x + z\n"
         "#eval ({ x := 1, z := 2 } : Q).y\n#eval ({ x := 1, z := 2, y := 9 } : Q).y", ["3", "9"]),
        ("structure P where\n  x : Nat\n  h : x = x\nstructure Q extends P where\n  x := 3\n  h := rfl\n"
         "#eval ({} : Q).x",
         ["3"]),
        ("structure P where\n  x : Nat\nstructure Q extends P where\n  x := true", None),
    ],
)  # fmt: skip
def test_new_defaults_of_inherited_fields(text: str, messages: list[str] | None) -> None:
    found = said(text)
    assert found == messages if messages is not None else found


def test_a_default_proves_nothing_for_other_values() -> None:
    text = (
        "structure P where\n  x : Nat\n  h : x < 5\nstructure Q extends P where\n  x := 3\n  h := by decide\n"
    )
    assert said(text)[0].startswith("unsupported: a tactic as new default")
    text = "structure P where\n  x : Nat\n  h : x < 5\nstructure Q extends P where\n  x := 3\n  h := Nat.le_refl 4\n"
    assert said(text) != []
