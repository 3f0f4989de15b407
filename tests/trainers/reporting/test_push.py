"""The folder of a policy for the Hugging Face hub, and its upload to a stand-in of the hub's client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import ModelCard

from trainers.push import main
from trainers.reporting.model_card import model_card
from trainers.reporting.run_folder import read_run


@pytest.fixture
def run(write_run: Any) -> Path:
    folder = Path(
        write_run(config={"model": "owner/base", "rollout": {"group_size": 4}, "algo": {"algorithm": "gspo"}})
    )
    (folder / "policy").mkdir()
    (folder / "policy" / "model.safetensors").write_bytes(b"weights")
    (folder / "policy" / "README.md").write_text("the card of another library")
    (folder / "policy" / ".hidden").write_text("no")
    return folder


def test_the_folder_has_the_policy_and_a_card(run: Path, tmp_path: Path) -> None:
    assert main([str(run), "me/prover", "--out", str(tmp_path / "out")]) == 0
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {"model.safetensors", "README.md"}
    card = ModelCard.load(tmp_path / "out" / "README.md")  # the hub's own reader
    assert card.data.base_model == "owner/base"
    assert card.data.library_name == "transformers"
    found = {result.metric_type: result.metric_value for result in card.data.eval_results or []}
    assert found == {"pass@1": 0.5, "pass@8": 0.5}
    text = card.text
    assert "| pass@1 | 12.5% | 50.0% |" in text
    assert "| automation, best single script; any script | 75.0%; 87.5% | |" in text
    assert "| `algo.algorithm` | `gspo` |" in text
    assert "python -m trainers.evaluate --policy me/prover --theorems theorems.jsonl" in text


def test_no_path_of_the_machine_is_in_the_card(run: Path) -> None:
    settings = yaml.safe_load((run / "config.yaml").read_text())
    assert str(run.parent) in settings["theorems"]
    settings |= {"model": str(run / "base"), "backend_options": {"project_path": str(run)}}
    (run / "config.yaml").write_text(yaml.safe_dump(settings))
    card = model_card(read_run(run, "run"), "me/prover")
    assert str(run.parent) not in card
    assert "base_model" not in card


def test_a_setting_breaks_out_of_no_cell(run: Path) -> None:
    settings = yaml.safe_load((run / "config.yaml").read_text())
    settings["algo"]["algorithm"] = "x` | y\n\n# heading <script>"
    (run / "config.yaml").write_text(yaml.safe_dump(settings))
    lines = model_card(read_run(run, "run"), "me/prover").splitlines()
    [line] = [line for line in lines if "algo.algorithm" in line]
    assert line == "| `algo.algorithm` | `x' / y  # heading <script>` |"


def test_a_run_that_is_not_over_has_a_card_without_results(write_run: Any) -> None:
    card = model_card(read_run(write_run(finished=False), "run"), "me/prover")
    assert "## Results" not in card
    assert "model-index" not in card


class Hub:
    """Stand-in for `HfApi`: keeps what is uploaded, or refuses."""

    refuses = False
    calls: list[Any]

    def __init__(self) -> None:
        type(self).calls = []

    def create_repo(self, name: str, private: bool, exist_ok: bool) -> str:
        if self.refuses:
            raise OSError("401 Client Error\nno token")
        self.calls.append((name, private, exist_ok))
        return f"https://hub/{name}"

    def upload_folder(self, repo_id: str, folder_path: Path, commit_message: str) -> None:
        self.calls.append((repo_id, sorted(path.name for path in folder_path.iterdir())))


@pytest.mark.parametrize(("words", "private"), [([], True), (["--public"], False)])
def test_upload(
    run: Path,
    words: list[str],
    private: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("huggingface_hub.HfApi", Hub)
    assert main([str(run), "me/prover", *words]) == 0
    assert Hub.calls == [("me/prover", private, True), ("me/prover", ["README.md", "model.safetensors"])]
    assert capsys.readouterr().out == "uploaded: https://hub/me/prover\n"


def test_mistakes_are_one_line(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.HfApi", Hub)
    monkeypatch.setattr(Hub, "refuses", True)
    for words, message in (
        (
            [str(run), "me/prover"],
            "the hub does not take me/prover: 401 Client Error no token; hf auth login",
        ),
        ([str(run), "prover"], "expected a repository OWNER/NAME, got 'prover'"),
        ([str(run), "../x/y"], "expected a repository OWNER/NAME"),
        ([str(run), "me/prover", "--out", str(tmp_path)], "expected a folder that does not exist yet"),
        ([str(tmp_path), "me/prover"], "no run there"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        shown = capsys.readouterr().err
        assert message in shown
        assert shown.count("\n") == 1
