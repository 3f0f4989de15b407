"""The load test on two clients: right answers are counted as right, lost and wrong ones are seen."""

from __future__ import annotations

import pytest

from benchmarks.serving import main, make_source, measure, sure_answers
from trainers.proving.serving.asks import Ask
from trainers.proving.serving.sampler import Sampler


@pytest.mark.slow
def test_all_answers_are_there_and_right(capsys) -> None:
    assert main(["--clients", "2", "--requests", "2", "--rounds", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 clients, 2 requests each, ")
    assert [line.split()[0] for line in lines[2:4]] == ["64", "1"]
    assert [line.split()[-2:] for line in lines[2:4]] == [["0", "0"], ["0", "0"]]
    assert lines[4].startswith("answers a second, batched to one at a time: ")


def test_a_wrong_and_a_lost_answer_are_seen(monkeypatch) -> None:
    source = make_source(seed=0)
    expected = sure_answers(source, 3)
    lost, *others = expected
    answered = Sampler.answer

    def failing(self: Sampler, batch: list[Ask]) -> object:
        return [
            ValueError() if ask.text == lost else one
            for ask, one in zip(batch, answered(self, batch), strict=True)
        ]

    monkeypatch.setattr(Sampler, "answer", failing)
    row = measure(source, 1, [list(expected)], {**expected, others[0]: "another"})
    assert (row.lost, row.wrong) == (1, 1)
