from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trainers.config import tasks as task_config
from trainers.config.cli import Given, ending_in_one_line, read_flags, sentences
from trainers.config.files import fields_of, section_of_field
from trainers.errors import ConfigError, PolicyError


@dataclass(frozen=True, slots=True)
class Inner:
    """Something inside."""

    width: int = 3
    """How wide, 50%."""
    secret: str = ""
    """Not offered."""


@dataclass(frozen=True, slots=True)
class Outer:
    """A program."""

    name: str = "a"
    """Its name."""
    seed: int = 0
    """Its seed."""
    inner: Inner = field(default_factory=Inner)


def read(*words: str, resumable: tuple[str, ...] = ()) -> Given:
    return read_flags(Outer, words, "prog", "Does it.", resumable=resumable, hidden=("secret",))


def test_nothing_given_is_nothing() -> None:
    assert read() == Given({})


def test_flags_are_nested_and_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: b\ninner: {width: 4, secret: x}\n")
    given = read("--config", str(tmp_path / "a.yaml"), "--width", "5")
    assert given.values == {"name": "b", "inner": {"width": 5, "secret": "x"}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--nmae", "x"], "unknown flag --nmae; did you mean --name?"),
        (["--secret", "x"], "unknown flag --secret"),
        (["--width", "x"], "invalid int value"),
        (["--resume", "x"], "unknown flag --resume"),
    ],
)
def test_wrong_flags(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        read(*words)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nmae: b", "unknown setting nmae; did you mean 'name'"),
        ("width: 4", "unknown setting width; it belongs under the section 'inner'"),
        ("inner: {widht: 4}", "unknown setting inner.widht; did you mean 'width'"),
        ("inner: 4", "inner: expected settings under this section, got 4"),
        ("qqq: 4", r"unknown setting qqq \(valid: name, seed, inner\)"),
    ],
)
def test_wrong_keys(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read("--config", str(tmp_path / "a.yaml"), "--width", "5")  # which would hide what the section is


def test_a_run_goes_on_with_its_own_settings(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("name: b\nseed: 4\n")
    given = read("--resume", str(tmp_path), "--seed", "5", resumable=("seed",))
    assert given == Given({"name": "b", "seed": 5}, tmp_path)
    with pytest.raises(ConfigError, match=r"drop --name \(may change: --seed\)"):
        read("--resume", str(tmp_path), "--name", "c", resumable=("seed",))
    with pytest.raises(ConfigError, match="drop --config"):
        read("--resume", str(tmp_path), "--config", "c", resumable=("seed",))
    with pytest.raises(ConfigError, match="no run to go on with"):
        read("--resume", str(tmp_path / "missing"), resumable=("seed",))
    (tmp_path / "config.yaml").write_text("rounds: 4\n")
    with pytest.raises(
        ConfigError, match=r"unknown setting .*config.yaml: rounds .*\(is it a run of prog\?\)"
    ):
        read("--resume", str(tmp_path), resumable=("seed",))


def test_help_shows_the_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read("--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "Does it." in text
    assert "inner: Something inside." in text
    assert "--width N How wide, 50%. [3]" in text
    assert "--secret" not in text


CONFIGS = [
    config
    for name, config in sorted(vars(task_config).items())
    if isinstance(config, type)
    and dataclasses.is_dataclass(config)
    and config.__module__ == task_config.__name__
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_every_setting_has_a_sentence_and_one_home(config: type) -> None:
    parts = [config, *(kind for _, kind in fields_of(config) if dataclasses.is_dataclass(kind))]
    plain = [name for part in parts for name, kind in fields_of(part) if not dataclasses.is_dataclass(kind)]
    assert len(plain) == len(set(plain)) == len(section_of_field(config))
    for part in parts:
        texts = sentences(part)
        for name, kind in fields_of(part):
            assert dataclasses.is_dataclass(kind) or texts[name].endswith(".")


@pytest.mark.parametrize(
    ("raised", "code", "line"),
    [
        (ConfigError("a: b"), 2, "error: a: b"),
        (PolicyError("c\nd"), 2, "error: c d"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_programs_end_in_one_line(
    raised: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught, ending_in_one_line():
        raise raised
    assert caught.value.code == code
    assert capsys.readouterr().err == line + "\n"
