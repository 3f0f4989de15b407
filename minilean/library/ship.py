"""`python -m minilean.library.ship PATH`: proves the library and writes it as the file that a wheel brings.

`hatch_build.py` runs this when a wheel is built. No cache is read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from minilean.library.cache import library_key, sealed
from minilean.library.encoding import encode
from minilean.library.load import build_library, library_files
from minilean.library.progress import Progress


def main(path: str) -> None:
    """Prove the library and write it to `path`.

    Raises:
        LibraryError: A declaration was refused.
        OSError: The file cannot be written.
    """
    files = library_files()
    Path(path).write_bytes(sealed(library_key(files), encode(build_library(Progress(len(files))))))


if __name__ == "__main__":
    main(sys.argv[1])
