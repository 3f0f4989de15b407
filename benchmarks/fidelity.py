"""minilean against Lean: the same steps and files through both, compared by verdict, goal text and message.

    python -m benchmarks.fidelity                                  reference proofs, random steps, texts of tests
    python -m benchmarks.fidelity --sets logic nat --steps 2000 --differences out.jsonl
    python -m benchmarks.fidelity --write                          the tables go into docs/minilean/divergences.md

Lean is the backend `lean` on minilean's own library, which Lean has compiled, so both have the same lemmas. Each step
is run by both on the state that both have reached by the same steps; where one of them refuses or the goals differ, the
walk goes on from the state before. A step, or a message, is *different by name* where minilean says `unsupported`, or
where Lean names what the library does not have.
"""

from __future__ import annotations

import ast
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, TextIO

from benchmarks.minilean_jobs import head_of
from lean_gym.backends import create_backend
from lean_gym.backends.lean import repl_command
from lean_gym.backends.pantograph.dialect import is_error, message_text
from lean_gym.backends.pantograph.discovery import FoundRepl
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.errors import BackendError, DataError
from lean_gym.types import ProofBackend, ProofState, Theorem
from lean_gym.verification.verify import verify_script
from lean_gym.wrappers.tactic_menu import DEFAULT_MENU

SETS: Final = ("logic", "nat", "algebra", "cancellation", "invariants")
_TESTS: Final = Path(__file__).resolve().parents[1] / "tests" / "minilean"
_SECONDS: Final = 20.0
_FILE_SECONDS: Final = 20.0
_LENGTH: Final = 8
"""Most accepted steps of a random walk."""
_SAID_SECONDS: Final = 15.0
_PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "minilean" / "divergences.md"
_MARKS: Final = ("<!-- fidelity -->", "<!-- end of fidelity -->")
_NAMED: Final = re.compile(
    r"\Arefused: |\Ano tactic: |unsupported|supported by code generator"
    r"|nknown constant ['`](Lean\.|Repr\b|String\.|Nat\.instNeZero)|synthesize a `Repr` or `ToString`"
)
"""What the filter keeps from Lean, what minilean refuses by name, and what the library that Lean compiles lacks: code,
classes that print, types of syntax and of strings."""
_HEADS: Final = 12
"""Rows of the table of tactics, those with the most differences."""
_KINDS: Final = ("verdict", "named", "goals", "message", "limit")
_GUARD: Final = re.compile(r"^(?:/--(?:(?!-/)[\s\S])*-/\n)?#guard_msgs[^\n]* in\n", re.MULTILINE)
_HEADING: Final = re.compile(r"^/-!(?:(?!-/)[\s\S])*-/$", re.MULTILINE)
_OPENS: Final = re.compile(r"(?:noncomputable )?(namespace|section|mutual)\b")
_DECLARES: Final = ("theorem ", "example ", "lemma ", "instance ", "def ", "inductive ", "structure ")


@dataclass(frozen=True, slots=True)
class Difference:
    """A step or a file on which the two differ.

    Attributes:
        source: Where it comes from: `"reference"`, `"random"`, `"policy"`, `"proofs"`, `"files"`.
        kind: `"verdict"`, `"named"` (a verdict, and the side that refuses says why), `"goals"`, `"message"`, or
            `"limit"` (Lean did not end in time).
        statement: The theorem, or the file.
        before: The goals before the step.
        tactic: The step.
        minilean: What minilean shows or says.
        lean: What Lean shows or says.
    """

    source: str
    kind: str
    statement: str
    before: str
    tactic: str
    minilean: str
    lean: str


@dataclass(slots=True)
class Tally:
    """Counts of one source: steps, those with one verdict, those that both accept or refuse, and what agrees there.

    `named` are the verdicts that differ by name, `worded` the messages that do.
    """

    steps: int = 0
    verdict: int = 0
    named: int = 0
    accepted: int = 0
    goals: int = 0
    refused: int = 0
    message: int = 0
    worded: int = 0


