"""Independent verification of a script of real Lean: `lean` and `lean4export` in processes of their own.

The script has passed the full verification before. Here it is compiled again, in a process that ends with it, and its
export is judged by minilean's kernel (`lean_gym.verification.independent`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from lean_gym.backends.pantograph.repl import ReplSettings
from lean_gym.backends.sandbox import wrap
from lean_gym.backends.statement import file_with, rooted_name, tactic_body
from lean_gym.errors import DataError
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.independent import LEVEL, IndependentJudge, lean_files


def verify_independently(
    judge: IndependentJudge,
    settings: ReplSettings,
    theorem: Theorem,
    tactics: Sequence[str],
    imports: Sequence[str],
    deadline_s: float,
) -> Verdict:
    """Compile, export and judge a script.

    Args:
        judge: Of the backend.
        settings: Where the compiled modules are, and the sandbox.
        theorem: The statement, as the environment holds it.
        tactics: The script.
        imports: Modules that the file imports.
        deadline_s: Wall-clock seconds for all of it.

    Raises:
        BackendTimeout: It took longer.
        BackendUnavailable: A program is missing.
    """
    deadline = time.monotonic() + deadline_s
    sandbox = partial(wrap, mode=settings.sandbox)
    header = "".join(f"import {name}\n" for name in imports)
    name = rooted_name(theorem).removeprefix("_root_.")
    challenge = header + file_with(theorem, ":= by sorry") + "\n"
    solution = header + file_with(theorem, tactic_body(tactics)) + "\n"
    try:
        files = lean_files(challenge, solution, name, imports, deadline, settings.lean_path, wrap=sandbox)
    except DataError as error:
        return Verdict(False, str(error), level=LEVEL)
    return files if isinstance(files, Verdict) else judge.judge(files, deadline)
