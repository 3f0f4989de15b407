"""`python -m lean_gym.lean.lean_main ARGUMENTS`: the command line of `lean`, without an installed Lean.

Source: Lean 4 `src/util/shell.cpp`, `lean_main` (4.35).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from lean_gym.errors import BackendUnavailable
from lean_gym.lean.library import find_library


def main(arguments: Sequence[str]) -> NoReturn:
    """Run Lean's command line; the process ends with its exit code."""
    try:
        file = find_library()
        library = ctypes.CDLL(str(file), mode=os.RTLD_LAZY | os.RTLD_GLOBAL)
    except (BackendUnavailable, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    words = [b"lean", *map(os.fsencode, arguments)]
    code: int = library.lean_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
    os._exit(code)  # Lean's threads may still run; it has written its output


if __name__ == "__main__":
    main(sys.argv[1:])