@dataclass(slots=True)
class Comparison:
    """Both backends, and what was found so far."""

    minilean: ProofBackend
    lean: ProofBackend
    file_of_differences: TextIO | None = None
    tallies: dict[str, Tally] = field(default_factory=dict)
    differences: int = 0
    heads: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: {"minilean": 0.0, "lean": 0.0})
    _said: float = field(default_factory=time.monotonic)

    def start(self, theorem: Theorem, source: str) -> tuple[ProofState, ProofState] | None:
        """Start a theorem in both; `None` where one of them refuses it, or shows another goal, which is counted."""
        tally = self._tally(source)
        tally.steps += 1
        found: list[ProofState | str] = []
        for backend in (self.minilean, self.lean):
            try:
                found.append(backend.start(theorem))
            except DataError as error:
                found.append(str(error))
        ours, theirs = found
        if isinstance(ours, str) or isinstance(theirs, str):
            both = isinstance(ours, str) and isinstance(theirs, str)
            tally.verdict += both
            if not both:
                texts = [state if isinstance(state, str) else state.text for state in (ours, theirs)]
                self._differs(source, "verdict", theorem.statement, "", "start", *texts)
            return None
        tally.verdict += 1
        same = self._compare_goals(source, theorem, "", "start", ours, theirs)
        return (ours, theirs) if same else None

    def step(
        self, source: str, theorem: Theorem, states: tuple[ProofState, ProofState], tactic: str
    ) -> tuple[ProofState, ProofState] | None:
        """Run a step in both; `None` unless both accept it and show the same goals."""
        self._report()
        tally = self._tally(source)
        tally.steps += 1
        counts = self.heads.setdefault(head_of(tactic), Counter())
        counts["steps"] += 1
        began = time.perf_counter()
        ours = self.minilean.apply(states[0], tactic, _SECONDS)
        between = time.perf_counter()
        try:
            theirs = self.lean.apply(states[1], tactic, _SECONDS)
        except BackendError as error:  # it took too long, and its states are lost
            self._differs(source, "limit", theorem.statement, states[0].text, tactic, "", str(error))
            raise
        self.seconds["minilean"] += between - began
        self.seconds["lean"] += time.perf_counter() - between
        before = states[0].text
        if (ours.state is None) != (theirs.state is None):
            named = bool(_NAMED.search((ours if ours.state is None else theirs).error or ""))
            tally.named += named
            texts = [one.error or "" if one.state is None else one.state.text for one in (ours, theirs)]
            self._differs(source, "named" if named else "verdict", theorem.statement, before, tactic, *texts)
            return None
        tally.verdict += 1
        if ours.state is None or theirs.state is None:
            self._compare_messages(
                source, theorem.statement, before, tactic, ours.error or "", theirs.error or ""
            )
            return None
        # Where the goals differ the walk would compare steps on different states.
        same = self._compare_goals(source, theorem, before, tactic, ours.state, theirs.state)
        return (ours.state, theirs.state) if same else None

    def proof(self, theorem: Theorem, tactics: Sequence[str]) -> None:
        """Compare the verdicts on a whole proof."""
        self._report()
        tally = self._tally("proofs")
        tally.steps += 1
        ours, theirs = (verify_script(backend, theorem, tactics) for backend in (self.minilean, self.lean))
        if ours.proved != theirs.proved:
            texts = ["proved" if one.proved else one.reason for one in (ours, theirs)]
            self._differs("proofs", "verdict", theorem.statement, "", "\n".join(tactics), *texts)
            return
        tally.verdict += 1

    def file(self, repls: tuple[Repl, Repl], text: str) -> None:
        """Compare what both say about a text of commands: whether there is an error, and the first one's first line."""
        self._report()
        tally = self._tally("files")
        tally.steps += 1
        ours, theirs = (_file_error(repl, text) for repl in repls)
        if (ours is None) != (theirs is None):
            named = bool(_NAMED.search(ours or theirs or ""))
            tally.named += named
            kind = "named" if named else "verdict"
            self._differs("files", kind, text, "", "", ours or "no error", theirs or "no error")
            return
        tally.verdict += 1
        if ours is None or theirs is None:
            tally.accepted += 1
            tally.goals += 1
            return
        self._compare_messages("files", text, "", "", ours, theirs)

    def _compare_messages(
        self, source: str, statement: str, before: str, tactic: str, ours: str, theirs: str
    ) -> None:
        tally = self._tally(source)
        tally.refused += 1
        if _first_line(ours) == _first_line(theirs):
            tally.message += 1
            return
        named = any(_NAMED.search(text) for text in (ours, theirs))
        tally.worded += named
        kind = "named" if named else "message"
        self._differs(source, kind, statement, before, tactic, ours, theirs)

    def _compare_goals(
        self,
        source: str,
        theorem: Theorem,
        before: str,
        tactic: str,
        ours: ProofState,
        theirs: ProofState,
    ) -> bool:
        tally = self._tally(source)
        tally.accepted += 1
        same = ours.text == theirs.text
        tally.goals += same
        if not same:
            self._differs(source, "goals", theorem.statement, before, tactic, ours.text, theirs.text)
        return same

    def _differs(self, source: str, kind: str, *parts: str) -> None:
        self.differences += 1
        self.heads.setdefault(head_of(parts[2]), Counter())[kind] += 1
        if self.file_of_differences is not None:
            row = json.dumps(asdict(Difference(source, kind, *parts)), ensure_ascii=False)
            self.file_of_differences.write(f"{row}\n")
            self.file_of_differences.flush()

    def _tally(self, source: str) -> Tally:
        return self.tallies.setdefault(source, Tally())

    def _report(self) -> None:
        if time.monotonic() - self._said > _SAID_SECONDS:
            self._said = time.monotonic()
            done = sum(tally.steps for tally in self.tallies.values())
            print(f"{done} steps compared, {self.differences} differences", file=sys.stderr, flush=True)


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0].strip()


