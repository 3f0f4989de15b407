import pytest

from lean_gym.verification.tactic_filter import refused_commands, refused_text


@pytest.mark.parametrize(
    "tactic",
    [
        "exact macro_h",
        "rw [macro_h, prefix_of, open_set, h_def]",
        "exact List.prefix l",
        "simp [Set.notation, IsOpen.def, h.end]",
        "exact hs.instance",
        "have : #s = 2 := by simp [h]",
        "rw [Finset.card_eq, ← #t]",
        "cases h with\n| inl hp => exact Or.inr hp\n| inr hq => exact Or.inl hq",
        "induction n with\n| zero => rfl\n| succ n ih => omega",
        "induction n with | zero | succ n ih",
        "(cases h with | inl h | inr h)\ncases h with\n| inl h => exact h\n| inr h\nexact h",
        "exact ⟨α₁, fun x' => h₂ x'.1⟩",
        "· exact h.2",
        "calc a = b := h₁\n_ = c := h₂",
        "infer_instance",
        "bv_omega",
        "bv_normalize\nexact bv_decide_aux h",
        "sorry",
        "simp (config := {decide := true}) only [Nat.add_comm]",
        "exact x % evaluate",
        "exact 0xdef",
        "exact ⟨0xabe, 1e5, 1_000, 'a', '\\n'⟩",
        "exact macro' 'a'",
        "exact Finset.sum_comm (∑ i in s, f i)",
        "-- use the lemma, open `h` and end\nexact h --- by notation\n-- IO.println",
        "simp only [Lake.FamilyOut.fam_eq, Lean.Loop.forIn_eq, Lean.Omega.tidy, EStateM.run_map]",
        "aesop (add unsafe 50% h) ( add unsafe apply h)",
        "aesop (add safe f, unsafe 50% g)",
        "aesop (add safe f, unsafe apply g) (rule_sets := [Sets, -Graphs]) (config := { terminal := true })",
        "open Classical in exact em p",
        "open Classical Nat in\nopen scoped BigOperators in\nrw [h]",
        "exact open Nat (succ_le) in succ_le.mpr h",
        "set_option maxRecDepth 2000 in\n  decide",
        "set_option synthInstance.maxHeartbeats 40000 in set_option pp.all true in simp",
        "calc\n  #A = #B := h\n  _ = 3 := by rfl",
        "calc a = b := h\n  #A ≤ b := k",
        "calc\n  #s ≤ 2 := h",
        "have h := System.rules IO x\nexact h",
        "exact IO.Process.spawn x",
        "let x : IO Unit := pure ()",
        "simp (disch := omega) (maxSteps := 500) [h]",
        "simp (config := { decide := true, maxSteps := 10, occs := .pos [1, 2] }) only [h]",
        "rw (occs := .pos [1, 3]) [h]",
        "conv in (occs := 2 3) _ + _ => rfl",
        "linear_combination (exp := 2) h + k",
        "linear_combination (norm := ring_nf) h",
        "apply (config := {newGoals := .all}) h",
        "exact foo (n := k + 1) h",
        "exact le_trans (add_le_add (a := x) (b := f y) h k) (foo.bar (n := fun x => x) h)",
        "refine Nat.rec (motive := fun n => p n) ?_ ?_ n",
        "have h : p :=\n  foo (n := k + 1)",
        "induction h using Foo.rec (motive_2 := fun _ => True) with\n| a => rfl",
        'trace "here"',
        "exact trace A",
        "rw [trace A]\nexact Matrix.trace (A + B)",
        "have h (x : Nat := 3 + 4) : p := q",
        "obtain ⟨x, hx⟩ := h (a := f b)",
        "exact (foo (n := k + 1))",
        "exact ((foo (n := k + 1)).trans h)",
        "exact bar (foo (n := k + 1)) h",
        "exact le_trans\n  (foo (n := k + 1)) h",
        "exact le_trans h\n  foo\n  (foo (n := k + 1))",
        "· exact le_trans\n    (foo (n := k + 1)) h",
        "exact fun x => foo (n := x + 1)",
        "exact fun x hx => (foo (n := x + 1) hx)",
        "exact fun (x : Nat) =>\n  foo (n := x + 1)",
        "exact fun | 0 => foo (n := k + 1) | x => h",
        "exact match h with | 0 => h | x => foo (n := x + 1)",
        "exact ⟨x, foo (n := x + 1)⟩",
        "have h : ∀ x, p x := fun x => foo (n := x + 1)",
        "have : p := (foo (n := k + 1))",
        "have h := {x | foo (n := x + 1) = x}",
        "refine ⟨_, fun x => (foo (n := x + 1)), ?_⟩",
        "rw [foo (n := k + 1), (bar (n := k + 1))]",
        "rw [show a = b by simp, foo (n := k + 1)]",
        "simp [h, foo (n := k + 1)] at h",
        "simpa using (foo (n := k + 1))",
        "nlinarith [sq_nonneg (a := x - y), (mul_pos (a := x + 1) h k)]",
        "cases h with\n| inl h => exact (foo (n := k + 1))\n| inr h => exact fun x => foo (n := x + 1)",
        "case a => exact foo (n := k + 1)",
        "first | exact foo (n := k + 1) | skip",
        "(exact (foo (n := k + 1)))",
        "calc a = foo (n := k + 1) := by simp\n  _ = foo (n := k + 2) := by simp\n  _ = c := foo (n := k + 1)",
        "calc\n  a = b := by simp\n  _ = c := (foo (n := k + 1))",
        "rcases (foo (n := k + 1)) with h | h",
        "specialize h (foo (n := k + 1))",
        "show p from (foo (n := k + 1))",
        "use (foo (n := k + 1)), bar (n := k + 1)",
        "exact h --\n  (foo (config := e))",
        "open /- x -/ Nat in exact h",
        "-- the lemma `foo` says macro\n/- open /- a -/ theorem -/ exact h",
        "apply foo (μ := ν) (bar (f := fun x ↦ g x))\nexact baz (n := k) _",
        "rcases h with ⟨x, rfl⟩ | h\n· exact foo (n := k + 1)\n· simp",
        "have h : a = d := by\n  calc a = b := by simp\n    _ = c := by\n      rw [h]\n    _ = d := h\nexact h",
        "let f : Nat → Nat\n  | 0 => 1\n  | n + 1 => n\nexact h",
        "induction n with\n| zero => simp\n| succ n ih =>\n  have := |n - 1|\n  exact foo ih",
        "first\n  | exact h\n  | simp <;> omega\nall_goals try simp\niterate 2 rfl",
        "conv_lhs => rw [h]; simp\nconv at h in (_ + _) =>\n  rhs\n  rw [foo (n := k)]",
        "exact foo h.end (by\n    simp) h.1.2.let",
        "case inl h | inr h => exact h",
        "convert foo x\nwith y <;> simp",
        "exact le_trans h\n  (foo (by simp)\n    h)\nsimp? says simp only [h]",
        "simp (discharger := first | simp | omega) [h]",
        "exact let x := 1; foo x",
        "simp_all +arith -zeta only",
    ],
)
def test_tactics_pass(tactic):
    assert refused_text(tactic) is None


