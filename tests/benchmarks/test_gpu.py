from __future__ import annotations

import pytest
import torch

from benchmarks.gpu import main, specified_teraflops, utilisation


def test_without_a_gpu_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    errors = capsys.readouterr().err
    assert errors.startswith("error: no GPU: torch finds no CUDA device")
    assert errors.count("\n") == 1


def test_an_unknown_size(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--device", "cpu", "--size", "0.6"])
    assert "unknown size '0.6'; did you mean '0.6b'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "teraflops"),
    [
        ("NVIDIA H200", 989.0),
        ("NVIDIA H100 80GB HBM3", 989.0),
        ("NVIDIA H100 PCIe", 756.0),
        ("NVIDIA A100-SXM4-80GB", 312.0),
        ("NVIDIA L40S", 362.0),
        ("NVIDIA L4", 121.0),
        ("NVIDIA L40", None),
        ("Tesla V100-SXM2-16GB", None),
    ],
)
def test_what_gpus_are_specified_for(name: str, teraflops: float | None) -> None:
    assert specified_teraflops(name) == teraflops


def test_utilisation_by_hand() -> None:
    """2e12 operations in 4 s are 0.5e12 a second: a quarter of two."""
    assert utilisation([2e12, 8e12], [4.0, 4.0], teraflops=2.0) == [25.0, 100.0]
