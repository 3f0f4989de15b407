from __future__ import annotations

import pytest

from trainers.config.lora import LoraSettings, parse_lora
from trainers.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("r=16", LoraSettings(16)),
        (
            " r=8, alpha=4.5 ,dropout=0.1,targets=q_proj+v_proj",
            LoraSettings(8, 4.5, 0.1, ("q_proj", "v_proj")),
        ),
    ],
)
def test_words_are_read(text: str, expected: LoraSettings | None) -> None:
    assert parse_lora(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("16", "expected words like r=16,alpha=32, got '16'"),
        ("r=", "expected words like"),
        ("alpha=3", "expected a rank, as in r=16"),
        ("r=16,alhpa=3", "unknown setting 'alhpa'; did you mean 'alpha'"),
        ("r=x", "r: expected a positive whole number, got 'x'"),
        ("r=0", "r: expected a positive whole number, got '0'"),
        ("r=4,dropout=1.5", "dropout: expected a share below 1, got '1.5'"),
        ("r=4,alpha=-1", "alpha: expected a positive number, got '-1'"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_lora(text)


@pytest.mark.parametrize("text", ["r=1,dropout=nan", "r=1,alpha=nan", "r=1,alpha=inf"])
def test_numbers_are_finite(text: str) -> None:
    with pytest.raises(ConfigError, match=r"expected a (positive number|share below 1), got '(nan|inf)'"):
        parse_lora(text)
