"""Admission of REPL processes by the memory that is left."""

import time

import pytest

from lean_gym import process_state
from lean_gym.backends.pantograph import admission, facts
from lean_gym.errors import NoMemoryLeft, StateLost
from tests.lean_gym.backends.pantograph.test_fleet import prove, theorem


@pytest.fixture
def free(monkeypatch):
    """Sets the MiB that are left, or a function that returns them."""

    def set_to(mib):
        monkeypatch.setattr(admission, "free_mib", mib if callable(mib) else lambda: mib)

    monkeypatch.setattr(admission, "PATIENCE_SECONDS", 0.5)
    return set_to


def test_the_first_process_shows_what_one_takes(counted):
    backend = counted.backend()
    kind = backend._fleet._settings.kind(["A"])
    assert admission.fits(kind) is None
    assert prove(backend, theorem("A"))
    assert 1 <= facts.known("memory", kind) < 200
    assert admission.fits(kind) > 0


def test_without_memory_one_line_says_so_and_nothing_is_lost(counted, free):
    assert prove(counted.backend(), theorem("A"))
    counted.forget()
    backend = counted.backend()
    free(admission._SPARE_MIB + 1)
    for _ in range(2):
        with pytest.raises(
            NoMemoryLeft, match=r"that imports A takes \d+ MiB, and 257 MiB .* fewer workers"
        ) as raised:
            backend.start(theorem("A"))
        assert "\n" not in str(raised.value)
    assert counted.starts() == []
    free(10_000)
    assert prove(backend, theorem("A"))


def test_imports_are_not_blamed_for_the_memory(counted, free):
    """Others could be loaded, which makes a theorem's own imports wrong in other cases."""
    backend = counted.backend()
    for module in ("A", "B"):
        assert prove(backend, theorem(module))
    other = counted.backend()
    assert prove(other, theorem("B"))
    free(0)
    with pytest.raises(NoMemoryLeft):
        other.start(theorem("A"))


def test_a_process_waits_for_memory(counted, free):
    assert prove(counted.backend(), theorem("A"))
    asked = []

    def grows():
        asked.append(1)
        return 10_000 if len(asked) > 4 else 0

    backend = counted.backend()
    free(grows)
    assert backend.start(theorem("A")).goals
    assert len(asked) > 4


def test_processes_with_other_imports_end_where_memory_is_short(counted, free):
    backend = counted.backend()
    for module in ("A", "B"):
        assert prove(backend, theorem(module))
    backend.close()
    backend = counted.backend()
    assert prove(backend, theorem("A"))
    free(lambda: 0 if backend._fleet._running > 1 else 10_000)
    counted.forget()
    assert prove(backend, theorem("B"))
    assert list(backend._fleet._members) == [("B",)]
    free(10_000)
    assert prove(backend, theorem("A"))
    assert counted.starts().count("B") == 2  # one for the episode, one that judges


def test_no_tactic_ends_a_run_by_taking_the_memory(counted, free):
    """A process that replaces a lost one, or judges, starts as before the memory was gone."""
    backend = counted.backend()
    assert prove(backend, theorem("A"))
    state = backend.apply(backend.start(theorem("A")), "exact h").state
    backend._fleet._members[("A",)].repl.process.close()
    backend._fleet.judge(("A",)).close()
    free(0)
    with pytest.raises(StateLost):
        backend.apply(state, "exact h")
    assert prove(backend, theorem("A"))


def test_a_judge_starts_no_successor_without_memory(counted, free):
    backend = counted.backend()
    assert prove(backend, theorem("A"))
    judge = backend._fleet.judge(("A",))
    free(0)
    assert judge._launched() is None
    free(10_000)
    started = judge._launched()
    assert started is not None
    started.close()


def test_no_more_start_at_a_time_than_the_memory_holds(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(admission, "_STAGGER_SECONDS", 0.3)

    def seconds_of_third(fitting):
        monkeypatch.setattr(admission, "fits", lambda kind: fitting)
        with admission.turn(["k"], 4), admission.turn(["k"], 4):
            began = time.monotonic()
            with admission.turn(["k"], 4):
                return time.monotonic() - began

    assert seconds_of_third(2) >= 0.3
    assert seconds_of_third(None) >= 0.3  # what one takes is not known
    monkeypatch.setattr(admission, "_STAGGER_SECONDS", 60.0)
    assert seconds_of_third(3) < 60.0


MIB = 1024 * 1024
SECOND_VERSION = ("memory.max", "memory.current", "inactive_file")
FIRST_VERSION = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


@pytest.mark.parametrize(
    ("line", "folder", "names"),
    [
        ("0::/job/step", "job/step", SECOND_VERSION),
        ("4:memory:/job/step", "memory/job/step", FIRST_VERSION),
        ("4:memory:/docker/elsewhere", "memory", FIRST_VERSION),
    ],
)
def test_limits_of_groups_count(line, folder, names, tmp_path, monkeypatch):
    groups = tmp_path / "groups"
    own = groups / folder
    own.mkdir(parents=True)
    (tmp_path / "own").write_text(f"9:pids:/x\n{line}\n")
    monkeypatch.setattr(process_state, "CONTROL_GROUPS", groups)
    monkeypatch.setattr(process_state, "_OWN_GROUPS", tmp_path / "own")
    limit, used, files = names
    assert process_state.free_mib() > 100
    (own / limit).write_text(f"{100 * MIB}\n")
    (own / used).write_text(f"{70 * MIB}\n")
    assert process_state.free_mib() == 30
    (own / "memory.stat").write_text(f"anon 5\n{files} {20 * MIB}\n")
    assert process_state.free_mib() == 50
    above = own.parent
    if above != groups.parent and folder != "memory":  # the limit of a group holds for those inside it
        (above / limit).write_text(f"{100 * MIB}\n")
        (above / used).write_text(f"{99 * MIB}\n")
        assert process_state.free_mib() == 1
    (own / limit).write_text("max\n")
    (above / limit).unlink(missing_ok=True)
    assert process_state.free_mib() > 100
