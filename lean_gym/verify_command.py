"""`python -m lean_gym verify`: verdicts on finished scripts, at any level of verification.

    echo '{"statement": "theorem t : 1 = 1", "tactics": ["rfl"]}' | python -m lean_gym verify
    python -m lean_gym verify --verify independent < proofs.jsonl
    python -m lean_gym verify --verify independent --kernel minilean,lean < proofs.jsonl
    python -m lean_gym verify --backend pantograph --backend-options '{"project_path": "mathlib4"}' < proofs.jsonl

One JSON object a line on standard input: `statement` and `tactics`, and where they are not empty `context`, `imports`
(a list), `position` and `name`. One JSON object a line on standard output: `proved`, `reason`, `axioms`, `level`, and
`redefined`: words of the statement that its context gives another meaning, so that it does not say what it shows.
docs/lean_gym/verification.md says what each level excludes. An object with `challenge`, `solution` and `theorem` asks
about two complete exports instead. The lines are those of `python -m lean_gym.checkers`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from lean_gym.backends.registry import backend_names, create_backend
from lean_gym.backends.sandbox import wrap
from lean_gym.command_line import Parser, offer_completion
from lean_gym.datasets.redefinitions import redefined_for
from lean_gym.errors import BackendError, BackendUnavailable
from lean_gym.types import ProofBackend, Theorem, Verdict
from lean_gym.verification.independent import Files, IndependentJudge
from lean_gym.verification.kernels import KERNELS
from lean_gym.verification.verify import (
    PERMITTED_AXIOMS,
    VERIFY_LEVELS,
    check_permitted_axioms,
    judge,
    verify_script,
)

_KEYS = {"name", "statement", "tactics", "context", "imports", "position", "id"}


def read_request(line: str) -> tuple[Theorem, tuple[str, ...]]:
    """Return the theorem and the script of a line.

    Raises:
        ValueError: The line is something else.
    """
    row = json.loads(line)
    if type(row) is not dict or not row.keys() <= _KEYS:
        raise ValueError(f"got {line[:80]!r}, expected an object with {', '.join(sorted(_KEYS))}")
    texts = [row.get(key, "") for key in ("statement", "context", "position")]
    lists = [row.get(key, []) for key in ("tactics", "imports")]
    if not all(type(text) is str for text in [*texts, row.get("name", "")]) or not texts[0]:
        raise ValueError("expected texts, and a statement that is not empty")
    if not all(type(part) is list and all(type(text) is str for text in part) for part in lists):
        raise ValueError("tactics and imports: expected lists of texts")
    name = row.get("name") or "t"
    theorem = Theorem(name, texts[0], context=texts[1], imports=tuple(lists[1]), position=texts[2])
    return theorem, tuple(lists[0])


def read_files(line: str) -> Files | None:
    """Return the two exports that a line asks about; `None` if it asks about a script.

    Raises:
        ValueError: The line is something else.
    """
    row = json.loads(line)
    if type(row) is not dict or "challenge" not in row:
        return None
    texts = [row.get(key) for key in ("challenge", "solution", "theorem")]
    if not row.keys() <= {"challenge", "solution", "theorem", "name", "id"} or not all(
        type(text) is str for text in texts
    ):
        raise ValueError("expected the texts `challenge`, `solution` and `theorem`")
    return Files(row["challenge"], row["solution"], row["theorem"], deep=True)


def answer(
    backend: ProofBackend, files_judge: IndependentJudge, line: str, options: argparse.Namespace
) -> dict[str, Any]:
    """Return the answer to a line."""
    words: tuple[str, ...] = ()
    try:
        files = read_files(line)
        if files is None:
            theorem, tactics = read_request(line)
            words = _redefined(backend, theorem)
            verdict = verify_script(
                backend, theorem, tactics, options.permitted, options.seconds, options.verify
            )
        else:
            verdict = judge(files_judge.judge(files, time.monotonic() + options.seconds), options.permitted)
    except (ValueError, RecursionError, BackendError) as error:
        verdict = Verdict(False, f"{type(error).__name__}: {error}", level=options.verify)
    return {
        "proved": verdict.proved,
        "reason": verdict.reason,
        "axioms": list(verdict.axioms),
        "level": verdict.level,
        "redefined": list(words),
    }


def _redefined(backend: ProofBackend, theorem: Theorem) -> tuple[str, ...]:
    """Return the words that the context gives another meaning, for a reader who takes the statement at its word."""
    if not theorem.context.strip():
        return ()
    state = backend.start(theorem)
    backend.release([state])
    return tuple(dict.fromkeys([*state.redefined, *redefined_for(theorem)]))


def main(argv: Sequence[str], program: str) -> int:
    """Run the command line.

    Args:
        argv: Words after the program's name.
        program: How the program was started, for messages.

    Returns:
        The exit status: 0 if every script is a proof, 1 if one is not, 2 if the backend cannot be used.
    """
    parser = Parser(prog=program, description="Judge finished scripts, one JSON object a line.")
    parser.add_argument(
        "--backend", default="minilean", choices=backend_names(), help="the prover (minilean)"
    )
    parser.add_argument("--backend-options", default="{}", metavar="JSON", help="the prover's options")
    parser.add_argument(
        "--verify", default="full", choices=VERIFY_LEVELS, help="level of verification (full)"
    )
    parser.add_argument(
        "--kernel",
        metavar="NAMES",
        help=f"kernels of --verify independent: {', '.join(KERNELS)} (all that are here)",
    )
    parser.add_argument("--permit", action="append", metavar="AXIOM", help="axiom to permit; repeat for more")
    parser.add_argument("--seconds", type=float, default=60.0, help="wall-clock seconds for a script (60)")
    offer_completion(parser)
    options = parser.parse_args(argv)
    try:
        options.permitted = check_permitted_axioms(options.permit or PERMITTED_AXIOMS)
        files_judge = IndependentJudge(options.kernel, wrap=wrap)
        chosen = {} if options.kernel is None else {"kernel": options.kernel}
        backend_options = json.loads(options.backend_options) | chosen
        backend = create_backend(options.backend, options.verify, **backend_options)
    except (ValueError, TypeError, BackendUnavailable) as error:
        print(error, file=sys.stderr)
        return 2
    all_proved = True
    try:
        for line in sys.stdin:
            if line.strip():
                found = answer(backend, files_judge, line, options)
                all_proved = all_proved and found["proved"]
                print(json.dumps(found, ensure_ascii=False), flush=True)
    finally:
        backend.close()
        files_judge.close()
    return 0 if all_proved else 1
