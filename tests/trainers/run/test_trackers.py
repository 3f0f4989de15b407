"""Recorders of scalars, samples and settings, and that a resumed run records each point once."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.learning.learner import Learner
from trainers.run.monitor import Monitor
from trainers.run.trackers.opening import check_packages, open_trackers
from trainers.run.trackers.tensorboard import LAYOUT

SETTINGS = {"seed": 3, "learner.lora": "", "save": True, "run_dir": None, "sizes": [1, 2]}


class StandIn(ModuleType):
    """A module with the part of the interface that wandb and trackio share; it records the calls."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.calls: list[tuple[str, Any]] = []
        self.fails = False
        self.__spec__ = ModuleSpec(name, None)  # it counts as installed

    def init(self, **options: Any) -> StandIn:
        if self.fails:
            raise RuntimeError("no key\nis set")
        self.calls.append(("init", options))
        return self

    def define_metric(self, name: str, **options: Any) -> None:
        self.calls.append(("define_metric", (name, options)))

    def log(self, values: dict[str, Any], step: int) -> None:
        self.calls.append(("log", (values, step)))

    def finish(self) -> None:
        self.calls.append(("finish", None))

    def of(self, name: str) -> list[Any]:
        return [content for call, content in self.calls if call == name]

    Html = staticmethod(lambda text: ("html", text))
    Histogram = staticmethod(lambda values: ("histogram", values))
    Settings = staticmethod(lambda **options: options)


@pytest.fixture(params=["wandb", "trackio"])
def hosted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    made = StandIn(request.param)
    monkeypatch.setitem(sys.modules, request.param, made)
    monkeypatch.delenv(f"{request.param.upper()}_PROJECT", raising=False)
    return made


def play(
    folder: Path, names: list[str], first: int, last: int, written: dict[str, int] | None
) -> dict[str, int]:
    """A part of a run: a point of the warm start, then an iteration each; returns the sizes after iteration 2."""
    trackers = open_trackers(names, folder, SETTINGS, written)
    sizes: dict[str, int] = {}
    for tracker in trackers:
        if first == 1:
            tracker.scalars({"warm_start/loss": 2.0}, 0)
        for number in range(first, last + 1):
            tracker.scalars({"proof/new": number / 3, "reward/mean": 0.5}, number)
            tracker.histogram("proof/lengths", [1.0, 2.0, 2.0], number)
            tracker.text("samples/proofs", f"<b>{number}", number)
            if number == 2:
                sizes |= tracker.flush()
        tracker.end()
        tracker.close()
    return sizes


