from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainers.config.base import Settings, help_of, section_of_field, sections
from trainers.config.cli import Given, ending_in_one_line, read_flags
from trainers.config.flags import flag_of, make_parser
from trainers.config.programs import PROGRAMS
from trainers.config.run import RunConfig
from trainers.config.tasks import EvaluateConfig, ExpertIterationConfig, ProveConfig, SftConfig
from trainers.errors import ConfigError, PolicyError


class Inner(Settings):
    """Something inside."""

    width: int = 3
    """How wide, 50%."""


class Outer(Settings):
    """A program."""

    name: str = "a"
    """Its name."""
    seed: int = 0
    """Its seed."""
    inner: Inner = Inner()


def read(*words: str, resumable: tuple[str, ...] = ()) -> Given[Outer]:
    return read_flags(Outer, words, "prog", "Does it.", resumable=resumable)


def test_nothing_given_is_nothing() -> None:
    assert read() == Given(Outer, "prog")
    assert read().settings() == Outer()


def test_flags_are_nested_and_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: b\ninner: {width: 4}\n")
    given = read("--config", str(tmp_path / "a.yaml"), "--width", "5")
    assert given.settings() == Outer(name="b", inner=Inner(width=5))
    assert given.settings(below={"name": "c", "seed": 6}) == Outer(name="b", seed=6, inner=Inner(width=5))


@pytest.mark.parametrize(
    ("words", "value"),
    [(["--proof-share", "null"], None), (["--proof-share", "0.5"], 0.5), ([], None)],
)
def test_a_flag_takes_null_where_the_help_shows_it(words: list[str], value: float | None) -> None:
    assert read_flags(RunConfig, words, "prog", "").settings().warm_start.proof_share == value
    assert "of 100 at most. [null]" in " ".join(make_parser(RunConfig, "prog", "").format_help().split())


def test_a_folder_may_be_named_null() -> None:
    assert read_flags(RunConfig, ["--run-dir", "null"], "prog", "").settings().run_dir == "null"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--nmae", "x"], "unknown flag --nmae; did you mean --name?"),
        (["--group-size", "3"], "unknown flag --group-size; python -m trainers.grpo or"),
        (["--qqq", "3"], "unknown flag --qqq; see --help"),
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


def test_a_setting_by_its_path_stands_between_file_and_flags(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"name": "b", "seed": 1, "inner": {"width": 4}}')
    words = ["--config", str(tmp_path / "a.json"), "--set", "seed=2", "--set", "inner.width=5"]
    assert read(*words).settings() == Outer(name="b", seed=2, inner=Inner(width=5))
    assert read(*words, "--width", "6").settings() == Outer(name="b", seed=2, inner=Inner(width=6))
    assert read("--set", "name='a=b: c'").settings() == Outer(name="a=b: c")
    assert read("--set", "name='1'").settings() == Outer(name="1")


