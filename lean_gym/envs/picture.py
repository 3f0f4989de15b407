"""Picture of an episode, for `render_mode="rgb_array"`; needs Pillow (`lean-gym[render]`)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from gymnasium import logger
from gymnasium.error import DependencyNotInstalled

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

WIDTH: Final = 960
HEIGHT: Final = 540
"""Size of every picture, pixels: a film needs frames of one size, and both even."""
_MARGIN: Final = 24
_SIZES: Final = (22, 18, 15, 12)
"""Sizes of the letters, pixels; the first at which all lines fit, or the last."""
_FONTS: Final = (
    *("DejaVuSansMono.ttf", "JuliaMono-Regular.ttf", "FreeMono.ttf", "NotoSansMono-Regular.ttf"),
    *("Menlo.ttc", "LiberationMono-Regular.ttf"),
)
"""Fonts with the letters of Lean, in the order in which they are tried."""
_INSTALL: Final = "pip install 'lean-gym[render]'"
_BACKGROUND: Final = (22, 24, 29)
_PLAIN: Final = (222, 226, 233)
_BY_BEGINNING: Final = {
    "⊢ ": (255, 209, 102),
    "> ": (110, 181, 255),
    "error: ": (255, 122, 122),
    "note: ": (150, 156, 168),
    "case ": (150, 156, 168),
    "step ": (150, 156, 168),
}
_PROVED: Final = (120, 220, 140)


def check_pillow() -> None:
    """Check that pictures can be drawn.

    Raises:
        DependencyNotInstalled: Pillow is not installed.
    """
    try:
        import PIL.ImageDraw  # noqa: F401
    except ImportError:
        raise DependencyNotInstalled(
            f"render_mode 'rgb_array' needs the package pillow; install it with: {_INSTALL}"
        ) from None


def draw_text(text: str) -> npt.NDArray[np.uint8]:
    """Draw the text of an episode; lines are broken to fit, and those that do not fit in height are counted.

    Args:
        text: Result of `Episode.render`.

    Returns:
        Red, green and blue of each pixel, (`HEIGHT`, `WIDTH`, 3).
    """
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), _BACKGROUND)
    draw = ImageDraw.Draw(image)
    for size in _SIZES:
        font, height = _font(size), round(size * 1.35)
        columns = max(8, int((WIDTH - 2 * _MARGIN) / font.getlength("m")))
        rows = (HEIGHT - 2 * _MARGIN) // height
        lines = [piece for line in text.split("\n") for piece in _broken(_printable(line), columns)]
        if len(lines) <= rows:
            break
    if len(lines) > rows:
        left = len(lines) - rows + 1
        lines = [*lines[: rows - 1], (f"… {left} more lines", _BY_BEGINNING["note: "])]
    for number, (line, colour) in enumerate(lines):
        draw.text((_MARGIN, _MARGIN + number * height), line, font=font, fill=colour)
    return np.asarray(image, dtype=np.uint8)


def _broken(line: str, columns: int) -> list[tuple[str, tuple[int, int, int]]]:
    """Return the pieces of a line with their colour; all but the first are indented."""
    colour = next((c for start, c in _BY_BEGINNING.items() if line.startswith(start)), _PLAIN)
    if line.startswith("step ") and line.endswith(": proved"):
        colour = _PROVED
    pieces, rest = [line[:columns]], line[columns:]
    while rest:
        pieces.append("    " + rest[: columns - 4])
        rest = rest[columns - 4 :]
    return [(piece, colour) for piece in pieces]


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)


@cache
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    logger.warn(
        "render_mode 'rgb_array': no font with Lean's letters is found, so some are boxes; install DejaVu Sans Mono"
    )
    return ImageFont.load_default(size)
