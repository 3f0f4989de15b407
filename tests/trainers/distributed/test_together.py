"""`--processes N`: one run in several processes that the program starts itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from trainers.distributed.stopped import BackgroundWatch
from trainers.distributed.together import run_together
from trainers.grpo import main
from trainers.run.checkpoint import load_checkpoint

SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "processes": 2,
    "max_iterations": 2,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {"proof_share": 0.25, "warm_start_epochs": 2, "warm_start_batch": 4},
    "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 6, "max_tactic_tokens": 8},
    # Another prover process for a moment; one test has it, in which the second process waits.
    "evaluation": {"automation": False},
}
TWO_OF = [
    sys.executable,
    "-c",
    "import sys; from trainers.distributed.together import run_together\nsys.exit(run_together(2, sys.argv[1:]))",
]
"""Start of a program, given after it, in two processes."""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("RANK", "WORLD_SIZE")}


def words(tmp_path: Path, theorems: Path, **changes: Any) -> list[str]:
    settings = tmp_path / "settings.yaml"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorems)} | changes))
    return [
        sys.executable,
        "-m",
        "trainers.grpo",
        "--config",
        str(settings),
        "--run-dir",
        str(tmp_path / "run"),
    ]


def start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=ENVIRONMENT,
    )


def wait_for_training(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert any(line.startswith("held out, after 0 iterations") for line in process.stdout)


def test_two_processes_carry_out_one_run(tmp_path: Path, theorem_file: Path) -> None:
    command = words(tmp_path, theorem_file, evaluation={"automation": True})
    command += ["--num-generations", "4"]  # a word of another system, told once
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=110)
    note = "note: num_generations is rollout.group_size here: 4\n"
    assert (done.returncode, done.stderr) == (0, note)
    assert done.stdout.count("held out, after 2 iterations") == 1
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["tactics"] > 0
    assert yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())["processes"] == 2
    # One process goes on with it.
    assert main(["--resume", str(tmp_path / "run"), "--max-iterations", "3", "--processes", "1"]) == 0
    assert load_checkpoint(tmp_path / "run" / "checkpoint.pt")[0].iteration == 3


def test_a_mistake_is_one_line(tmp_path: Path, theorem_file: Path) -> None:
    (tmp_path / "broken").mkdir()
    command = words(tmp_path, theorem_file, model=str(tmp_path / "broken"))  # noticed in each process only
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=110)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ") and "broken" in line


def test_more_processes_than_the_machine_holds_are_refused(
    theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--processes", "1000000", "--theorems", str(theorem_file), "--run-dir", str(tmp_path / "run")])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: processes: expected at most ") and line.endswith("got 1000000")
    assert not (tmp_path / "run").exists()


def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path: Path, theorem_file: Path) -> None:
    process = start(words(tmp_path, theorem_file, max_iterations=100000))
    wait_for_training(process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    resume = f"to resume: python -m trainers.grpo --resume {tmp_path / 'run'}\n"
    assert output.count(resume) == 1
    state, _ = load_checkpoint(tmp_path / "run" / "checkpoint.pt")
    goes_on = ["--resume", str(tmp_path / "run"), "--max-iterations", str(state.iteration + 1)]
    assert main([*goes_on, "--processes", "1"]) == 0


def test_a_killed_process_ends_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trainers.distributed.together.GRACE_S", 1.0)
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        import os, signal, sys, time
        assert os.environ["WORLD_SIZE"] == "2" and os.environ["MASTER_PORT"].isdecimal()
        if os.environ["RANK"] == "1":
            print("about to die", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(1000)  # waits for the other one
        """)
    )
    began = time.monotonic()
    assert run_together(2, [str(program)]) == 128 + signal.SIGKILL
    assert time.monotonic() - began < 100
    assert capfd.readouterr().err == "about to die\nprocess 2 of 2 was ended by SIGKILL\n"


def test_a_run_that_lost_a_process_says_so_in_one_line(tmp_path: Path, theorem_file: Path) -> None:
    process = start(words(tmp_path, theorem_file, max_iterations=100000))
    wait_for_training(process)
    [second] = [child for child in psutil.Process(process.pid).children() if child.environ()["RANK"] == "1"]
    second.kill()
    output, errors = process.communicate(timeout=100)
    assert (process.returncode, errors) == (4, "process 2 of 2 was ended by SIGKILL\n")
    assert output.endswith(
        "another process of this run has ended or does not answer; to resume from its last checkpoint: "
        f"python -m trainers.grpo --resume {tmp_path / 'run'}\n"
    )
    load_checkpoint(tmp_path / "run" / "checkpoint.pt")


def test_a_stopped_process_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trainers.distributed.together.GRACE_S", 1.0)
    monkeypatch.setattr("trainers.distributed.stopped.STOPPED_S", 1.0)
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, time\n"
        "if os.environ['RANK'] == '1':\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
        "time.sleep(1000)\n"
    )
    assert run_together(2, [str(program)]) == 128 + signal.SIGKILL
    stopped = "process 2 of 2 was stopped for 1 seconds, so it is killed\n"
    assert capfd.readouterr().err == f"{stopped}process 2 of 2 was ended by SIGKILL\n"