@pytest.mark.parametrize(
    ("tactic", "token"),
    [
        ("#eval 1", "#eval"),
        ("exact h\n#print axioms t", "#print"),
        ("exact h\n  #unknown_command x", "#unknown_command"),
        ('run_tac Lean.logInfo m!""', "run_tac"),
        ('macro "trivial" : tactic => `(tactic| sorry)', "macro"),
        ('exact h\nmacro "rfl" : tactic => `(tactic| sorry)', "macro"),
        ('elab "x" : tactic => pure ()', "elab"),
        ("set_option debug.skipKernelTC true in simp", "set_option"),
        ("set_option compiler.extract_closed false in simp", "set_option"),
        ("set_option maxRecDepth (f 1) in simp", "set_option"),
        ("set_option maxRecDepth 5\nsimp", "set_option"),
        ("open Nat", "open"),
        ("exact h\nopen Nat", "open"),
        ("exact h in open Nat in exact h", "open"),
        ("open Nat in attribute [simp] foo", "attribute"),
        ("open Lean in exact h", "open"),
        ("open Nat Lean.Elab in exact h", "open"),
        ("open IO.Process in exact h", "open"),
        ("let rec @[term_elab foo] f := 1; exact h", "@["),
        ("exact h\n#a x", "#a"),
        ("exact h\naxiom cheat : False", "axiom"),
        ("exact h\nend Foo", "end"),
        ("local instance : Add Nat := ⟨Nat.mul⟩", "local"),
        ("exact h⁻¹macro", "macro"),
        ("exact λmacro", "macro"),
        ("exact h;macro", "macro"),
        ('skip --macro "\nmacro', "macro"),
        ("skip /- -- macro", "macro"),
        ("cases h with | inl h | inr h\nrun_tac x", "run_tac"),
        ("exact f <-- macro", "macro"),
        ("exact f --- macro\nmacro", "macro"),
        ("exact f;-- macro", "macro"),
        ("exact «a -- » macro", "macro"),
        ("exact 0x1macro", "macro"),
        ("exact 0b1set_option", "set_option"),
        ("exact 1e5macro", "macro"),
        ("exact 1.5e-3macro", "macro"),
        ("exact 1_000macro", "macro"),
        ("exact f 'a'macro", "macro"),
        ("exact f '\\n'macro", "macro"),
        ("exact h in dsimproc x (_) := fun e => do return .continue", "dsimproc"),
        ("exact h in variable? [Field k]", "variable?"),
        ('exact "macro"', "macro"),
        ("exact «macro»", "macro"),
        ("attribute [simp] foo in simp", "attribute"),
        ("unsafe exact h", "unsafe"),
        ("exact (add (unsafe h))", "unsafe"),
        ("theorem u : False := u", "theorem"),
        ("exact h\nopaque x : Nat", "opaque"),
        ('notation "⊢" => True', "notation"),
    ],
)
def test_commands_are_refused(tactic, token):
    refused = refused_text(tactic)
    assert refused is not None
    assert refused.startswith("refused: ")