def _file_error(repl: Repl, text: str) -> str | None:
    """Return the first error of a file; `None` if there is none."""
    answer = repl.ask(
        "frontend.process", {"file": text, "readHeader": False, "inheritEnv": False}, _FILE_SECONDS
    )
    if "error" in answer:
        return str(answer["desc"])
    errors = [message for unit in answer["units"] for message in unit["messages"] if is_error(message)]
    return message_text(errors[0]) if errors else None


def compare_references(comparison: Comparison, theorems: Sequence[Theorem]) -> None:
    """Walk along the reference proofs."""
    for theorem in theorems:
        states = comparison.start(theorem, "reference")
        with suppress(BackendError):
            for tactic in proof_steps(theorem.proof):
                if states is None:
                    break
                states = comparison.step("reference", theorem, states, tactic)


def compare_random(comparison: Comparison, theorems: Sequence[Theorem], steps: int, seed: int) -> None:
    """Walk at random: a menu, the hypotheses at hand, and steps of other reference proofs.

    Args:
        comparison: Both backends.
        theorems: Where to start, and whose steps to draw from.
        steps: Number of steps.
        seed: For the draws.
    """
    rng = random.Random(seed)
    drawn = [step for theorem in theorems for step in proof_steps(theorem.proof)]
    done = 0
    while done < steps:
        theorem = rng.choice(theorems)
        states = comparison.start(theorem, "random")
        own = list(proof_steps(theorem.proof))
        for at in range(4 * _LENGTH):
            if states is None or states[0].is_finished or done >= steps:
                break
            tactic = _drawn(rng, states[0], drawn, own[min(at // 4, len(own) - 1)] if own else "skip")
            done += 1
            try:
                states = comparison.step("random", theorem, states, tactic) or states
            except BackendError:
                break


def _drawn(rng: random.Random, state: ProofState, others: Sequence[str], own: str) -> str:
    goal = state.goals[0]
    names = [one.name for one in goal.hypotheses if "✝" not in one.name] or ["h"]
    name, other = rng.choice(names), rng.choice(names)
    forms = (
        f"exact {name}", f"apply {name}", f"cases {name}", f"rw [{name}]", f"rw [← {name}]", f"simp [{name}]",
        f"simp at {name}", f"specialize {name} {other}", f"exact {name} {other}", f"have h9 := {name}",
        f"obtain ⟨x9, y9⟩ := {name}", f"rcases {name} with h8 | h9", f"induction {name}", f"revert {name}",
        f"generalize {name} = z", f"exists {name}", f"refine ⟨{name}, ?_⟩", f"rw [{name}] at {other}",
        "simp_all", "intros", "ext", "congr", f"unfold {name}", f"clear {name}", f"subst {name}",
        f"injection {name}", f"refine {name} ?_", f"calc _ = _ := {name}", f"exact absurd {name} {other}",
        "omega", f"by_cases h7 : {name} = {other}", "split", "constructor <;> assumption", "exact?",
    )  # fmt: skip
    return rng.choice(
        (rng.choice(DEFAULT_MENU), rng.choice(forms), rng.choice(forms), rng.choice(others), own)
    )


def compare_policy(comparison: Comparison, theorems: Sequence[Theorem], run: Path, steps: int) -> None:
    """Walk along the episodes of a run.

    Args:
        comparison: Both backends.
        theorems: The theorems that the run may have played.
        run: Folder of a run that was trained with `--save-trajectories`.
        steps: Most steps.
    """
    known = {theorem.name: theorem for theorem in theorems}
    done = 0
    for line in (run / "trajectories.jsonl").read_text("utf-8").splitlines():
        episode = json.loads(line)
        theorem = known.get(episode["theorem"])
        if theorem is None:
            continue
        states = comparison.start(theorem, "policy")
        for step in episode["steps"]:
            if states is None or states[0].is_finished:
                break
            if done >= steps:
                return
            done += 1
            try:
                states = comparison.step("policy", theorem, states, step["tactic"]) or states
            except BackendError:
                break


def compare_proofs(comparison: Comparison, theorems: Sequence[Theorem], run: Path) -> None:
    """Have both judge the proofs that a run found, as they stand.

    Args:
        comparison: Both backends.
        theorems: The theorems that the run may have played.
        run: Folder of the run.
    """
    known = {theorem.name: theorem for theorem in theorems}
    for line in (run / "proofs.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["name"] in known:
            comparison.proof(known[row["name"]], row["tactics"])


def texts_of_tests(folder: Path = _TESTS) -> list[str]:
    """Return the texts of commands in minilean's tests, each once.

    These are the string constants of Python files that declare something, and the programs of the Lean files, without
    the messages that these expect.
    """
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value.strip()
                if text.startswith(_DECLARES) and (":=" in text or " where" in text):
                    found[text] = None
    for path in sorted(folder.rglob("*.lean")):
        found.update(dict.fromkeys(programs_of(path.read_text("utf-8"))))
    return list(found)


def programs_of(text: str) -> list[str]:
    """Return the programs of a Lean file: its outermost sections, and what stands outside of them below one heading."""
    found: list[list[str]] = [[]]
    outside: list[str] = []
    opened: list[str] = []
    for line in _HEADING.sub("\0", _GUARD.sub("", text)).splitlines():
        if line == "\0":
            if not opened:
                found += [outside, []]
                outside = []
            continue
        if opens := _OPENS.match(line):
            opened.append(opens[1])
        (found[-1] if opened and opened[0] != "mutual" else outside).append(line)
        if opened and re.match(r"end\b", line) and opened.pop() != "mutual" and not opened:
            found.append([])
    programs = ("\n".join(lines).strip() for lines in (*found, outside))
    return [program for program in programs if any(word in program for word in _DECLARES)]


def compare_files(comparison: Comparison, texts: Sequence[str]) -> None:
    """Run texts of commands through both; one that costs a process, or takes too long, is left out."""
    commands = ([sys.executable, "-m", "minilean", "repl"], repl_command())
    settings = [ReplSettings(FoundRepl(tuple(command), ""), sandbox="off") for command in commands]
    repls: list[Repl] = []
    try:
        for text in texts:
            if not all(repl.alive for repl in repls) or not repls:
                for repl in repls:
                    repl.close()
                repls = [Repl(each, ("Init",)).ready() for each in settings]
            try:
                comparison.file((repls[0], repls[1]), text)
            except BackendError as error:
                print(f"left out: {text[:60]!r}: {error}", file=sys.stderr)
    finally:
        for repl in repls:
            repl.close()


def tables(comparison: Comparison) -> str:
    """Return the tables as Markdown."""
    rows = [
        "| source | compared | same verdict | different by name | goal texts equal | first lines of messages equal | "
        "different by name |"
    ]
    rows.append("|---|---:|---:|---:|---:|---:|---:|")
    for source, tally in comparison.tallies.items():
        rows.append(
            f"| {source} | {tally.steps:,} | {_share(tally.verdict, tally.steps)} | {tally.named:,} | "
            f"{_share(tally.goals, tally.accepted)} | {_share(tally.message, tally.refused)} | {tally.worded:,} |"
        )
    rows += [
        "",
        "| tactic | steps | verdict | by name | goals | message | time |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    order = sorted(comparison.heads.items(), key=lambda row: -sum(row[1][kind] for kind in _KINDS))
    for head, counts in order[:_HEADS]:
        if any(counts[kind] for kind in _KINDS):
            shown = " | ".join(str(counts[kind]) for kind in _KINDS)
            rows.append(f"| `{head or 'files'}` | {counts['steps']} | {shown} |")
    return "\n".join(rows) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / whole:.1f}%)" if whole else "-"


def main(argv: Sequence[str] | None = None) -> int:
    """Compare and print the tables."""
    parser = Parser(prog="python -m benchmarks.fidelity", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="theorem sets, names or paths")
    parser.add_argument("--every", type=int, default=1, help="take every N-th theorem for the walks")
    parser.add_argument("--steps", type=int, default=20_000, help="random steps")
    parser.add_argument("--run", type=Path, help="run whose proofs and trajectories.jsonl are compared too")
    parser.add_argument("--no-files", action="store_true", help="leave out the texts of tests/minilean")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--differences", type=Path, metavar="FILE", help="write every difference as a line of JSON"
    )
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/minilean/divergences.md"
    )
    options = parser.parse_args(argv)
    theorems = [one for name in options.sets for one in load_theorems(name)]
    proved = [theorem for theorem in theorems[:: options.every] if theorem.proof]
    written = None if options.differences is None else options.differences.open("w", encoding="utf-8")
    comparison = Comparison(create_backend("minilean"), create_backend("lean"), written)
    try:
        compare_references(comparison, proved)
        compare_random(comparison, proved, options.steps, options.seed)
        if options.run is not None:
            if (options.run / "trajectories.jsonl").is_file():
                compare_policy(comparison, theorems, options.run, options.steps)
            compare_proofs(comparison, theorems, options.run)
        if not options.no_files:
            compare_files(comparison, texts_of_tests())
    finally:
        comparison.minilean.close()
        comparison.lean.close()
        if written is not None:
            written.close()
    shown = tables(comparison)
    print(shown)
    print({name: f"{seconds:.1f} s" for name, seconds in comparison.seconds.items()})
    if options.write:
        page = _PAGE.read_text("utf-8")
        begin, end = (page.index(mark) for mark in _MARKS)
        _PAGE.write_text(f"{page[: begin + len(_MARKS[0])]}\n{shown}{page[end:]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