def test_one_key_of_a_mapping_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("algo: {algorithm: dapo, algo_config: {beta: 0.1, epsilon: 0.3}}\nenv: SomeEnv-v0\n")
    words = [
        "--config",
        str(path),
        "--set",
        "algo.algo_config.beta=1e-2",
        "--set",
        "env.backend_options.a.b=[1]",
    ]
    config = read_flags(RunConfig, words, "prog", "Does it.").settings()
    assert config.algo.algorithm == "dapo"
    assert config.algo.algo_config == {"beta": 0.01, "epsilon": 0.3}
    assert (config.env.id, config.env.backend_options) == ("SomeEnv-v0", {"a": {"b": [1]}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed", "--set: expected PATH=VALUE, such as learner.lora=r=16, got 'seed'"),
        ("inner..width=3", "--set: expected PATH=VALUE"),
        ("=3", "--set: expected PATH=VALUE"),
        ("width=3", "--set unknown setting width; it belongs under the section 'inner'"),
        ("inner.widht=3", "--set unknown setting inner.widht; did you mean 'width'?"),
        ("inner.width=x", "--set inner.width: expected a whole number, got 'x'"),
        ("seed.x=1", "--set seed: expected a whole number, got {'x': 1}"),
    ],
)
def test_wrong_settings_by_path(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read("--set", text).settings()
    assert str(caught.value).startswith(message)


def test_a_run_that_goes_on_takes_no_paths(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("name: b\n")
    with pytest.raises(ConfigError, match="drop --set"):
        read("--resume", str(tmp_path), "--set", "name=c", resumable=("seed",))


def test_a_wrong_value_names_its_flag() -> None:
    with pytest.raises(ConfigError) as caught:
        read("--width", "x").settings()
    assert str(caught.value) == "--width: expected a whole number, got 'x'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nmae: b", "unknown setting nmae; did you mean 'name'?"),
        ("width: 4", "unknown setting width; it belongs under the section 'inner'"),
        ("inner: {widht: 4}", "unknown setting inner.widht; did you mean 'width'?"),
        ("inner: 4", "inner: expected settings under this section, got 4"),
        ("qqq: 4", "unknown setting qqq (valid: name, seed, inner)"),
        ("3: 4", "unknown setting 3 (valid: name, seed, inner)"),
        ("name: 4", "name: expected a text, got 4"),
        ("name: 4\nnmae: b", "unknown setting nmae; did you mean 'name'?"),
        (
            "inner: {k: 4}",
            "inner.k: prog does not use this setting, python -m trainers.evaluate does; remove it from the file",
        ),
    ],
)
def test_wrong_keys_and_values_of_a_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:  # a flag must not hide what stands in the place of its section
        read("--config", str(path), "--width", "5").settings()
    assert str(caught.value) == f"{path}: {message}"


