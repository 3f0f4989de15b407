"""`python -m trainers.prove --file`: files with `sorry`s, and files and proofs that try to cheat."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from lean_gym.datasets.formats.lean_source import commands
from minilean.check_command import check_text
from trainers.config.env import EnvConfig
from trainers.config.tasks import ProveConfig
from trainers.prove import main
from trainers.proving.editing import file_check
from trainers.proving.editing.file_check import Checked, Filled, check_file
from trainers.proving.editing.file_text import FileText
from trainers.proving.search import proving
from trainers.rollouts.env import opened_env

FLAGS = [
    "--policy",
    "someone/model",
    "--backend",
    "minilean",
    "--side-by-side",
    "2",
    "--tactics-from",
    "policy",
]
Fill = Callable[..., tuple[int, str]]


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prove and check in this process, which is faster."""

    def checked(text: str, root: Path | None) -> list[tuple[int, str, str]]:
        return [(message.line, message.severity, message.text) for message in check_text(text)]

    monkeypatch.setattr(file_check, "_messages", checked)
    monkeypatch.setattr(proving, "opened_env", partial(opened_env, num_workers=0))


@pytest.fixture
def fill(in_process: None, tell: Callable[..., object], tmp_path: Path) -> Fill:
    """Fill a file with listed tactics; return the exit code and the file after it."""

    def run(source: str | bytes, tactics: Sequence[str], *words: str) -> tuple[int, str]:
        path = tmp_path / "F.lean"
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        tell(*tactics)
        given = words or ("--in-place",)
        code = main(["--file", str(path), *FLAGS, "--samples", str(len(tactics)), "--tactics", "40", *given])
        return code, path.read_bytes().decode()

    return run


def errors(text: str) -> list[str]:
    return [message.text for message in check_text(text) if message.severity == "error"]


def test_every_sorry_is_filled_and_the_rest_stays(fill: Fill, capsys: pytest.CaptureFixture[str]) -> None:
    source = (
        "/-! sorry, a comment -/\n"
        "theorem a (p : Prop) (h : p) : p := sorry -- `sorry` for now\n\n"
        'def text : String := "sorry"\n'
        "/-- uses `a` -/\n"
        "theorem b : True ∧ True := by\n  constructor\n  · trivial\n  -- the rest\n  sorry\n\n"
        "example (q : Prop) (h : q) : q := by sorry\n"
        "theorem c : True := trivial\n"
    )
    code, text = fill(source, ["exact a _ trivial", "exact h"])
    assert code == 0
    expected = source.replace(": p := sorry --", ": p := by\n  exact h --")
    expected = expected.replace("  -- the rest\n  sorry\n", "  -- the rest\n  exact a _ trivial\n")
    assert text == expected.replace(": q := by sorry", ": q := by\n  exact h")
    assert errors(text) == []
    assert "3 filled in, 0 without; written to " in capsys.readouterr().out


def test_a_file_with_a_sorry_left_says_so(fill: Fill, capsys: pytest.CaptureFixture[str]) -> None:
    source = "theorem a : False := sorry\ndef n : Nat := sorry\ntheorem b : True := sorry\n"
    code, text = fill(source, ["trivial"])
    assert code == 1
    assert text == source.replace("True := sorry", "True := by\n  trivial")
    said = capsys.readouterr().out
    assert "-- a (line 1): not proved by best_first: " in said
    assert "-- line 2: left alone: it is in no proof of a theorem" in said
    assert "1 filled in, 2 without, on lines 1, 2; written" in said


@pytest.mark.parametrize(
    "declaration",
    [
        "theorem t' : True",
        "theorem t.{u} (α : Type u) (x : α) : True",
        "theorem «a name» : True",
        "theorem A.t : True",
        "private theorem t : True",
        "namespace A\nprotected theorem t : True",
        "namespace A\n@[simp] theorem _root_.t : True",
        "open Nat in\nset_option maxRecDepth 900 in\ntheorem t : True",
        "section\nvariable (p : Prop)\ntheorem t (h : p) : True",
        "nonrec theorem t : True",
        "set_option autoImplicit false\ntheorem t : True",
    ],
)
def test_names_and_forms_of_declarations(fill: Fill, declaration: str) -> None:
    code, text = fill(f"{declaration} := sorry\n", ["trivial"])
    assert (code, text) == (0, f"{declaration} := by\n  trivial\n")


