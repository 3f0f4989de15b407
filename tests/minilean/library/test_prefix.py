"""The library before one of its declarations: nothing that stands later proves a theorem there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from minilean.kernel.declaration import TheoremDecl
from minilean.kernel.errors import UnknownConstant
from minilean.kernel.expr import Const, mk_const
from minilean.kernel.level import mk_param
from minilean.kernel.traversal import subterms
from minilean.library import library, load
from minilean.library.load import build_library, library_files, load_library, run_source
from minilean.library.prefix import PositionError, library_before, prefix_of
from minilean.library.theorems import LibraryTheorem, library_theorems
from minilean.meta.extension import TABLES, LeanEnv
from minilean.proof import Context, Problem, ProofError

PLANTED = """
inductive Planted.Colour where
  | red : Planted.Colour
  | green : Planted.Colour

def Planted.swap : Planted.Colour → Planted.Colour
  | Planted.Colour.red => Planted.Colour.green
  | Planted.Colour.green => Planted.Colour.red

theorem Planted.first (c : Planted.Colour) : Planted.swap (Planted.swap c) = c := by cases c <;> rfl

theorem Planted.second (c : Planted.Colour) : Planted.swap (Planted.swap c) = c := Planted.first c

@[simp] theorem Planted.restated (c : Planted.Colour) : Planted.swap (Planted.swap c) = c := Planted.first c

theorem Planted.third (c : Planted.Colour) : Planted.swap (Planted.swap c) = c := Planted.first c

def Planted.Good (c : Planted.Colour) : Prop := Planted.swap (Planted.swap c) = c

theorem Planted.good (c : Planted.Colour) : Planted.Good c := Planted.first c

theorem Planted.good_again (c : Planted.Colour) : Planted.Good c := Planted.good c

theorem Planted.apart (c : Planted.Colour) : Planted.swap c = c ↔ False := by
  cases c <;> exact Iff.intro (fun h => nomatch h) False.elim

theorem Planted.apart_again (c : Planted.Colour) : Planted.swap c = c ↔ False := Planted.apart c

attribute [simp] Planted.apart

theorem Planted.after_attribute (c : Planted.Colour) : Planted.swap c = c ↔ False := Planted.apart c

theorem Planted.inhabited : Nonempty Planted.Colour := Nonempty.intro Planted.Colour.red

instance Planted.instNonempty : Nonempty Planted.Colour := Planted.inhabited

theorem Planted.inhabited_again : Nonempty Planted.Colour := Planted.inhabited

structure Planted.Box where
  colour : Planted.Colour

theorem Planted.Box.same (a b : Planted.Box) (h : a.colour = b.colour) : a = b := by
  cases a; cases b; cases h; rfl

@[ext] theorem Planted.Box.equal (a b : Planted.Box) (h : a.colour = b.colour) : a = b := Planted.Box.same a b h