def test_a_process_that_goes_on_is_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trainers.distributed.stopped.STOPPED_S", 5.0)
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, subprocess, sys\n"
        "if os.environ['RANK'] == '1':\n"
        "    wakes = f'import os, time; time.sleep(1); os.kill({os.getpid()}, {int(signal.SIGCONT)})'\n"
        "    subprocess.Popen([sys.executable, '-c', wakes])\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    assert run_together(2, [str(program)]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["--processes", "torchrun"])
def test_a_run_with_a_stopped_process_says_how_to_go_on(
    tmp_path: Path, theorem_file: Path, launcher: str
) -> None:
    hasty = tmp_path / "hasty.py"
    hasty.write_text(
        "import sys\n"
        "from trainers.distributed import processes, stopped\n"
        "stopped.STOPPED_S, processes._STOPPED_S = 2.0, 4.0\n"
        "from trainers.grpo import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    together = [sys.executable] if launcher == "--processes" else TORCHRUN
    process = start([*together, str(hasty), *words(tmp_path, theorem_file, max_iterations=100000)[3:]])
    wait_for_training(process)
    ranks = {child.environ().get("RANK"): child for child in psutil.Process(process.pid).children()}
    ranks["1"].send_signal(signal.SIGSTOP)
    output, errors = process.communicate(timeout=100)
    if launcher == "--processes":
        stopped = "process 2 of 2 was stopped for 2 seconds, so it is killed\n"
        assert (process.returncode, errors) == (4, f"{stopped}process 2 of 2 was ended by SIGKILL\n")
    else:
        assert "process 2 of 2 was stopped for 4 seconds, so it is killed\n" in errors
    assert output.endswith(f"python -m trainers.grpo --resume {tmp_path / 'run'}\n")
    load_checkpoint(tmp_path / "run" / "checkpoint.pt")


def test_a_watch_kills_what_stays_stopped_and_nothing_else() -> None:
    children = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) for _ in range(3)]
    try:
        stopped, waking, running = children
        watched = {str(at): psutil.Process(child.pid) for at, child in enumerate(children)}
        watch = BackgroundWatch(watched, 2.0)
        for child in (stopped, waking):
            child.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        waking.send_signal(signal.SIGCONT)
        assert stopped.wait(timeout=60) == -signal.SIGKILL
        watch.close()
        assert waking.poll() is None and running.poll() is None
    finally:
        for child in children:
            child.kill()
            child.wait()


def test_a_killed_parent_ends_its_run(tmp_path: Path) -> None:
    """Its processes get the SIGTERM of which `test_ctrl_c_leaves_a_run_that_goes_on` leaves a checkpoint."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "def end(*_):\n"
        f"    (Path({str(tmp_path)!r}) / os.environ['RANK']).touch()\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "os.write(1, b'ready\\n')\n"  # in one piece, as the two share the pipe
        "time.sleep(1000)\n"
    )
    process = start([*TWO_OF, str(program)])
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["ready\n"] * 2
    children = psutil.Process(process.pid).children()
    process.kill()
    process.communicate(timeout=100)
    assert psutil.wait_procs(children, timeout=100)[1] == []
    assert {path.name for path in tmp_path.iterdir()} >= {"0", "1"}


def test_what_only_another_process_says_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text('import os\nif os.environ["RANK"] == "1":\n    raise SystemExit("only here")\n')
    assert run_together(2, [str(program)]) == 1
    assert capfd.readouterr().err == "only here\n"


def test_the_cause_is_shown_where_the_first_process_only_missed_another(
    tmp_path: Path, theorem_file: Path
) -> None:
    # Only the second process fails, in the middle of an iteration: the first one waits for it in an exchange.
    broken = tmp_path / "broken.py"
    broken.write_text(
        textwrap.dedent("""
        import os
        import sys

        from trainers.grpo import main
        from trainers.run.loop import TrainingRun

        learn = TrainingRun._learn

        def fail(run, *arguments):
            if os.environ["RANK"] == "1" and run.state.iteration == 1:
                raise ArithmeticError("of the second process")
            return learn(run, *arguments)

        TrainingRun._learn = fail
        sys.exit(main(sys.argv[1:]))
        """)
    )
    process = start([*TWO_OF, str(broken), *words(tmp_path, theorem_file)[3:]])
    output, errors = process.communicate(timeout=110)
    assert process.returncode == 4
    assert "another process of this run has ended" in output
    assert errors.rstrip().endswith("ArithmeticError: of the second process")


def test_a_second_signal_kills_processes_that_do_not_listen(tmp_path: Path) -> None:
    deaf = tmp_path / "deaf.py"
    deaf.write_text(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.write(1, b'ready\\n')\n"  # in one piece, as the two share the pipe
        "time.sleep(1000)\n"
    )
    with start([*TWO_OF, str(deaf)]) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["ready\n"] * 2
        children = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert all(child.is_running() for child in children)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 128 + signal.SIGKILL
    assert not any(child.is_running() for child in children)