def test_one_environment_serves_a_file_and_equal_names_are_told_apart(
    fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    monkeypatch.setattr(
        proving,
        "opened_env",
        lambda *given, **options: (opened.append(1), opened_env(*given, **options, num_workers=0))[1],
    )
    source = (
        "namespace A\ntheorem t : True := sorry\nend A\n"
        "namespace B\ntheorem t : False := sorry\ntheorem u : True ∧ True := sorry\nend B\n"
    )
    code, text = fill(source, ["trivial"])
    assert (code, text) == (1, source.replace("True := sorry", "True := by\n  trivial"))
    assert len(opened) == 1


def test_a_lemma_that_is_not_proved_is_not_used(fill: Fill) -> None:
    source = "theorem a : 1 = 2 := sorry\ntheorem b : 1 = 2 ∧ True := sorry\n"
    code, text = fill(source, ["exact ⟨a, trivial⟩", "simp [a]", "constructor", "exact a", "trivial"])
    assert (code, text) == (1, source)


def test_a_lemma_that_is_proved_is_used(fill: Fill) -> None:
    source = "theorem a : 2 = 1 + 1 := sorry\ntheorem b : 2 = 1 + 1 ∧ True := sorry\n"
    code, text = fill(source, ["rfl", "exact ⟨a, trivial⟩"])
    assert code == 0
    assert text.endswith("by\n  exact ⟨a, trivial⟩\n")


@pytest.mark.parametrize(
    "before",
    [
        # A lemma without proof has the name of one of the library.
        "namespace A\ntheorem And.intro {p : Prop} : p := sorry\n",
        # The tactic has another meaning behind a definition that is a `sorry`.
        'def anything : ∀ p : Prop, p := sorry\nmacro "trivial" : tactic => `(tactic| exact anything _)\n',
        'def anything : ∀ p : Prop, p := sorry\nmacro "win" : tactic => `(tactic| exact anything _)\n',
        "class Magic (p : Prop) where\n  proof : p\ninstance (p : Prop) : Magic p := sorry\n"
        "theorem cheat {p : Prop} [h : Magic p] : p := h.proof\n",
    ],
)
def test_a_file_cannot_make_a_proof_of_a_sorry(fill: Fill, before: str) -> None:
    wanted = "theorem t : 1 = 2 := sorry\ntheorem u : True ∧ True := sorry\n"
    attacks = ["exact And.intro", "trivial", "win", "exact cheat", "exact anything _"]
    assert fill(before + wanted.replace("theorem u : True ∧ True := sorry\n", ""), attacks)[0] == 1
    code, text = fill(before + wanted, ["exact ⟨.intro, .intro⟩", *attacks])
    assert code == 1
    # The honest neighbour is proved.
    assert text == before + wanted.replace("True := sorry", "True := by\n  exact ⟨.intro, .intro⟩")
    assert errors(text) == []


def test_a_proof_counts_in_its_place(fill: Fill, capsys: pytest.CaptureFixture[str]) -> None:
    # `proof` is one of the library's for the environment, and another one, without proof, in the file.
    before = "theorem proof : True := .intro\nnamespace A\n@[simp] theorem proof {p : Prop} : p := sorry\n"
    code, text = fill(before + "theorem t : True := sorry\ntheorem u : True := by sorry\n", ["exact proof"])
    assert code == 1
    assert text == before + "theorem t : True := sorry\ntheorem u : True := by sorry\n"
    said = capsys.readouterr().out
    assert said.count("not proved: in the file it may depend on a `sorry` or an axiom") == 2


@pytest.mark.parametrize(
    "attack",
    [
        "trivial\n\ntheorem x : False := sorry",
        "trivial\ntheorem x : False := sorry",
        "trivial /-",
        "trivial -- \r\ntheorem x : False := sorry",
        'trivial\n\nmacro "trivial" : tactic => `(tactic| sorry)',
        "exact sorry",
        "trivial; «sorry»",
        "exact (by sorry)",
        "done\n#eval 1",
    ],
)
def test_a_proof_text_cannot_end_its_theorem(fill: Fill, attack: str) -> None:
    source = "theorem t : True := sorry\n-/\n" if attack.endswith("/-") else "theorem t : True := sorry\n"
    if attack.endswith("/-"):
        source = "theorem t : True := sorry\n/- a comment -/\ntheorem u : 1 = 1 := rfl\n"
    assert fill(source, [attack]) == (1, source)
    code, text = fill(source, [attack, "trivial"])
    assert (code, text) == (0, source.replace(" sorry", " by\n  trivial"))


def test_a_comment_at_the_end_of_a_proof_hides_nothing(fill: Fill) -> None:
    source = "theorem t : True := sorry /- x -/\ntheorem u : True := by\n  sorry /-- d -/\ntheorem v : 1 = 1 := rfl\n"
    code, text = fill(source, ["trivial -- done"])
    assert code == 0
    assert errors(text) == []
    assert len(commands(text)) == 3


@pytest.mark.parametrize(
    ("proof", "tactics"),
    [
        # The value of a `have`, and tactics after it.
        ("have h : q := sorry\n  exact ⟨hp, h⟩", "have h : q := by\n    exact hq\n  exact ⟨hp, h⟩"),
        ("have h : q := by sorry\n  exact ⟨hp, h⟩", "have h : q := by\n    exact hq\n  exact ⟨hp, h⟩"),
        (
            "have h : q :=\n    sorry\n  exact ⟨hp, h⟩",
            "have h : q :=\n    by\n      exact hq\n  exact ⟨hp, h⟩",
        ),
        (
            "have h : q := by\n    skip\n    sorry -- x\n  exact ⟨hp, h⟩",
            "have h : q := by\n    skip\n    exact hq -- x\n  exact ⟨hp, h⟩",
        ),
        # Bullets, with others before and after.
        ("constructor\n  · sorry\n  · exact hq", "constructor\n  · exact hp\n  · exact hq"),
        (
            "constructor\n  · exact hp\n  · skip\n    sorry",
            "constructor\n  · exact hp\n  · skip\n    exact hq",
        ),
        (
            "constructor\n  · have h : p := by\n      sorry\n    exact h\n  · exact hq",
            "constructor\n  · have h : p := by\n      exact hp\n    exact h\n  · exact hq",
        ),
        ("refine ⟨?_, ?_⟩\n  sorry\n  exact hq", "refine ⟨?_, ?_⟩\n  exact hp\n  exact hq"),
    ],
)
def test_a_sorry_inside_a_proof_is_filled(fill: Fill, proof: str, tactics: str) -> None:
    head = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  "
    code, text = fill(f"{head}{proof}\n", ["exact ⟨hp, hq⟩", "exact hp", "exact hq"])
    assert (code, text) == (0, f"{head}{tactics}\n")


def test_a_goal_inside_a_proof_is_not_proved_by_what_comes_after(fill: Fill) -> None:
    # The tactics after the `sorry` cannot stand in for it, and its goal cannot be left to them.
    source = "theorem t (p q : Prop) (hq : q) : p ∧ q := by\n  constructor\n  · sorry\n  · exact hq\n"
    attacks = [
        "exact hq",
        "rotate_left",
        "skip",
        "swap",
        "exact hq\nexact hq",
        "case right => exact hq",
        "sorry",
    ]
    assert fill(source, attacks) == (1, source)
    # A tactic that proves the other goal as well leaves nothing for the tactics after it.
    source = source.replace("(hq : q)", "(hp : p) (hq : q)")
    assert fill(source, ["all_goals assumption"]) == (1, source)
    assert fill(source, ["all_goals assumption", "assumption"])[0] == 0


def test_bytes_of_the_file_are_kept(fill: Fill, tmp_path: Path) -> None:
    head = b"\xef\xbb\xbf-- mixed\n"
    source = (
        head + "theorem a : True ∧ True := by\r\n  constructor\r\n  · trivial\r\n  sorry\r\n-- end".encode()
    )
    path = tmp_path / "F.lean"
    path.write_bytes(source)
    path.chmod(0o640)
    code, _ = fill(source, ["skip\ntrivial"])
    assert code == 0
    assert path.read_bytes() == source.replace(b"  sorry\r\n", b"  skip\r\n  trivial\r\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link_and_another_file_gets_the_permissions(fill: Fill, tmp_path: Path) -> None:
    source = "theorem a : True := sorry"
    out = tmp_path / "G.lean"
    code, text = fill(source, ["trivial"], "--out", str(out))
    assert (code, text) == (0, source)
    assert out.read_text() == "theorem a : True := by\n  trivial"
    assert out.stat().st_mode == (tmp_path / "F.lean").stat().st_mode
    link = tmp_path / "L.lean"
    link.symlink_to(tmp_path / "F.lean")
    read = FileText.read(link)
    read.write(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "F.lean").read_bytes() == b"new"
    # The file is not the one that was read any more.
    with pytest.raises(ValueError, match="was changed while proofs were searched"):
        read.write(link, b"newer")
    assert (tmp_path / "F.lean").read_bytes() == b"new"


def test_without_a_target_the_file_is_printed_and_json_tells_each(
    fill: Fill, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "theorem c : 1 = 2 := sorry\ntheorem a : True := sorry\ntheorem b : 1 = 2 := by\n  have := c\n  sorry\n"
    assert fill(source, ["trivial"], "--seed", "0") == (1, source)
    said = capsys.readouterr().out
    assert said.startswith(source.replace("True := sorry", "True := by\n  trivial") + "-- c (line 1)")
    assert "-- b (line 5): not searched: the tactics before: " in said
    assert errors(said) == []
    fill(source, ["trivial"], "--json")
    _, first, second, whole = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["proved"], first["tactics"], first["axioms"]) == (True, ["trivial"], [])
    assert (second["proved"], second["line"]) == (False, 5)
    assert (whole["left"], whole["written"]) == ([1, 5], None)
    assert whole["source"] == source.replace("True := sorry", "True := by\n  trivial")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"theorem t : True := \xff", "expected UTF-8 text, got the byte 0xff at 20"),
        (b"theorem t : True := sorry\ntheorem u : := sorry", "F.lean:2: expected a file that checks, got: "),
        (b"theorem t : True := (\n", "F.lean:2: expected a file that checks, got: "),
    ],
)
def test_a_bad_file_is_one_line(
    fill: Fill, content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        fill(content, ["trivial"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--file", "none.lean"], "cannot read none.lean: No such file or directory"),
        (["--file", "."], "cannot read .: Is a directory"),
        (["--in-place"], "--in-place: expected it beside --file alone"),
        (["--file", "f", "--in-place", "--out", "g"], "--out: expected none beside --in-place"),
        (["theorem t : True", "--file", "f"], "--theorem: expected none beside a file"),
    ],
)
def test_wrong_words_are_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, *FLAGS])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that takes no files, also from root")
@pytest.mark.parametrize("flag", ["--out", "--steps-out"])
def test_a_file_that_cannot_be_written_is_told_before_the_search(
    tell: Callable[..., object], tmp_path: Path, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    searched: list[Sequence[str]] = []
    tell("trivial", before=searched.append)
    path = tmp_path / "F.lean"
    path.write_text("theorem a : True := sorry\n")
    given = ["--file", str(path)] if flag == "--out" else ["theorem a : True"]
    with pytest.raises(SystemExit) as ended:
        main([*given, *FLAGS, flag, "/proc/F.lean"])
    assert (ended.value.code, searched) == (2, [])
    assert capsys.readouterr().err.startswith("error: cannot write /proc/F.lean: ")


def test_a_signal_keeps_what_was_found(
    tell: Callable[..., object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(goals: Sequence[str]) -> None:
        if "⊢ False" in goals[0]:
            os.kill(os.getpid(), signal.SIGINT)

    path = tmp_path / "F.lean"
    source = "theorem a : True := sorry\ntheorem b : False := sorry\ntheorem c : True := sorry\n"
    path.write_text(source)
    tell("trivial", before=interrupt)
    assert main(["--file", str(path), *FLAGS, "--in-place"]) == 130
    assert path.read_text() == source.replace("True := sorry\ntheorem b", "True := by\n  trivial\ntheorem b")
    assert "-- c (line 3): not searched" in capsys.readouterr().out


def test_another_backend_checks_the_file_by_its_verdicts() -> None:
    repl = {"repl_command": [sys.executable, "-m", "minilean", "repl"]}
    config = ProveConfig(
        policy="p", file="f", backend="pantograph", workers=1, env=EnvConfig(backend_options=repl)
    )
    text = "theorem a : True := trivial\nexample : 1 = 1 := rfl\n"
    text += "theorem bad : 1 = 2 := sorry\ntheorem c : 1 = 2 := bad\n"
    ends = ("True := trivial", "1 := rfl", "2 := bad")
    proofs = [
        Filled(name, text.index(head), text.index(end) + len(end))
        for name, head, end in zip("axc", ("theorem a", "example", "theorem c"), ends, strict=True)
    ]
    assert check_file(config, text, proofs) == Checked(None, ((), (), None))
    wrong = check_file(config, text.replace("1 = 1", "1 = 3"), proofs)
    assert wrong.error is not None
    assert "Type mismatch" in wrong.error[1]
