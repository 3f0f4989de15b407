"""Every format, byte by byte: the texts below are written out from the published sources."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from trainers.policies.premises import Premise
from trainers.policies.presets.base import Mistake, Prompt, Shown
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.presets.ntp import TRUNCATED, file_so_far
from trainers.policies.presets.repair import goedel_errors, in_file, kimina_turn
from trainers.policies.presets.reprover import PREMISE_BYTES

STATE = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
SHOWN = Shown(STATE, "swap", "theorem swap (p q : Prop) : p ∧ q → q ∧ p", tactics=("intro h", "skip"))
H = "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat\n\n"
STATEMENT = "theorem swap (p q : Prop) : p ∧ q → q ∧ p"
PLAN = (
    "\n\nBefore producing the Lean 4 code to formally prove the given theorem, provide a detailed proof plan "
    "outlining the main proof steps and strategies.\nThe plan should highlight key ideas, intermediate lemmas, and "
    "proof structures that will guide the construction of the final formal proof."
)
NTP = "/- You are proving a theorem in Lean 4.\nYou are given the following information:\n"
NTP_STATE = (
    "- The current proof state, inside [STATE]...[/STATE]\n\nYour task is to generate the next tactic in the proof.\n"
    "Put the next tactic inside [TAC]...[/TAC]\n-/\n"
)
FILE = "theorem swap (p q : Prop) : p ∧ q → q ∧ p := by\n  intro h\n  skip\n  "
LEANDOJO = (
    "### System:\nYou are a Lean 4 tactic generator. Given a goal state, output exactly ONE Lean tactic that "
    "advances or solves the goal.\nRules:\n- Output only the tactic text; no prose, quotes, or code fences.\n"
    "- Single line only; no `by` blocks.\n- Never use `sorry` or `admit`.\n"
    "### User:\np q : Prop\nh : p ∧ q\n⊢ q ∧ p\n\n### Assistant:\n"
)
REAL = (
    "User: Please generate a tactic in lean4 to solve the state.\nHere're some theorems that may be helpful:\n\n"
    "STATE:\np q : Prop\nh : p ∧ q\n⊢ q ∧ p\nTACTIC:\n\nAssistant:"
)
V15 = f"Complete the following Lean 4 code:\n\n```lean4\n{H}{STATEMENT} := by\n"

PROMPTS: dict[str, Prompt] = {
    "reprover": "p q : Prop\nh : p ∧ q\n⊢ q ∧ p",
    "reprover-retrieval": "p q : Prop\nh : p ∧ q\n⊢ q ∧ p",
    "reprover-decoder": "[GOAL]\np q : Prop\nh : p ∧ q\n⊢ q ∧ p\n[PROOFSTEP]\n",
    "llmstep": "[GOAL]p q : Prop\nh : p ∧ q\n⊢ q ∧ p[PROOFSTEP]",
    "ntp-state": f"{NTP}{NTP_STATE}[STATE]\n{STATE}\n[/STATE]\n[TAC]\n",
    "ntp-context": (
        f"{NTP}- The file contents up to the current tactic, inside [CTX]...[/CTX]\n{NTP_STATE}"
        f"[CTX]\n{FILE}\n[/CTX]\n[STATE]\n{STATE}\n[/STATE]\n[TAC]\n"
    ),
    "internlm2-math-plus": (
        "<|im_start|>user\nMy LEAN 4 state is:\n```lean\np q : Prop\nh : p ∧ q\n⊢ q ∧ p```\nPlease predict a possible "
        "tactic to help me prove the theorem.<|im_end|>\n<|im_start|>assistant\n"
    ),
    "internlm2-step": (
        "<|im_start|>user\nDECL swap\nGOAL p q : Prop\nh : p ∧ q\n⊢ q ∧ p\n<|im_end|>\n<|im_start|>assistant\n"
    ),
    "internlm2.5-step": (
        "<|im_start|>user\n---\nNAME: swap\n\n---\nPROOF_BEFORE: intro h\nskip\n\n---\nSTATE_BEFORE: p q : Prop\n"
        "h : p ∧ q\n⊢ q ∧ p\n\n---\nTACTIC: <|im_end|>\n<|im_start|>assistant\n"
    ),
    "bfs-prover-v1": "p q : Prop\nh : p ∧ q\n⊢ q ∧ p:::",
    "bfs-prover-v2": "p q : Prop\nh : p ∧ q\n⊢ q ∧ p:::",
    "real-prover": REAL,
    "reaper": REAL,
    "deepseek-prover-v1.5": V15,
    "deepseek-prover-v1.5-cot": V15.replace(
        "code:", "code with explanatory comments preceding each line of code:"
    ),
    "deepseek-prover-v2": [
        {
            "role": "user",
            "content": f"Complete the following Lean 4 code:\n\n```lean4\n{H}{STATEMENT} := by\n  sorry\n```{PLAN}",
        }
    ],
    "stp": V15,
    "goedel-v2": [
        {
            "role": "user",
            "content": f"Complete the following Lean 4 code:\n\n```lean4\n{H}{STATEMENT} := by sorry```{PLAN}",
        }
    ],
    "kimina": [
        {"role": "system", "content": "You are an expert in mathematics and Lean 4."},
        {
            "role": "user",
            "content": (
                "Think about and solve the following problem step by step in Lean 4.\n# Formal statement:\n```lean4\n"
                f"{H}{STATEMENT} := by\n```\n"
            ),
        },
    ],
    "leandojo-v2": LEANDOJO,
}


def test_each_preset_has_its_format_here() -> None:
    assert set(PROMPTS) == set(PRESETS)


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompt(name: str) -> None:
    assert PRESETS[name].prompt(SHOWN) == PROMPTS[name]


ANSWERS = {
    "reprover": ("rw [<a>Nat.add_comm</a>]", "rw [Nat.add_comm]"),
    "reprover-decoder": ("exact <a>And.symm</a> h", "exact And.symm h"),
    "llmstep": (" simp \n", "simp"),
    "ntp-state": ("exact h\n[/TAC]\n[STATE]", "exact h"),
    "ntp-context": ("  exact h\n[/TAC]", "exact h"),
    "internlm2-math-plus": (
        "Here is the predicted next tactic:\n```lean\nnorm_num [h]\n```",
        "norm_num [h]",
    ),
    "internlm2-step": ("PROOFSTEP induction n with t Ht", "induction n with t Ht"),
    "internlm2.5-step": ("rw [← Nat.mod_add_div]\n", "rw [← Nat.mod_add_div]"),
    "bfs-prover-v2": ("nlinarith [sq_nonneg a]", "nlinarith [sq_nonneg a]"),
    "real-prover": ("<think>\nby symmetry\n</think>\n\nexact h.symm", "exact h.symm"),
    "reaper": ("exact h", "exact h"),
    "leandojo-v2": ("\nintro h <;> simp\nexact h", "intro h"),
    "deepseek-prover-v1.5": (
        "  intro h\n  cases h with\n  | intro a b => exact ⟨b, a⟩\n```\n",
        "intro h\ncases h with\n| intro a b => exact ⟨b, a⟩",
    ),
    "deepseek-prover-v2": (
        f"### Plan\n```lean4\nskip\n```\nDone:\n```lean4\n{H}{STATEMENT} := by\n  intro h\n  exact h.symm\n```",
        "intro h\nexact h.symm",
    ),
    "goedel-v2": (
        f"```lean4\n{STATEMENT} := by\n  have x : p := by\n    tauto\n```",
        "have x : p := by\n  tauto",
    ),
    "kimina": (
        f"<think>```lean4\nimport A\ntheorem x := by\n  bad\n```</think>\n```lean4\n{H}{STATEMENT} := by\n  tauto\n```"
        "\n```lean4\n#eval 1\n```",
        "tauto",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_is_cleaned(name: str) -> None:
    answer, tactic = ANSWERS[name]
    assert PRESETS[name].clean(answer) == tactic


@pytest.mark.parametrize("name", PRESETS)
def test_an_answer_for_training_is_read_back(name: str) -> None:
    tactic = "intro h\nexact h.symm" if PRESETS[name].action == "proof" else "exact h.symm"
    assert PRESETS[name].clean(PRESETS[name].answer(tactic)) == tactic


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("bfs-prover-v2", "sorry"),
        ("bfs-prover-v2", "exact (by admit)"),
        ("bfs-prover-v2", "native_decide"),
        ("bfs-prover-v2", "simpa using foo ?_"),
        ("leandojo-v2", "sorry\nexact h"),
        ("goedel-v2", "```lean4\ntheorem t : p := by\n  exact?\n```"),
        ("goedel-v2", "no block"),
        ("kimina", "```lean4\ntheorem t : p := by\n  simp\n```"),
    ],
)
def test_an_answer_is_dropped(name: str, answer: str) -> None:
    assert PRESETS[name].clean(answer) == ""


@pytest.mark.parametrize(
    "tactic", ["exact admitted h", "exact Foo.sorry_free", "simpa using h", "refine ⟨?_, h⟩"]
)
def test_a_like_answer_is_kept(tactic: str) -> None:
    assert PRESETS["bfs-prover-v2"].clean(tactic) == tactic


def test_premises_of_reprover_stand_in_marks_with_the_best_one_last() -> None:
    premises = (
        Premise("And.symm", "theorem And.symm : a ∧ b → b ∧ a"),
        Premise("Nat.add_comm", "theorem add_comm (n m : ℕ) : n + m = m + n"),
    )
    assert PRESETS["reprover-retrieval"].prompt(replace(SHOWN, premises=premises)) == (
        "theorem <a>Nat.add_comm</a> (n m : ℕ) : n + m = m + n\n\n"
        "theorem <a>And.symm</a> : a ∧ b → b ∧ a\n\n"
        "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    )


def test_a_premise_of_reprover_that_is_too_long_is_skipped_for_the_next() -> None:
    left = PREMISE_BYTES - len(STATE.encode())
    long = Premise("long", "theorem long " + "∧" * (left // 3))
    exact = Premise("fits", "theorem fits ".ljust(left - 2 - len("<a></a>"), "x"))
    prompt = PRESETS["reprover-retrieval"].prompt(replace(SHOWN, premises=(long, exact)))
    assert isinstance(prompt, str)
    assert prompt.startswith("theorem <a>fits</a> xxx")
    assert len(prompt.encode()) == PREMISE_BYTES
    longer = replace(exact, code=exact.code + "x")
    assert PRESETS["reprover-retrieval"].prompt(replace(SHOWN, premises=(longer,))) == STATE


def test_premises_of_real_prover() -> None:
    premises = (Premise("And.symm", "a ∧ b → b ∧ a"), Premise("And.left", "a ∧ b → a"))
    assert PRESETS["real-prover"].prompt(replace(SHOWN, premises=premises)) == REAL.replace(
        "helpful:\n\n",
        "helpful:\nFormal name: And.symm\nFormal statement: a ∧ b → b ∧ a\n"
        "Formal name: And.left\nFormal statement: a ∧ b → a\n",
    )


def test_the_problem_in_words() -> None:
    told = replace(SHOWN, informal="Swap them.")
    v15, kimina = PRESETS["deepseek-prover-v1.5"].prompt(told), PRESETS["kimina"].prompt(told)
    assert v15 == V15.replace("theorem swap", "/-- Swap them. -/\ntheorem swap")
    assert isinstance(kimina, list)
    assert kimina[1]["content"].startswith(
        "Think about and solve the following problem step by step in Lean 4.\n# Problem: Swap them.\n"
        "# Formal statement:\n"
    )


def test_a_context_of_its_own_stands_above_the_statement_once() -> None:
    own = replace(SHOWN, context="open BigOperators Real Nat Topology Rat\nvariable (r : Prop)")
    v15 = PRESETS["deepseek-prover-v1.5"].prompt(own)
    assert v15 == V15.replace("theorem swap", "variable (r : Prop)\n\ntheorem swap")


def test_the_middle_of_a_long_file_is_cut() -> None:
    file = replace(SHOWN, imports=("Mathlib",), context="variable (r : Prop)")
    assert file_so_far(file) == f"import Mathlib\n\nvariable (r : Prop)\n\n{FILE}"
    whole = file_so_far(SHOWN)
    assert file_so_far(replace(SHOWN, keep=len(whole))) == whole
    assert (
        file_so_far(replace(SHOWN, keep=9)) == whole[:4] + "\n\n /- [LONG FILE TRUNCATED] -/\n\n" + whole[-5:]
    )
    assert file_so_far(replace(SHOWN, keep=0)) == TRUNCATED


@dataclass(frozen=True)
class At:
    """An error."""

    line: int
    column: int
    end_line: int | None
    end_column: int | None
    message: str
    goals: str = ""


FAILED = replace(
    SHOWN,
    attempt=f"{STATEMENT} := by\n  intro h\n  exact k",
    mistakes=(At(3, 8, 3, 9, "unknown 'k'"),),
)
CODE = "import Mathlib\n\ntheorem t (p : Prop) (h : p) : p := by\n  skip\n  skip\n  skip\n  exact k"


def test_errors_of_goedel_on_one_line() -> None:
    mistakes: list[Mistake] = [At(7, 8, 7, 9, "unknown identifier 'k'")]
    assert goedel_errors(CODE, mistakes) == (
        "\nError 1:\n\nCorresponding Code:\n```lean4\ntheorem t (p : Prop) (h : p) : p := by\n  skip\n  skip\n  skip\n"
        "  exact <error>k</error>\n\n```\n\nError Message: unknown identifier 'k'\n"
    )


def test_errors_of_goedel_over_lines_and_without_an_end() -> None:
    over: list[Mistake] = [At(3, 35, 4, 6, "unsolved goals"), At(1, 0, None, None, "no module")]
    assert goedel_errors(CODE, over) == (
        "\nError 1:\n\nCorresponding Code:\n```lean4\nimport Mathlib\n\ntheorem t (p : Prop) (h : p) : p :=<error> by\n"
        "  skip</error>\n\n```\n\nError Message: unsolved goals\n"
        "\nError 2:\n\nCorresponding Code:\n```lean4\n<error>import Mathlib</error>\n\n```\n"
        "\nError Message: no module\n"
    )


def test_long_and_many_errors_of_goedel_are_cut() -> None:
    code = "by\n" + "".join(f"  step{n}\n" for n in range(12)) + "  end"
    assert goedel_errors(code, [At(1, 0, 14, 5, "bad")]) == (
        "\nError 1:\n\nCorresponding Code:\n```lean4\n<error>by\n  step0\n  step1\n  step2\n  step3\n  step4\n\n"
        "  ... --[Truncated]-- ...\n  end</error>\n\n```\n\nError Message: bad\n"
    )
    nine = goedel_errors(code, [At(1, 0, 1, 2, "bad")] * 9)
    assert nine.count("Error Message: bad") == 8
    assert nine.endswith("\n... [Omitted 1 more errors] ...\n")


def test_the_repair_turn_of_goedel() -> None:
    failed = replace(
        SHOWN,
        attempt=f"{STATEMENT} := by\n  intro h\n  exact k",
        mistakes=(At(3, 8, 3, 9, "unknown 'k'"),),
        round=2,
    )
    messages = PRESETS["goedel-v2"].prompt(failed)
    assert isinstance(messages, list)
    assert [one["role"] for one in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"] == f"```lean4\n{H}{STATEMENT} := by\n  intro h\n  exact k\n```"
    assert messages[2]["content"] == (
        "The proof (Round 1) is not correct. Following is the compilation error message, where we use "
        "<error></error> to signal the position of the error.\n\n\nError 1:\n\nCorresponding Code:\n```lean4\n"
        f"open BigOperators Real Nat Topology Rat\n\n{STATEMENT} := by\n  intro h\n  exact <error>k</error>\n\n```\n\n"
        "Error Message: unknown 'k'\n\n\nBefore producing the Lean 4 code to formally prove the given theorem, "
        "provide a detailed analysis of the error message."
    )


def test_the_repair_turn_of_kimina() -> None:
    code = "import Mathlib\nimport Aesop\n\ntheorem t : p := by\n  skip\n  exact k\n  skip\n  skip"
    mistakes: list[Mistake] = [At(6, 8, 6, 9, " unknown 'k'\n", "h : p\n⊢ p\n\n⊢ q")]
    assert kimina_turn(code, mistakes) == (
        "# Error 1:\nGoals state before error position: \nh : p\n⊢ p\n⊢ q\n\nError message: \nunknown 'k'\n\n"
        "Lean 4 code snippet with error:\n```lean4\n002  | theorem t : p := by\n003  |   skip\n004 >|   exact k\n"
        "005  |   skip\n006  |   skip\n```\n"
    )
    without = kimina_turn(code, [At(4, 0, None, None, "bad")] * 4)
    assert without.count("# Error") == 3
    assert "Goals state" not in without


def test_errors_are_moved_into_the_file() -> None:
    failed = replace(
        SHOWN, attempt=f"{STATEMENT} := by\n  intro h\n  exact k", mistakes=(At(3, 8, 3, 9, "unknown 'k'"),)
    )
    code, (placed,) = in_file(failed)
    assert code.split("\n")[placed.line - 1][placed.column : placed.end_column] == "k"
