from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor

from trainers.algorithms import ALGORITHMS, create_algorithm
from trainers.algorithms.__main__ import main, table

ROOT = Path(__file__).resolve().parents[3]


def page(name: str) -> str:
    """Docstring of the page an algorithm is on."""
    return sys.modules[ALGORITHMS[name].__module__].__doc__ or ""


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_each_algorithm_carries_its_name(name: str) -> None:
    assert create_algorithm(name).name == name


@pytest.mark.parametrize("name", ["grop", "gpro", "dr-grpo", "GSPO", "ppo2d"])
def test_unknown_name_gets_a_suggestion(name: str) -> None:
    nearest = {
        "grop": "did you mean 'grpo'",
        "gpro": "did you mean 'grpo'",
        "dr-grpo": "did you mean 'dr_grpo'",
        "GSPO": "did you mean 'gspo'",
        "ppo2d": "known: cispo, dapo",
    }
    with pytest.raises(ValueError, match=f"unknown algorithm '{name}'.*{nearest[name]}"):
        create_algorithm(name)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_each_page_has_equation_paper_defaults_and_differences(name: str) -> None:
    text = page(name)
    assert re.search(r"^    .*L = ", text, flags=re.MULTILINE)
    for paper in ALGORITHMS[name].paper.split(" + "):
        assert f"arXiv:{paper}" in text
    assert re.search(r"^    setting +here +papers?$", text, flags=re.MULTILINE)
    assert re.search(r"^1\. .*^2\. ", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_the_defaults_on_a_page_are_the_defaults(name: str) -> None:
    settings = create_algorithm(name).settings
    block = re.search(r"^    setting +here .*\n((?:    \w.*\n)+)", page(name), flags=re.MULTILINE)
    assert block is not None
    shown = [line.split()[:2] for line in block.group(1).splitlines()]
    assert len(shown) >= 3
    for key, value in shown:
        assert str(getattr(settings, key)).lower() in (value, f"{value}.0"), key


def test_the_table_has_every_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(ALGORITHMS)]] == list(ALGORITHMS)
    for name, line in zip(ALGORITHMS, table().splitlines()[2:], strict=True):
        assert ALGORITHMS[name].use_when in line and ALGORITHMS[name].paper in line


def test_an_unknown_name_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sap"]) == 2
    assert capsys.readouterr().err.startswith("error: unknown algorithm 'sap'; did you mean 'sapo'?")


def test_help_says_what_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "python -m trainers.algorithms dapo" in capsys.readouterr().out


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """The page that CONTRIBUTING shows, put into the registry as it says."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"## Add an algorithm.*?```python\n(.*?)```", text, flags=re.DOTALL)
    assert block is not None
    module = ModuleType("toy")
    monkeypatch.setitem(sys.modules, "toy", module)
    exec(compile(block.group(1), "toy.py", "exec"), module.__dict__)
    assert '`"toy": "toy:Toy",`' in text
    monkeypatch.setitem(ALGORITHMS, "toy", module.Toy)
    return "toy"


def test_the_algorithm_in_contributing_works(toy: str, rows: dict[str, Tensor]) -> None:
    algorithm = create_algorithm(toy, scale=2.0)
    assert algorithm.compute_advantages([0.0, 0.0, 3.0]).tolist() == [-1.0, -1.0, 2.0]
    leaf = rows["logprobs"].clone().requires_grad_()
    algorithm.compute_loss(rows | {"logprobs": leaf}).backward()
    # 15 tokens in all; the gradient of each is -2 A / 15.
    expected = -2.0 * rows["advantages"][:, None] * rows["mask"] / 15
    assert leaf.grad is not None and torch.allclose(leaf.grad, expected)
    assert set(algorithm.compute_metrics(rows)) == {"clip_fraction", "kl", "ratio", "update_kl"}
    assert "showing how to write one" in table()
    with pytest.raises(ValueError, match="unknown setting of toy 'epsilon'"):
        create_algorithm(toy, epsilon=0.1)
    with pytest.raises(ValueError, match="scale: expected a number above 0, got 0"):
        create_algorithm(toy, scale=0)