theorem Planted.Box.same_again (a b : Planted.Box) (h : a.colour = b.colour) : a = b := Planted.Box.same a b h
"""
SWAPPED = "(c : Planted.Colour) : Planted.swap (Planted.swap c) = c"
APART = "(c : Planted.Colour) : Planted.swap c = c ↔ False"
GOOD = "(c : Planted.Colour) : Planted.Good c"
INHABITED = ": Nonempty Planted.Colour"
BOXES = "(a b : Planted.Box) (h : a.colour = b.colour) : a = b"
AUTOMATION = (
    "exact?",
    "simp",
    "simp_all",
    "decide",
    "omega",
    "rfl",
    "first | omega | simp_all",
    "constructor <;> simp_all",
)


@pytest.fixture(scope="module")
def planted() -> LeanEnv:
    """A copy of the library with one more file."""
    library()
    env = load_library()
    errors: list[str] = []
    run_source(env, PLANTED, "Planted.lean", errors.append, trusted=True)
    assert errors == []
    env.history.end_file("Planted.lean")
    return env


def at(whole: LeanEnv, name: str, statement: str) -> Problem:
    env = prefix_of(whole, f"Planted.lean:Planted.{name}")
    return Problem.from_source(f"theorem Planted.{name} {statement}", env)


def proves(problem: Problem, tactic: str) -> bool:
    step = problem.apply(problem.start(), tactic)
    assert "internal error" not in (step.error or "")
    if step.state is None or step.state.goals:
        return False
    problem.check(step.state)
    return True


# --- what an environment before a declaration holds -------------------------------------------------------


def test_a_prefix_is_the_library_that_was_built_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, files = library(), library_files()
    part = files[: [path.name for path in files].index("Classical.lean")]
    monkeypatch.setattr(load, "library_files", lambda: part)
    built = build_library()
    ends = dict(whole.history.files)
    after = next(islice(whole.kernel, whole.history.sizes[ends[part[-1].name] - 1], None))
    before = library_before(f"Classical.lean:{after}")
    assert list(before.kernel) == list(built.kernel)
    for table in TABLES:
        if table != "hidden":
            mine, theirs = getattr(before, table), getattr(built, table)
            assert mine == theirs, table
            if isinstance(mine, dict):
                assert list(mine) == list(theirs), table


def test_every_table_that_the_library_fills_is_cut() -> None:
    first, last = library_before("Logic.lean:eq_comm"), library()
    for table in TABLES:
        size = len(getattr(last, table))
        if size > 10 and table != "hidden":
            assert len(getattr(first, table)) < size, table
    assert first.hidden == last.hidden


def test_two_prefixes_share_nothing_that_changes() -> None:
    one, other = library_before("NatBasic.lean:Nat.add_comm"), library_before("NatBasic.lean:Nat.add_assoc")
    for table in (*TABLES, "memo", "inline_lemmas"):
        if table != "hidden":
            assert getattr(one, table) is not getattr(other, table)
            assert getattr(one, table) is not getattr(library(), table)
    assert one.root is one


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("Nat.add_comm", "got 'Nat.add_comm', expected FILE:NAME"),
        ("NatBasic.lean:Nat.add_com", "did you mean 'Nat.add_comm'"),
        ("List.lean:Nat.add_comm", "declared in 'NatBasic.lean'; write 'NatBasic.lean:Nat.add_comm'"),
        ("", "expected FILE:NAME"),
    ],
)
def test_a_position_that_does_not_exist(position: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        library_before(position)


# --- the kernel -------------------------------------------------------------------------------------------


def test_the_kernel_refuses_every_theorem_as_its_own_proof() -> None:
    seen = 0
    for theorem in library_theorems():
        declaration = library().kernel.get(theorem.name)
        kernel = prefix_of(library(), theorem.position).kernel
        own = mk_const(theorem.name, tuple(map(mk_param, declaration.level_params)))
        with pytest.raises(UnknownConstant):
            kernel.check_proof(declaration.level_params, declaration.type, own)
        seen += 1
    assert seen > 2_000


def test_the_kernel_refuses_a_later_theorem() -> None:
    kernel = library_before("NatBasic.lean:Nat.add_comm").kernel
    later = library().kernel.get("Nat.add_right_comm")
    with pytest.raises(UnknownConstant):
        kernel.check_proof((), later.type, mk_const("Nat.add_right_comm"))
    assert "Nat.succ_add" in kernel
    assert "Nat.add_right_comm" not in kernel


def test_a_prefix_has_no_more_declarations_than_there_are() -> None:
    kernel = library().kernel
    for count in (-1, kernel.size + 1):
        with pytest.raises(ValueError, match=f"prefix of {count} declarations"):
            kernel.prefix(count)


# --- planted lemmas, attributes and instances -------------------------------------------------------------


def test_the_library_after_all_of_them_proves_each(planted: LeanEnv) -> None:
    """The cases below fail at their positions only because of these."""
    for statement, tactic in (
        (SWAPPED, "simp"),
        (APART, "simp"),
        (INHABITED, "infer_instance"),
        (BOXES, "ext; exact h"),
    ):
        assert proves(Problem.from_source(f"theorem t {statement}", planted), tactic), tactic


@pytest.mark.parametrize(
    "tactic", [*AUTOMATION, "exact Planted.first c", "rw [Planted.second]", "simp [Planted.restated]"]
)
def test_a_lemma_that_is_restated_later_does_not_prove_the_first(planted: LeanEnv, tactic: str) -> None:
    assert not proves(at(planted, "first", SWAPPED), tactic)


@pytest.mark.parametrize("name", ["second", "restated"])
def test_a_simp_lemma_counts_after_its_declaration(planted: LeanEnv, name: str) -> None:
    problem = at(planted, name, SWAPPED)
    assert not proves(problem, "simp")
    assert not proves(problem, "simp_all")
    assert not proves(problem, f"exact Planted.{name} c")
    assert not proves(problem, "exact Planted.restated c")
    assert proves(problem, "exact Planted.first c")
    assert proves(at(planted, "third", SWAPPED), "simp")


def test_the_search_finds_what_stands_before(planted: LeanEnv) -> None:
    problem = at(planted, "good", GOOD)
    assert not proves(problem, "exact?")
    assert not proves(problem, "exact Planted.good_again c")
    assert proves(problem, "exact Planted.first c")
    assert proves(at(planted, "good_again", GOOD), "exact?")


def test_a_later_attribute_does_not_count(planted: LeanEnv) -> None:
    problem = at(planted, "apart_again", APART)
    assert not proves(problem, "simp")
    assert not proves(problem, "simp_all")
    assert proves(problem, "simp [Planted.apart]")
    assert proves(at(planted, "after_attribute", APART), "simp")


def test_a_later_instance_does_not_count(planted: LeanEnv) -> None:
    for name in ("inhabited", "instNonempty"):
        problem = at(planted, name, INHABITED)
        assert not proves(problem, "infer_instance")
        assert not proves(problem, "exact Planted.instNonempty")
    assert proves(at(planted, "inhabited_again", INHABITED), "infer_instance")


def test_a_later_ext_lemma_does_not_count(planted: LeanEnv) -> None:
    problem = at(planted, "Box.equal", BOXES)
    assert not proves(problem, "ext; exact h")
    assert proves(at(planted, "Box.same_again", BOXES), "ext; exact h")


def test_positions_do_not_influence_each_other(planted: LeanEnv) -> None:
    names = ("third", "first", "restated", "second")
    tactics = ("simp", "simp_all", "exact Planted.first c", "omega")

    def verdicts(order: tuple[str, ...]) -> dict[tuple[str, str], bool]:
        problems = {name: at(planted, name, SWAPPED) for name in order}
        return {(name, tactic): proves(problems[name], tactic) for tactic in tactics for name in order}

    forward = verdicts(names)
    assert forward == verdicts(names[::-1])
    assert len(set(forward.values())) == 2


# --- the library's own theorems ---------------------------------------------------------------------------


def sample(every: int) -> Iterator[LibraryTheorem]:
    return islice(library_theorems(), 7, None, every)


def later_twins(theorem: LibraryTheorem) -> list[str]:
    """Return later theorems that state the same, and the two that follow."""
    kernel = library().kernel
    own = kernel.get(theorem.name)
    start = kernel.position(theorem.name)
    assert start is not None
    after = [kernel.get(name) for name in islice(kernel, start + 1, None)]
    proved = [declaration for declaration in after if isinstance(declaration, TheoremDecl)]
    twins = [declaration.name for declaration in proved if declaration.type is own.type]
    return [*twins, *(declaration.name for declaration in proved[:2])]


def cheats(theorem: LibraryTheorem) -> Iterator[str]:
    for name in [theorem.name, *later_twins(theorem)]:
        yield from (
            f"intros; exact {name}",
            f"exact @{name}",
            f"intros; apply {name}",
            f"intros; rw [{name}]",
            f"intros; simp [{name}]",
        )


def check_theorem(theorem: LibraryTheorem) -> int:
    """Try to prove a theorem by itself, by what follows and by automation; return the number of accepted proofs."""
    accepted = 0
    allowed = library().kernel.position(theorem.name)
    assert allowed is not None
    try:
        problem = Context(library_before(theorem.position), theorem.context).problem(theorem.statement)
    except ProofError:
        return 0  # its name is a keyword
    start = problem.start()
    for tactic in cheats(theorem):
        step = problem.apply(start, tactic)
        assert step.state is None, f"{theorem.position}: {tactic}"
        assert "internal error" not in str(step.error), f"{theorem.position}: {tactic}: {step.error}"
    for tactic in AUTOMATION:
        step = problem.apply(start, f"intros; {tactic}")
        assert "internal error" not in (step.error or ""), f"{theorem.position}: {tactic}: {step.error}"
        if step.state is None or step.state.goals:
            continue
        problem.check(step.state)
        for part in subterms(problem.proof_term(step.state)):
            if type(part) is Const:
                position = library().kernel.position(part.name)
                assert position is not None
                assert position < allowed, f"{theorem.position}: {tactic} uses {part.name}"
        accepted += 1
    return accepted


def test_no_sampled_theorem_is_proved_through_itself_or_later_ones() -> None:
    assert sum(check_theorem(theorem) for theorem in sample(131)) > 8


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_theorem_is_proved_through_itself_or_later_ones() -> None:
    assert sum(check_theorem(theorem) for theorem in library_theorems()) > 1_000


def test_omega_names_the_lemma_that_is_missing() -> None:
    env = library_before("NatBasic.lean:Nat.add_comm")
    problem = Problem.from_source("theorem Nat.add_comm (n m : Nat) : n + m = m + n", env)
    assert problem.apply(problem.start(), "omega").error == "Unknown constant `Nat.add_assoc`"
    step = problem.apply(problem.start(), "first | omega | skip")
    assert step.state is not None
    assert len(step.state.goals) == 1
