"""Text that has real Lean run a program: none of it may reach the process that judges.

No name of a program need occur in it: `.Process.output` is `IO.Process.output` where an `IO` action is expected.
"""

from __future__ import annotations

import pytest

from lean_gym.verification.tactic_filter import refused_text

PAYLOAD = '(fun _ => {}) ((timeit "" (.Process.output {cmd := "sh"})) ())'

OPTION_VALUES = [
    "simp (config := E)",
    "simp (maxSteps := E)",
    "simp(config:=E)",
    "simp! (config := E)",
    "simp? (maxSteps := E)",
    "simp_all? (maxSteps := E)",
    "(simp?! (maxSteps := E))",
    "(congr! (config := E))",
    "simp_all at *\nsome_new_tactic (config := E)",
    "simp at h ⊢\nsome_new_tactic (config := E)",
    "simp +arith (maxSteps := E)",
    "simp -zeta +contextual (maxSteps := 5) (config := E)",
    "simp (disch := omega) (maxSteps := E)",
    "simp only (config := E) [h]",
    "simp\n  (config := E)",
    "simp\t(config := E)",
    "simp (config\n:=\nE)",
    "simp (config := { maxSteps := E })",
    "simp (config := { decide := true, maxSteps := E })",
    "simp (config := { E with decide := true })",
    "simp (config := by exact E)",
    "simp (maxSteps := 5 + E)",
    "simp (maxSteps := 5 |> E)",
    "simp (config := .foo E)",
    "simp (config := .Process.output {})",
    "simp (maxSteps := x)",
    'simp (maxSteps := s!"{E}")',
    'simp (maxSteps := "{E}")',
    "simp («config» := E)",
    "simp (config.maxSteps := E)",
    "simp /- c -/ (config := E)",
    "simp (/- c -/ config := E)",
    "simp (config /- c -/ := E)",
    "simp (config := {} /- ) -/ |> E)",
    'simp -- a "quoted" comment\n  (config := E)',
    'simp ( -- a "quoted" comment\nconfig := E)',
    'simp (config -- a "quoted" comment\n := E)',
    'trace "/-"; simp /- -/ (config := E)',
    "skip; simp (config := E)",
    "skip <;> simp (config := E)",
    "· simp (config := E)",
    "(simp (config := E))",
    "first | simp (config := E) | skip",
    "case a => simp (config := E)",
    "exact by simp (config := E)",
    "exact (by\n  simp (config := E))",
    "exact f (by simp (config := E)) h",
    "have := foo (n := by simp (config := E))",
    "conv => simp (config := E)",
    "dsimp (config := E)",
    "rw (config := E) [h]",
    "omega (config := E)",
    "decide (config := E)",
    "apply (config := E) h",
    "linarith (config := E) [h]",
    "norm_num (maxSteps := E)",
    "ring_nf (config := E)",
    "aesop (add safe f) (config := E)",
    "aesop (simp_config := E)",
    "aesop (rule_sets := [E])",
    "grind (splits := E)",
    "bv_decide (timeout := E)",
    "solve_by_elim (config := E)",
    "use (discharger := skip) (config := E)",
    "open Nat in simp (config := E)",
    "set_option maxRecDepth 5 in simp (config := E)",
    "some_new_tactic (config := E)",
    "skip\nsome_new_tactic (config := E)",
    "try some_new_tactic (config := E)",
    "skip; some_new_tactic (config := E)",
    "(config := E)",
]

EVALUATORS = [
    "native_decide",
    "have : (E) = {} := by native_decide",
    "decide +native",
    "decide + native",
    "decide (native := true)",
    "decide (config := { native := true })",
    "plausible",
    "slim_check",
    "plausible (config := {})",
    "exact «native_decide»",
    "trace E",
    "trace (E)",
    'trace s!"{E}"',
    "skip; trace E",
    "first | trace E | skip",
    "(trace E)",
    "success_if_fail_with_msg E skip",
    "run_tac E",
    "exact by_elab E",
    "exact eval% E",
    "conv => run_conv E",
    "with_panel_widgets [E] skip",
    "exact Lean.ofReduceBool a b rfl",
    "open Lean in exact ofReduceBool a b rfl",
    "let rec @[term_elab x] f := E; exact f",
    "let rec @[init] f := E; exact f",
    'exact include_str "/etc/passwd"',
    "polyrith",
    "set_option debug.skipKernelTC true in exact h",
]


@pytest.mark.parametrize("text", [*OPTION_VALUES, *EVALUATORS])
def test_what_lean_would_evaluate_is_refused(text: str) -> None:
    refused = refused_text(text.replace("E", PAYLOAD))
    assert refused is not None
    assert refused.startswith("refused: ")
