from __future__ import annotations

from pathlib import Path

import pytest

from trainers.errors import ConfigError
from trainers.evaluation.episode_log import EpisodeLog, LoggedEpisode

HEADER = {"policy": "p", "seed": 0}
ROWS = [
    LoggedEpisode("a", 0, "proved", ("intro ∀", "two\nlines"), 3, 1),
    LoggedEpisode("a", 1, "step_limit", (), 9, 9),
]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    EpisodeLog(tmp_path / "log", HEADER).append(ROWS)
    log = EpisodeLog(tmp_path / "log", HEADER)
    assert log.rows == ROWS
    assert log.holds([("a", 0), ("a", 1)])
    assert not log.holds([("a", 0), ("a", 2)])


def test_a_line_cut_off_by_a_kill_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    EpisodeLog(path, HEADER).append(ROWS)
    whole = path.read_bytes()
    for cut in (1, 5, 40):
        path.write_bytes(whole[:-cut])
        log = EpisodeLog(path, HEADER)
        assert log.rows == ROWS[:1]
        log.append(ROWS[1:])
        assert path.read_bytes() == whole


def test_an_episode_played_again_replaces_the_first(tmp_path: Path) -> None:
    log = EpisodeLog(tmp_path / "log", HEADER)
    log.append(ROWS)
    again = LoggedEpisode("a", 1, "proved", ("rfl",), 1, 0)
    log.append([again])
    assert EpisodeLog(tmp_path / "log", HEADER).rows == [ROWS[0], again]


def test_another_measurement_is_refused_by_what_differs(tmp_path: Path) -> None:
    header = HEADER | {"rollout": {"temperature": 1.0, "history": 0}}
    EpisodeLog(tmp_path / "log", header).append(ROWS)
    with pytest.raises(ConfigError, match=r"another seed \(there: 0, asked for: 1\); take another --out-dir"):
        EpisodeLog(tmp_path / "log", header | {"seed": 1})
    with pytest.raises(ConfigError, match=r"another temperature \(there: 1.0, asked for: 2.0\)"):
        EpisodeLog(tmp_path / "log", header | {"rollout": {"temperature": 2.0, "history": 0}})


def test_a_log_without_episodes_is_started_again(tmp_path: Path) -> None:
    """A log with a header only, as after a policy that could not be loaded."""
    EpisodeLog(tmp_path / "log", HEADER)
    other = HEADER | {"seed": 1}
    EpisodeLog(tmp_path / "log", other).append(ROWS)
    assert EpisodeLog(tmp_path / "log", other).rows == ROWS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not hold the settings"),
        ("\ufeff", "cannot read the episodes in .*: not UTF-8 text"),
        ("[]\n", "does not hold the settings"),
        ('{"policy": "p", "seed": 0}\n{"theorem": "a"}\n', "line 2: expected a finished episode, got"),
        ('{"policy": "p", "seed": 0}\nnonsense\n', "line 2: expected a finished episode, got 'nonsense'"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "log").write_text(text, encoding="utf-16" if text.startswith("\ufeff") else "utf-8")
    with pytest.raises(ConfigError, match=message):
        EpisodeLog(tmp_path / "log", HEADER)