@pytest.mark.parametrize("tactic", ["exact h\naxiom cheat : False", "exact h⁻¹macro", 'exact "macro"'])
def test_the_message_names_the_command(tactic):
    word = "axiom" if "axiom" in tactic else "macro"
    assert refused_text(tactic) == (
        f"refused: `{word}` is a command, expected a tactic (whole tokens are compared, strings included)"
    )


@pytest.mark.parametrize(
    ("tactic", "token"),
    [
        ("exact unsafePerformIO x", "unsafePerformIO"),
        ("exact sorryAx False", "sorryAx"),
        ("exact Lean.ofReduceBool a b rfl", "Lean.ofReduceBool"),
        ("exact Lean.«ofReduceBool» a b rfl", "Lean.«ofReduceBool»"),
        ("exact «Lean».Elab.Tactic.run x", "«Lean».Elab.Tactic.run"),
        ("simp (config := (Lean.saveModuleData p `a d) ())", None),
        ("simp (config := (Lean.loadDynlib p) ())", "Lean.loadDynlib"),
        ("exact Lake.env x", "Lake.env"),
        ("exact unsafeFoo x", "unsafeFoo"),
        ("exact _root_.Lean.Elab.Tactic.run x", None),
        ("exact Lean.Elab.Tactic.run x", "Lean.Elab.Tactic.run"),
        ("exact (by_elab return x)", "by_elab"),
        ("exact eval% x", "eval"),
        ('have := include_str "/etc/passwd"', "include_str"),
        ("bv_decide", "bv_decide"),
        ("intro x <;> bv_decide?", "bv_decide?"),
        ('bv_check "../../../../etc/passwd"', "bv_check"),
        ('set_option sat.solver "/bin/sh" in simp', "set_option"),
    ],
)
def test_what_evaluates_is_refused(tactic, token):
    refused = refused_text(tactic)
    assert refused is not None
    assert token is None or f"`{token}`" in refused


def test_an_unknown_tactic_is_refused_with_the_way_to_allow_it():
    refused = refused_text("skip <;> my_tactic x")
    assert refused is not None
    assert "`my_tactic`" in refused
    assert "allow_tactics" in refused
    assert refused_text("skip <;> my_tactic x", ["my_tactic"]) is None
    assert refused_text("my_tactic (config := e)", ["my_tactic"]) is not None


@pytest.mark.parametrize(
    "text",
    [
        "theorem t : (by simp (config := evil); exact True)",
        "theorem t (x : Nat := by evil) : True",
        "structure S where\n  x : Nat := by evil\n  y : Nat",
        "def f (n : Nat) : Nat := f (n - 1)\ndecreasing_by evil",
        "def f (n : Nat) : Nat := f (n - 1)\ntermination_by n\ndecreasing_by\n  simp\n  evil",
        "theorem a : True := by simp\ntheorem b : True := by\n  evil",
        'theorem t : (by trace "" ++ evil; exact True)',
        "def f : Nat → Nat\n  | 0 => by evil\n  | n => n",
        "def x := by_elab evil",
    ],
)
def test_statements_and_contexts_that_evaluate_are_refused(text):
    assert refused_commands(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p",
        "open Nat in\ntheorem t : foo (n := 1) = |x|",
        "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => f n\ntermination_by n => n\ndecreasing_by simp",
        "structure S where\n  x : Nat := by exact 1\n  y : Nat := 2\nnamespace A\nvariable (n : Nat)\nend A",
        "/-- A doc comment with a lemma. -/\nlemma a : True := by\n  simp\n\ndef x := fun y ↦ y + 1",
        "set_option maxRecDepth 100 in\ninductive T | a | b deriving DecidableEq",
    ],
)
def test_plain_statements_and_contexts_pass(text):
    assert refused_commands(text) is None


def test_a_long_text_is_read_once():
    for text in (
        "x" * 1_000_000,
        "a." * 200_000,
        "«" * 20_000,
        "exact " + "(" * 20_000,
        "exact f\n  x" * 5_000,
    ):
        refused = refused_text(text)
        assert refused is None or len(refused) < 500


@pytest.mark.parametrize("name", ["x" + ".x" * 200, "h." + "«a b»." * 200 + "c", "x" + ".x" * 9000])
def test_a_name_that_would_hold_lean_is_refused(name):
    for text in (f"exact {name}", f"exact ({name})", f"exact (h).{name}", f"simp [{name}]"):
        assert "parts, expected at most 200" in refused_text(text)
    assert refused_text("exact x" + ".x" * 199) is None
    assert "parts, expected at most 200" in refused_commands(f"theorem t : {name} := sorry")
