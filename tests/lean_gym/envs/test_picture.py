"""Pictures of episodes, films of them, and goals in notebooks."""

from __future__ import annotations

import html
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from gymnasium.wrappers import RecordVideo
from PIL import ImageFont

from lean_gym import Goal, LeanProofEnv, LeanProofVectorEnv
from lean_gym.envs import picture
from lean_gym.envs.picture import HEIGHT, WIDTH, draw_text
from lean_gym.types import ProofState

T = "theorem t : True ∧ True"
PROOF = ["split", "trivial", "trivial"]


def make(**options: Any) -> LeanProofEnv:
    return LeanProofEnv(theorems=[T], backend="fake", render_mode="rgb_array", **options)


def coloured(frame: np.ndarray, colour: tuple[int, int, int]) -> int:
    return int((frame == np.array(colour, dtype=np.uint8)).all(axis=2).sum())


def test_each_step_has_a_picture_of_one_size() -> None:
    env = make()
    env.reset()
    frames = [env.render()]
    for tactic in PROOF:
        env.step(tactic)
        frames.append(env.render())
    assert {frame.shape for frame in frames} == {(HEIGHT, WIDTH, 3)}
    assert {frame.dtype for frame in frames} == {np.dtype(np.uint8)}
    assert all((a != b).any() for a, b in pairwise(frames))
    assert [coloured(frame, picture._PROVED) > 20 for frame in frames] == [False, False, False, True]
    env.close()


def test_a_refused_tactic_is_drawn_in_its_colour() -> None:
    env = make()
    env.reset()
    before = env.render()
    env.step("no such tactic")
    colour = picture._BY_BEGINNING["error: "]
    assert coloured(env.render(), colour) > 20 >= coloured(before, colour)
    env.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 100_000,
        "\n" * 10_000,
        "⊢ ∀ α, ∃ β ↦ 𝔽 日本 \x00\x1b[31m \u202e",
        "\N{COMBINING ACUTE ACCENT}" * 500,
    ],
)
def test_any_text_is_drawn_in_the_same_size(text: str) -> None:
    assert draw_text(text).shape == (HEIGHT, WIDTH, 3)


def test_lines_that_do_not_fit_are_counted() -> None:
    short, long = draw_text("⊢ p\n" * 5), draw_text("⊢ p\n" * 500)
    note = picture._BY_BEGINNING["note: "]
    assert coloured(short, note) == 0
    assert coloured(long, note) > 20


@pytest.mark.parametrize("letter", "⊢∀∃∧∨¬→↔ℕα×≤≠⟨⟩₁")
def test_letters_of_lean_are_told_apart(letter: str) -> None:
    """A font without a letter draws the same box for each."""
    font = picture._font(18)
    assert not isinstance(font, ImageFont.ImageFont)
    assert bytes(font.getmask(letter)) != bytes(font.getmask("\ue000"))


def test_a_missing_font_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "_FONTS", ("no-such-font.ttf",))
    picture._font.cache_clear()
    with pytest.warns(UserWarning, match="install DejaVu Sans Mono"):
        assert draw_text("⊢ p").shape == (HEIGHT, WIDTH, 3)
    picture._font.cache_clear()


def test_a_missing_pillow_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.ImageDraw", None)
    with pytest.raises(DependencyNotInstalled, match=r"install it with: pip install 'lean-gym\[render\]'"):
        make()
    LeanProofEnv(theorems=[T], backend="fake", render_mode="ansi").close()


def test_pictures_of_a_vector_environment() -> None:
    env = LeanProofVectorEnv(2, [T], backend="fake", render_mode="rgb_array", num_workers=0)
    env.reset()
    first, second = env.render() or ()
    assert first.shape == second.shape == (HEIGHT, WIDTH, 3)
    env.close()


class Clip:
    """Stands for the class of moviepy that writes a film: it writes the number and the shape of the frames."""

    def __init__(self, frames: list[np.ndarray], fps: int) -> None:
        self.frames, self.fps = frames, fps

    def write_videofile(self, path: str, logger: object) -> None:
        shapes = {frame.shape for frame in self.frames}
        Path(path).write_text(f"{len(self.frames)} frames of {shapes}, {self.fps} a second")


def test_record_video_films_an_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        module = ModuleType(name)
        module.ImageSequenceClip = Clip  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    made = gym.make("LeanProof-v0", theorems=[T], backend="fake", render_mode="rgb_array")
    env = RecordVideo(made, str(tmp_path / "films"), episode_trigger=lambda _: True)
    env.reset()
    for tactic in PROOF:
        env.step(tactic)
    env.close()
    [film] = (tmp_path / "films").glob("*.mp4")
    assert film.read_text() == f"4 frames of {{({HEIGHT}, {WIDTH}, 3)}}, 4 a second"


def test_goals_in_a_notebook_are_escaped() -> None:
    text = "h : <script>alert(1)</script> & 'a' \"b\"\n⊢ p"
    goal = Goal(text, "p")
    made = goal._repr_html_()
    assert "<script>" not in made
    assert html.unescape(made.partition(">")[2].removesuffix("</pre>")) == text.replace("⊢ p", "<b>⊢ p</b>")
    state = ProofState((goal, Goal("⊢ q", "q")), handle=None)
    assert state._repr_html_().count("<pre ") == 2
    assert ">no goals<" in ProofState((), handle=None)._repr_html_()


def test_goals_in_a_notebook_have_its_colours() -> None:
    """Neither letters nor background have a colour of their own, so they are readable on light and dark pages."""
    style = Goal("⊢ p", "p")._repr_html_().partition('style="')[2].partition('"')[0]
    assert "color:inherit" in style
    assert "background:none" in style
