"""A second opinion by nanoda, a Lean kernel in Rust that shares no code with minilean or Lean.

Source: the README of ammkrn/nanoda_lib (0.4), and how leanprover/comparator runs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Collection

_SECONDS = 600.0
_SHOWN = 400


def nanoda_refusal(program: str, export: str, permitted: Collection[str]) -> str | None:
    """Return why nanoda refuses an export; `None` if it accepts.

    Args:
        program: The program, `nanoda_bin` or a path.
        export: A complete file, down to the axioms.
        permitted: Axioms that the file may declare.
    """
    config = {
        "use_stdin": True,
        "permitted_axioms": list(permitted),
        "unpermitted_axiom_hard_error": True,
        "nat_extension": True,
        "string_extension": True,
    }
    descriptor, path = tempfile.mkstemp(prefix="nanoda-", suffix=".json")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(config, file)
        done = subprocess.run(
            [program, path], input=export, capture_output=True, text=True, encoding="utf-8", timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"nanoda: {error}"
    finally:
        os.unlink(path)
    if done.returncode == 0:
        return None
    said = (done.stderr.strip() or done.stdout.strip())[-_SHOWN:]
    return f"nanoda: exit status {done.returncode}: {said}"