def test_a_run_goes_on_with_its_own_settings(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("name: b\nseed: 4\n")
    given = read("--resume", str(tmp_path), "--seed", "5", resumable=("seed",))
    assert (given.settings(), given.resume) == (Outer(name="b", seed=5), tmp_path)
    with pytest.raises(ConfigError, match=r"drop --name \(may change: --seed\)"):
        read("--resume", str(tmp_path), "--name", "c", resumable=("seed",))
    with pytest.raises(ConfigError, match="drop --config"):
        read("--resume", str(tmp_path), "--config", "c", resumable=("seed",))
    with pytest.raises(ConfigError, match="no run to go on with"):
        read("--resume", str(tmp_path / "missing"), resumable=("seed",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "rounds: 4",
            "rounds: prog does not use this setting, python -m trainers.expert_iteration does; is it a run of prog?",
        ),
        ("qqq: 4", "unknown setting qqq (valid: name, seed, inner) (is it a run of prog?)"),
        ("name: 4", "name: expected a text, got 4"),
    ],
)
def test_a_run_of_another_program_is_not_gone_on_with(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        read("--resume", str(tmp_path), resumable=("seed",)).settings()
    assert str(caught.value) == f"{tmp_path / 'config.yaml'}: {message}"


def test_help_shows_the_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read("--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "Does it." in text
    assert "inner: Something inside." in text
    assert "--width N How wide, 50%. [3]" in text
    assert "--inner" not in text


@pytest.mark.parametrize(("program", "kind"), PROGRAMS.items(), ids=PROGRAMS)
def test_help_shows_the_usual_settings_and_all_of_them_on_demand(
    program: str, kind: type[Settings], capsys: pytest.CaptureFixture[str]
) -> None:
    every = set(section_of_field(kind))
    for option, expected in (("--help", set(kind.usual)), ("--help-all", every)):
        with pytest.raises(SystemExit) as ended:
            read_flags(kind, [option], program, "Does it.")
        assert ended.value.code == 0
        text = capsys.readouterr().out
        shown = {name for name in every if re.search(rf"^  {flag_of(name)}\b(?!-)", text, re.MULTILINE)}
        assert shown == expected
        assert f"shows all {len(every)}" in " ".join(text.split())
    assert 15 <= len(kind.usual) <= 22


@pytest.mark.parametrize("config", PROGRAMS.values(), ids=PROGRAMS)
def test_every_setting_has_a_sentence_and_one_home(config: type[Settings]) -> None:
    parts = [config, *sections(config).values()]
    plain = [name for part in parts for name in part.model_fields if name not in sections(part)]
    assert len(plain) == len(set(plain)) == len(section_of_field(config))
    for part in parts:
        assert all(
            help_of(part, name).endswith(".") for name in part.model_fields if name not in sections(part)
        )
    assert all(part.__doc__ != Settings.__doc__ for part in parts)


# Settings of a section that the program takes some of, and whole sections that it takes none of.
UNUSED = [
    ("python -m trainers.evaluate", "rollout", "reward"),
    ("python -m trainers.evaluate", "rollout", "group_size"),
    ("python -m trainers.sft", "rollout", "temperature"),
    ("python -m trainers.sft", "rollout", "reward"),
    ("python -m trainers.sft", "learner", None),
    ("python -m trainers.evaluate", "warm_start", None),
    ("python -m trainers.expert_iteration", "consolidation", None),
    ("python -m trainers.grpo", "endpoint", None),
    ("python -m trainers.progress", "learner", None),
    ("python -m trainers.progress", "rollout", "reward"),
]


@pytest.mark.parametrize(("program", "section", "name"), UNUSED)
def test_a_file_has_no_settings_without_effect(
    program: str, section: str, name: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{section}: {{{f'{name}: 3' if name else ''}}}\n")
    with pytest.raises(ConfigError) as caught:
        read_flags(PROGRAMS[program], ["--config", str(path)], program, "Does it.").settings()
    message = str(caught.value)
    assert message.startswith(
        f"{path}: {f'{section}.{name}' if name else section}: {program} does not use this"
    )
    assert message.endswith("does; remove it from the file")


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


@pytest.mark.parametrize(
    ("kind", "words", "values"),
    [
        (RunConfig, ["a.jsonl", "--seed", "1"], {"theorems": "a.jsonl"}),
        (RunConfig, ["--seed", "1", "a.jsonl", "b"], {"theorems": "a.jsonl,b"}),
        (RunConfig, ["a", "--seed", "1", "b"], {"theorems": "a,b"}),
        (SftConfig, ["a"], {"theorems": "a"}),
        (ExpertIterationConfig, ["a"], {"theorems": "a"}),
        (EvaluateConfig, ["runs/a", "b", "c"], {"policy": "runs/a", "theorems": "b,c"}),
        (EvaluateConfig, ["runs/a"], {"policy": "runs/a"}),
        (EvaluateConfig, ["b", "--policy", "runs/a"], {"policy": "runs/a", "theorems": "b"}),
        (ProveConfig, ["--tactics", "3", "theorem t : True"], {"theorem": "theorem t : True"}),
    ],
)
def test_words_without_a_flag(kind: type[Settings], words: list[str], values: dict[str, str]) -> None:
    named = read_flags(kind, words, "prog", "").named
    assert {name: named[name] for name in ("policy", "theorem", "theorems") if name in named} == values


@pytest.mark.parametrize(
    ("kind", "words", "line"),
    [
        (RunConfig, ["a", "--theorems", "b"], "got 'a' without a flag, beside --theorems"),
        (ProveConfig, ["theorem", "t", ":", "True"], "got 't' ':' 'True' without a flag, beside --theorem"),
        (RunConfig, ["a", "--resume", "runs/a"], "--resume takes the run's own settings; drop --theorems"),
    ],
)
def test_words_without_a_place_are_refused(kind: type[Settings], words: list[str], line: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(line)):
        read_flags(kind, words, "prog", "", resumable=["workers"])


def test_a_program_without_such_settings_takes_no_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read("a")
    assert "unrecognized arguments: a" in capsys.readouterr().err