def test_files_are_cut_back_to_the_point_of_a_resumed_run(tmp_path: Path) -> None:
    names = ["tensorboard", "csv"]
    sizes = play(tmp_path, names, 1, 4, None)
    assert "metrics.csv" in sizes
    play(tmp_path, names, 3, 5, sizes)

    every = {"scalars": 0, "histograms": 0, "tensors": 0}
    events = EventAccumulator(str(tmp_path), every, purge_orphaned_data=False).Reload()
    assert sorted(event.step for event in events.Scalars("proof/new")) == [1, 2, 3, 4, 5]
    assert sorted(event.step for event in events.Histograms("proof/lengths")) == [1, 2, 3, 4, 5]
    samples = events.Tensors("samples/proofs/text_summary")
    assert sorted(event.tensor_proto.string_val[0] for event in samples) == [
        f"    <b>{number}".encode() for number in (1, 2, 3, 4, 5)
    ]
    with (tmp_path / "metrics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    points = [(row["scalar"], int(row["step"]), float(row["value"])) for row in rows]
    assert points == [
        ("warm_start/loss", 0, 2.0),
        *(
            point
            for number in (1, 2, 3, 4, 5)
            for point in (("proof/new", number, number / 3), ("reward/mean", number, 0.5))
        ),
    ]


def test_the_page_of_hparams_has_settings_and_results(tmp_path: Path) -> None:
    sizes = play(tmp_path, ["tensorboard"], 1, 2, None)
    play(tmp_path, ["tensorboard"], 3, 3, sizes)
    found: dict[str, list[HParamsPluginData]] = {}
    for path in tmp_path.glob("events*"):
        events = EventAccumulator(str(path)).Reload()
        for tag, content in events.PluginTagToContent("hparams").items():
            found.setdefault(tag, []).append(HParamsPluginData.FromString(content))
    [start] = found["_hparams_/session_start_info"]
    values = start.session_start_info.hparams
    assert values["seed"].number_value == 3
    assert values["save"].string_value == "true"
    assert values["sizes"].string_value == "[1, 2]"
    [experiment] = found["_hparams_/experiment"]
    assert [each.name.tag for each in experiment.experiment.metric_infos] == [
        "eval/pass_at_1",
        "eval/pass_at_8",
    ]
    assert found["_hparams_/session_end_info"]


@pytest.mark.parametrize(("group", "prefix"), [("The provers", "pool/"), ("Where the time goes", "time/")])
def test_two_charts_divide_scalars_of_different_size(
    group: str, prefix: str, documented: dict[str, str]
) -> None:
    charts = {name: chart[1] for name, chart in LAYOUT[group].items()}
    found: dict[str, list[str]] = {name: [] for name in charts}
    for scalar in (name for name in documented if name.startswith(prefix)):
        on = [name for name, patterns in charts.items() if any(re.match(each, scalar) for each in patterns)]
        assert len(on) == 1, (scalar, on)
        found[on[0]].append(scalar)
    assert len(found) == 2
    assert all(found.values())


def test_a_hosted_record_has_each_point_once(hosted: StandIn, tmp_path: Path) -> None:
    name = hosted.__name__
    sizes = play(tmp_path, [name], 1, 4, None)
    assert sizes == {}
    play(tmp_path, [name], 3, 5, sizes)  # goes on from iteration 2; 3 and 4 are recorded already

    points = [(key, step) for values, step in hosted.of("log") for key in values if key == "proof/new"]
    values = [values["proof/new"] for values, _ in hosted.of("log") if "proof/new" in values]
    assert values == pytest.approx([number / 3 for number in (1, 2, 3, 4, 5)])
    assert len(points) == 5
    texts = [values["samples/proofs"] for values, _ in hosted.of("log") if "samples/proofs" in values]
    assert texts == [("html", f"<pre>&lt;b&gt;{number}</pre>") for number in (1, 2, 3, 4, 5)]
    steps = [step for _, step in hosted.of("log")]
    if name == "wandb":  # whose own steps must ascend
        assert steps == list(range(1, 1 + 1 + 3 * 5))
        axis = [values["iteration"] for values, _ in hosted.of("log")]
        assert axis == [0, *(number for number in (1, 2, 3, 4, 5) for _ in range(3))]
    else:
        assert steps == [0, *(number for number in (1, 2, 3, 4, 5) for _ in range(3))]
    first, second = hosted.of("init")
    key = "id" if name == "wandb" else "name"
    assert first[key] == second[key]
    assert (first["project"], first["config"]) == ("lean-gym", SETTINGS)
    assert len(hosted.of("finish")) == 2


def test_another_run_is_another_record(hosted: StandIn, tmp_path: Path) -> None:
    for folder in (tmp_path / "a" / "run", tmp_path / "b" / "run"):
        folder.mkdir(parents=True)
        play(folder, [hosted.__name__], 1, 1, None)
    first, second = hosted.of("init")
    key = "id" if hosted.__name__ == "wandb" else "name"
    assert first[key] != second[key]


def test_a_service_that_does_not_start_is_one_line(hosted: StandIn, tmp_path: Path) -> None:
    hosted.fails = True
    with pytest.raises(ConfigError, match=rf"^report_to: {hosted.__name__} does not start: no key is set$"):
        open_trackers(["csv", hosted.__name__], tmp_path, SETTINGS, None)
    (tmp_path / f"{hosted.__name__}.json").write_text(json.dumps({"id": "x"}))
    with pytest.raises(ConfigError, match="is damaged"):
        open_trackers([hosted.__name__], tmp_path, SETTINGS, {})


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "trainers.run.trackers.opening.find_spec", lambda name: None if name == "wandb" else name
    )
    check_packages(["tensorboard", "csv"])
    with pytest.raises(ConfigError, match=re.escape("pip install 'lean-gym[wandb]'")):
        check_packages(["csv", "wandb"])


def test_a_new_run_writes_over_no_csv_file(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        open_trackers(["tensorboard", "csv"], tmp_path, SETTINGS, None)
    assert (tmp_path / "metrics.csv").read_text() == "mine"


def test_a_recorder_that_fails_keeps_no_other_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trackers = open_trackers(["tensorboard", "csv"], tmp_path, SETTINGS, None)
    closed: list[str] = []
    for tracker in trackers:
        plain = tracker.close

        def close(plain: Callable[[], None] = plain) -> None:
            plain()
            closed.append("closed")
            raise ConfigError("cannot write")

        monkeypatch.setattr(tracker, "close", close)
    with pytest.raises(ConfigError, match="cannot write"):
        Monitor(Console(quiet=True), trackers).close()
    assert len(closed) == 2


@pytest.mark.timeout(300)
def test_a_run_that_died_goes_on_in_a_hosted_record(
    hosted: StandIn, start: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies in its last iteration, whose predecessor is not in the checkpoint and is played again."""
    plain, updates = Learner.update, []

    def update(self: Learner, *arguments: Any, **options: Any) -> Any:
        updates.append(None)
        if len(updates) == 3:
            raise KeyboardInterrupt
        return plain(self, *arguments, **options)

    words = ["--report-to", f"tensorboard,{hosted.__name__}", "--checkpoint-every", "0", "--no-automation"]
    with monkeypatch.context() as patched:
        patched.setattr(Learner, "update", update)
        with pytest.raises(SystemExit):
            start("run", *words)
    assert any("proof/new" in values for values, _ in hosted.of("log"))
    before = len(hosted.of("log"))
    assert main(["--resume", str(tmp_path / "run")]) == 0
    assert len(hosted.of("log")) > before

    recorded = [
        (name, values["iteration"] if hosted.__name__ == "wandb" else step)
        for values, step in hosted.of("log")
        for name, value in values.items()
        if isinstance(value, float)
    ]
    events = EventAccumulator(str(tmp_path / "run"), purge_orphaned_data=False).Reload()
    written = [(tag, event.step) for tag in events.Tags()["scalars"] for event in events.Scalars(tag)]
    assert sorted(recorded) == sorted(written)
    assert {step for name, step in recorded if name == "proof/new"} == {1, 2, 3, 4}
