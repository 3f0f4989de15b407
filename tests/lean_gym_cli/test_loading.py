"""Modules that programs load before they work: torch and transformers take seconds, the embedded Lean half of one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from lean_gym_cli.verbs import OTHERS, VERBS, Verb

ROOT = Path(__file__).resolve().parents[2]
PROVING = ("python -m minilean", "python -m lean_gym trace")
"""Beginnings of the programs that are the embedded Lean's own."""
MISTAKES = (
    ("trainers.grpo", "--group-size", "x"),
    ("trainers.grpo", "--config", "/nowhere.yaml"),
    ("trainers.grpo", "--theorems", "/nowhere.jsonl"),
    ("trainers.grpo", "--model", "/nowhere"),
    ("trainers.grpo", "--model", "demo:nowhere"),
    ("trainers.grpo", "--resume", "/nowhere"),
    ("trainers.sft", "--theorems", "/nowhere.jsonl"),
    ("trainers.sft", "--model", "/nowhere"),
    ("trainers.expert_iteration", "--theorems", "/nowhere.jsonl"),
    ("trainers.expert_iteration", "--model", "/nowhere"),
    ("trainers.progress", "--theorems", "/nowhere.jsonl"),
    ("trainers.progress", "--policy", "/nowhere"),
    ("trainers.evaluate", "--policy", "/nowhere"),
    ("trainers.serve", "--policy", "/nowhere"),
    ("trainers.prove",),
    ("trainers.prove", "--theorem", "nowhere"),
    ("trainers.prove", "--policy", "/nowhere", "theorem t : 1 = 1"),
    ("trainers.lifelong",),
    ("trainers.retrieval", "train"),
    ("trainers.report", "/nowhere"),
    ("trainers.export", "/nowhere", "--lean", "/nowhere"),
    ("trainers.push", "/nowhere", "a/b"),
    ("trainers.database", "export", "out", "--database", "/nowhere.db"),
)
# Takes command lines as JSON, carries out one after the other, and prints what each has loaded in addition.
PROGRAM = """\
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
HEAVY = {"torch", "transformers", "minilean.kernel", "gymnasium", "numpy"}
for module, *words in json.load(sys.stdin):
    before = HEAVY & set(sys.modules)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            status = import_module(module).main(words)
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, *sorted(HEAVY & set(sys.modules) - before)]))
"""


def loaded(lines: list[list[str]]) -> list[tuple[str, list[str]]]:
    """Carry out command lines in one new process.

    Returns:
        For each, its words with its exit status, and the heavy modules that it has loaded in addition.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(lines),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        (f"{' '.join(words)}: {status}", heavy) for words, (status, *heavy) in zip(lines, found, strict=True)
    ]


def help_of(verb: Verb) -> list[str]:
    return [verb.module, *verb.words, "--help"]


def test_help_loads_what_it_prints() -> None:
    """In an order in which each group may load more than the one before."""
    from trainers.config.programs import PROGRAMS

    programs = [*VERBS.values(), *OTHERS]
    settings = [each for each in programs if each.twin in PROGRAMS]
    torch = [each for each in programs if each.waits]
    proving = [each for each in programs if each.twin.startswith(PROVING)]
    light = [each for each in programs if each not in (*settings, *torch, *proving)]
    assert len(settings) >= 8 and len(light) >= 10
    assert [each.module for each in torch] == ["trainers.algorithms.__main__"]
    lines = loaded([help_of(each) for each in (*settings, *light, *proving, *torch)])
    assert all(line.endswith((" --help: 0", " --help: None")) for line, _ in lines), lines
    at = 0
    for group, allowed in (
        (settings, set()),
        (light, {"gymnasium", "numpy"}),
        (proving, {"minilean.kernel"}),
        (torch, {"torch"}),
    ):
        for line, heavy in lines[at : at + len(group)]:
            assert set(heavy) <= allowed, line
        at += len(group)


def test_a_mistake_is_told_before_torch_is_loaded() -> None:
    for line, heavy in loaded([list(words) for words in MISTAKES]):
        assert line.endswith(": 2"), line
        assert not {"torch", "transformers"} & set(heavy), line
