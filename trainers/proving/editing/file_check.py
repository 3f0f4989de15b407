"""Check of a whole Lean file with proofs filled in: does it elaborate, and which axioms do the proofs depend on there?

The environment verified each proof behind the commands before it that hold no `sorry`. In the file the others stand
there too, and a proof may mean something else: `simp` finds a lemma that is not proved, a name is another one. So the
file as it is written is elaborated once more, in a process of its own, and each proof counts only if Lean's own
`#print axioms` lists permitted axioms for it in its place.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.backends.registry import resolve_name
from lean_gym.datasets.formats.lean_source import has_sorry, imported_modules, mask
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from lean_gym.verification.verify import PERMITTED_AXIOMS
from trainers.config.tasks import ProveConfig
from trainers.errors import ConfigError
from trainers.proving.editing.file_text import Edit, after_edits
from trainers.rollouts.env import verify_proofs

_LISTED: Final = re.compile(
    r"'(?P<name>.+)' (?:does not depend on any axioms|depends on axioms: \[(?P<axioms>.*)\])"
)
_IMPORT: Final = re.compile(r"^(?:public\s+)?import\b[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Filled:
    """A proof in its place in a file.

    Attributes:
        name: Declared name; for an example one that the check gives it.
        head: Offset of the word `theorem`, `lemma` or `example`.
        end: Offset behind the proof.
    """

    name: str
    head: int
    end: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check.

    Attributes:
        error: The first error with its line, from 1; `None` if the file checks.
        axioms: For each proof the axioms that it depends on, or `None` where it depends on others than the permitted
            ones, `sorry` among them; empty where an error has hidden them.
    """

    error: tuple[int, str] | None
    axioms: tuple[tuple[str, ...] | None, ...]


def check_file(
    config: ProveConfig, text: str, proofs: Sequence[Filled] = (), root: Path | None = None
) -> Checked:
    """Check a file.

    Args:
        config: Names the prover.
        text: The file.
        proofs: The proofs whose axioms are asked for.
        root: Folder in which minilean looks for the modules that the file imports; `None` for a file that imports none
            of its project. Real Lean finds them by its own path.

    Raises:
        ConfigError: The prover cannot be used.
    """
    if resolve_name(config.backend, config.env.backend_options) == "minilean":
        return _with_minilean(text, proofs, root, ignore_imports=config.env.ignore_imports)
    return _with_environment(config, text, proofs)


def _with_minilean(
    text: str, proofs: Sequence[Filled], root: Path | None, *, ignore_imports: bool
) -> Checked:
    """Run `python -m minilean check` on the file with a `#print axioms` behind each proof."""
    asked = after_edits(text, [edit for proof in proofs for edit in _asking(text, proof)])
    if ignore_imports:
        asked = _IMPORT.sub("", asked)
    # Each question added two lines, the question itself being the first of them.
    lines = [text.count("\n", 0, proof.end) + 2 + 2 * number for number, proof in enumerate(proofs)]
    said: dict[int, list[str]] = {}
    error: tuple[int, str] | None = None
    for line, severity, message in _messages(asked, root):
        if severity == "error" and error is None:
            error = line - 2 * sum(each <= line for each in lines), message
        if severity == "info":
            said.setdefault(line, []).append(message)
    return Checked(
        error, tuple(_axioms(proof, said.get(line, [])) for proof, line in zip(proofs, lines, strict=True))
    )


def _asking(text: str, proof: Filled) -> list[Edit]:
    """Return the edits that have Lean list the axioms of a proof, for which an example needs a name."""
    edits = [Edit(proof.end, proof.end, f"\n#print axioms {proof.name}\n")]
    if text.startswith("example", proof.head):
        edits.insert(0, Edit(proof.head, proof.head + len("example"), f"theorem {proof.name}"))
    return edits


def _messages(text: str, root: Path | None) -> list[tuple[int, str, str]]:
    """Return line, severity and text of minilean's messages about a file.

    Raises:
        ConfigError: The check gave no answer.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "File.lean")
        path.write_text(text, encoding="utf-8", newline="")
        place = [] if root is None else ["--root", str(root)]
        # In a session of its own, so that a Ctrl-C of the terminal does not end the check of what was found.
        done = subprocess.run(
            [sys.executable, "-m", "minilean", "check", "--json", *place, str(path)],
            capture_output=True,
            encoding="utf-8",
            start_new_session=True,
            check=False,
        )
    if done.returncode not in (0, 1):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ConfigError(f"minilean check ended with code {done.returncode}: {last}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(row["pos"]["line"], row["severity"], row["data"]) for row in rows]
    if (done.returncode == 1) != any(severity == "error" for _, severity, _ in found):
        raise ConfigError(f"minilean check ended with code {done.returncode} and other messages: {found[:3]}")
    return found


def _axioms(proof: Filled, said: Sequence[str]) -> tuple[str, ...] | None:
    """Return the axioms in the answer to our question, if there is one answer and all are permitted."""
    found = _LISTED.fullmatch(said[0]) if len(said) == 1 else None
    if found is None or not f".{found['name']}".endswith("." + proof.name.removeprefix("_root_.")):
        return None
    axioms = tuple(filter(None, re.split(r",\s*", found["axioms"] or "")))
    return axioms if set(axioms) <= set(PERMITTED_AXIOMS) else None


def _with_environment(config: ProveConfig, text: str, proofs: Sequence[Filled]) -> Checked:
    """Have the environment start `True` behind the file, and prove it behind each proof by a script that uses it.

    The verdict lists the axioms of such a proof, those of the used one among them. A backend refuses to judge behind a
    `sorry`, so a proof behind one that is left does not count.
    """
    imports = imported_modules(text)
    header = max((found.end() for found in _IMPORT.finditer(mask(text))), default=0)
    theorems = [Theorem("file", "theorem lean_gym_file : True", text[header:].strip(), imports)]
    claims = [("file", ("trivial",))]
    for number, proof in enumerate(proofs):
        part = after_edits(text[: proof.end], _asking(text, proof)[:-1])[header:].strip()
        if not has_sorry(part):
            name = f"proof_{number}"
            theorems.append(Theorem(name, f"theorem lean_gym_{name} : True", part, imports))
            claims.append((name, (f"exact (fun _ => True.intro) @{proof.name}",)))
    try:
        verdicts = verify_proofs(theorems, claims, config.backend, config.workers, settings=config.env)
    except ConfigError as error:
        if not isinstance(error.__cause__, DataError):
            raise
        return Checked((1, str(error.__cause__)), ())
    axioms = {name: found for (name, _), found in zip(claims, verdicts, strict=True)}
    listed = tuple(axioms.get(f"proof_{number}") for number in range(len(proofs)))
    if axioms["file"] is None and not has_sorry(text):
        return Checked((1, f"the backend {config.backend} does not accept the file"), listed)
    return Checked(None, listed)
