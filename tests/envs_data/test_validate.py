"""The validator accepts proofs and refuses wrong ones, on a scripted prover."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from envs_data.validate import (
    KINDS,
    confirm_with,
    false_variant,
    foreign_theorems,
    main,
    validate_theorem,
)
from lean_gym.backends.fake import FakeBackend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.errors import DataError
from lean_gym.types import Theorem, Verdict

# FakeBackend's toy logic: `split` halves `A ∧ B`, `left` and `right` choose, `trivial` closes `True`.
PAIR = Theorem("pair", "theorem pair : True ∧ True", domain="and", proof="split\ntrivial\ntrivial")
CHOICE = Theorem("choice", "theorem choice : True ∨ q", domain="or", proof="left\ntrivial")


class Gullible(FakeBackend):
    """A checker that believes everything."""

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        return Verdict(True)


def test_a_right_theorem_passes_all_checks() -> None:
    checks = validate_theorem(FakeBackend(), PAIR, [CHOICE])
    assert tuple(check.kind for check in checks) == KINDS
    assert [check.score for check in checks] == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert all(check.passed for check in checks)


def test_the_reasons_say_which_step_failed() -> None:
    reasons = {check.kind: check.reason for check in validate_theorem(FakeBackend(), PAIR, [CHOICE])}
    assert reasons["reference"] == ""
    assert reasons["truncated"] == "goals are left: ⊢ True"
    assert reasons["wrong term"].startswith("step 1 `exact True.intro`: ")
    assert reasons["foreign"].startswith("step 1 `left`: ")


@pytest.mark.parametrize("proof", ["split\ntrivial", "split\ntrivial\ntrivial\ntrivial", "trivial", "sorry"])
def test_a_wrong_reference_proof_scores_zero(proof: str) -> None:
    theorem = Theorem("pair", PAIR.statement, proof=proof)
    reference = validate_theorem(FakeBackend(), theorem)[0]
    assert (reference.kind, reference.score, reference.passed) == ("reference", 0.0, False)
    assert reference.reason


def test_a_checker_that_believes_everything_is_found_out() -> None:
    checks = {check.kind: check for check in validate_theorem(Gullible(), PAIR, [CHOICE])}
    assert checks["reference"].passed
    assert [kind for kind in KINDS if not checks[kind].passed] == list(KINDS[1:])


def test_a_theorem_without_proof_is_an_error() -> None:
    with pytest.raises(DataError, match="pair: field 'proof' is empty"):
        validate_theorem(FakeBackend(), Theorem("pair", PAIR.statement))


def test_lines_that_go_on_belong_to_their_step() -> None:
    proof = "intro h\n\ncases h with\n| inl a => exact a\n| inr b =>\n  exact b\ndone"
    assert proof_steps(proof) == [
        "intro h",
        "cases h with\n| inl a => exact a\n| inr b =>\n  exact b",
        "done",
    ]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("theorem t : True", "theorem t : False"),
        (
            "theorem t (p q : Prop) {n : Nat} : p → ∀ m : Nat, m = n",
            "theorem t (p q : Prop) {n : Nat} : False",
        ),
    ],
)
def test_the_false_variant_keeps_the_binders(statement: str, expected: str) -> None:
    assert false_variant(Theorem("t", statement)).statement == expected


def test_the_foreign_proof_is_the_next_longer_one_of_another_domain() -> None:
    def theorem(name: str, domain: str, steps: int) -> Theorem:
        return Theorem(name, f"theorem {name} : True", domain=domain, proof="\n".join(["skip"] * steps))

    theorems = [theorem("a", "x", 2), theorem("b", "x", 5), theorem("c", "y", 1), theorem("d", "y", 3)]
    chosen = [[other.name for other in foreign_theorems(theorems, index)] for index in range(4)]
    # a: b is of its own domain, c is shorter. b: nothing is longer, d is the longest. c: a comes before b.
    assert chosen == [["d"], ["d", "c"], ["a", "b"], ["b"]]
    assert foreign_theorems(theorems[:2], 0) == []


def test_a_foreign_script_that_is_a_proof_is_replaced_by_the_next() -> None:
    same = Theorem("same", "theorem same : True ∧ True", domain="other", proof=PAIR.proof)
    asked: list[list[str]] = []

    def confirm(theorem: Theorem, script: Sequence[str]) -> bool:
        asked.append(list(script))
        return True

    (check,) = [
        check
        for check in validate_theorem(FakeBackend(), PAIR, [same, CHOICE], confirm)
        if check.kind == "foreign"
    ]
    assert check.passed
    assert check.reason.startswith("step 1 `left`: ")
    assert asked == [proof_steps(PAIR.proof)]
    # Not confirmed, it is a failure.
    checks = {check.kind: check for check in validate_theorem(FakeBackend(), PAIR, [same, CHOICE])}
    assert not checks["foreign"].passed
    # Where all are proofs, there is nothing to check.
    assert "foreign" not in [c.kind for c in validate_theorem(FakeBackend(), PAIR, [same], confirm)]


def test_a_script_that_proves_two_theorems_of_the_set_logic_is_confirmed_on_the_embedded_lean() -> None:
    theorems = {theorem.name: theorem for theorem in load_theorems("logic")}
    script = proof_steps(theorems["prop_identity"].proof)
    with confirm_with("minilean") as confirm:
        assert confirm(theorems["eqn_refl"], script)
        assert not confirm(theorems["prop_imp_and_iff"], script)


def write(path: Path, *theorems: Theorem) -> str:
    rows = [
        {
            "name": theorem.name,
            "statement": theorem.statement,
            "domain": theorem.domain,
            "proof": theorem.proof,
        }
        for theorem in theorems
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_the_command_prints_a_table_and_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([write(tmp_path / "good.jsonl", PAIR, CHOICE), "--backend", "fake"]) == 0
    output = capsys.readouterr()
    table = output.out.splitlines()
    assert table[0] == "checks passed:"
    assert table[1].split()[:4] == ["set", "theorems", "reference", "truncated"]
    assert table[2].split()[1:9] == ["2"] * 8
    assert "2/2 theorems, 0 failures" in output.err


def test_the_command_names_each_failure_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Theorem("wrong", "theorem wrong : True ∧ p", domain="and", proof="split\ntrivial")
    unproved = Theorem("unproved", "theorem unproved : True", domain="or")
    assert main([write(tmp_path / "bad.jsonl", wrong, unproved, CHOICE), "--backend", "fake"]) == 1
    failures = [line for line in capsys.readouterr().out.splitlines() if "expected" in line]
    assert len(failures) == 2
    assert "wrong: reference: scored 0.0, expected 1.0: goals are left" in failures[0]
    assert "unproved: field 'proof' is empty" in failures[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logik"], "did you mean 'logic'?"),
        (["no/such.jsonl"], "no/such.jsonl: cannot be read"),
        (["--backend", "minilaen"], "did you mean 'minilean'?"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_unknown_flag_has_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--fast"])
    assert caught.value.code == 2
    assert "--fast" in capsys.readouterr().err


def test_a_broken_prover_has_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("envs_data.validate.create_backend", lambda name: FakeBackend(crash_on=["left"]))
    assert main([write(tmp_path / "good.jsonl", CHOICE)]) == 1
    assert "backend 'minilean' failed: " in capsys.readouterr().err


def test_a_limit_leaves_the_rest_of_a_set_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = Theorem("pair", PAIR.statement, domain="and", proof="trivial")
    path = write(tmp_path / "set.jsonl", CHOICE, wrong)
    assert main([path, "--backend", "fake", "--limit", "1"]) == 0
    assert "1/1 theorems" in capsys.readouterr().err
    assert main([path, "--backend", "fake", "--limit", "2"]) == 1


@pytest.mark.parametrize("limit", ["0", "-1", "x"])
def test_a_limit_is_a_positive_number(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([f"--limit={limit}"])
    assert caught.value.code == 2
    assert f"got '{limit}', expected a positive number" in capsys.readouterr().err


def test_a_wrong_flag_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"name": "t", "statement": "theorem t (p : Prop) : p → p", "proof": "intro h\nexact h"}
    path = tmp_path / "flags.jsonl"
    for flag, status in ((True, 0), (False, 1)):
        path.write_text(json.dumps(row | {"automation": flag}) + "\n", encoding="utf-8")
        assert main([str(path), "--automation"]) == status
        output = capsys.readouterr().out
        assert ("t: automation: is False, measured True" in output) is not flag
        assert f"1 flags `automation` checked, {status} wrong" in output
