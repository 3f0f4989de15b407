"""`--ray ADDRESS`: one run in processes on the nodes of a Ray cluster."""

from __future__ import annotations

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
import ray

from tests.trainers.distributed.test_together import ENVIRONMENT, start, wait_for_training, words
from trainers.distributed.on_ray import run_on_ray
from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.run.checkpoint import load_checkpoint

# Ray leaves sockets and files to the garbage collector.
pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def write(folder: Path, text: str) -> list[str]:
    program = folder / "program.py"
    program.write_text(textwrap.dedent(text))
    return [str(program)]


def ended(pids: list[int]) -> bool:
    processes = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    return not psutil.wait_procs(processes, timeout=60)[1]


def test_processes_are_numbered_and_find_each_other(
    cluster: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NCCL_DEBUG", "WARN")
    program = write(
        tmp_path,
        """
        import os, torch
        from datetime import timedelta
        torch.distributed.init_process_group("gloo", timeout=timedelta(seconds=60))
        ranks = [None] * 4
        own = {name: os.environ[name] for name in ("RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NCCL_DEBUG")}
        torch.distributed.all_gather_object(ranks, own)
        if own["RANK"] == "0":
            print([list(rank.values()) for rank in ranks], os.getcwd(), "∧", flush=True)
        torch.distributed.destroy_process_group()
        """,
    )
    assert run_on_ray(cluster.address, 4, 1, program) == 0
    output, errors = capfd.readouterr()
    assert errors == ""
    ranks, folder, sign = output.rsplit(maxsplit=2)
    assert (folder, sign) == (str(tmp_path), "∧")
    found = eval(ranks)
    assert [rank[0] for rank in found] == ["0", "1", "2", "3"]
    assert {rank[1] for rank in found} == {"0"} and {rank[3] for rank in found} == {"WARN"}
    assert sorted(rank[2] for rank in found) == ["1", "1", "2", "2"]  # nodes of 1, 1 and 2 CPUs
    pair = [rank[0] for rank in found if rank[2] == "2"]
    assert int(pair[1]) == int(pair[0]) + 1  # neighbours


@pytest.mark.slow
def test_a_run_is_that_of_processes_of_one_machine(cluster: Any, tmp_path: Path, theorem_file: Path) -> None:
    results = []
    for place in (["--ray", cluster.address], []):
        (folder := tmp_path / str(len(place))).mkdir()
        done = subprocess.run(
            [*words(folder, theorem_file), *place],
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=200,
        )
        assert (done.returncode, done.stderr) == (0, "")
        results.append([line for line in done.stdout.splitlines() if line.startswith("held out")])
    assert results[0] == results[1] and len(results[0]) == 2
    assert ray.available_resources()["CPU"] == 4  # nothing stays reserved


def test_ctrl_c_leaves_a_run_that_goes_on(cluster: Any, tmp_path: Path, theorem_file: Path) -> None:
    process = start([*words(tmp_path, theorem_file, max_iterations=100000), "--ray", cluster.address])
    wait_for_training(process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=100)
    assert (process.returncode, errors) == (130, "")
    assert output.endswith(f"to resume: python -m trainers.grpo --resume {tmp_path / 'run'}\n")
    state, _ = load_checkpoint(tmp_path / "run" / "checkpoint.pt")
    goes_on = ["--resume", str(tmp_path / "run"), "--max-iterations", str(state.iteration + 1)]
    assert main([*goes_on, "--processes", "1", "--ray", ""]) == 0


def test_a_lost_node_is_one_line_and_loses_no_checkpoint(
    cluster: Any, tmp_path: Path, theorem_file: Path
) -> None:
    command = words(tmp_path, theorem_file, max_iterations=100000, processes=4)
    process = start([*command, "--ray", cluster.address])
    wait_for_training(process)
    lost = next(iter(cluster.worker_nodes))
    cluster.remove_node(lost, allow_graceful=False)
    _, errors = process.communicate(timeout=200)
    cluster.add_node(num_cpus=lost._ray_params.num_cpus, object_store_memory=80_000_000)
    cluster.wait_for_nodes()
    *_, line = errors.splitlines()
    assert process.returncode in (1, 4)
    assert line.endswith(" is lost: Ray lost the node, or the actor beside the process")
    load_checkpoint(tmp_path / "run" / "checkpoint.pt")


def test_a_killed_command_ends_its_processes(cluster: Any, tmp_path: Path) -> None:
    program = write(tmp_path, "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(1000)\n")
    call = f"from trainers.distributed.on_ray import run_on_ray; run_on_ray({cluster.address!r}, 2, 1, {program})"
    process = start([sys.executable, "-c", call])
    assert process.stdout is not None
    pids = [int(process.stdout.readline()) for _ in range(2)]
    process.kill()
    process.communicate(timeout=60)
    assert ended(pids)


def test_the_others_of_a_failed_process_are_killed(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trainers.distributed.on_ray.GRACE_S", 1.0)
    program = write(
        tmp_path,
        """
        import os, sys, time
        if os.environ["RANK"] == "1":
            sys.exit("only here")
        time.sleep(1000)
        """,
    )
    began = time.monotonic()
    assert run_on_ray(cluster.address, 2, 1, program) == 1
    assert time.monotonic() - began < 100
    assert capfd.readouterr().err == "only here\n"


@pytest.mark.parametrize(
    ("count", "cpus", "message"),
    [
        (5, 1, "processes: expected at most 4, as the cluster has 1 CPU for each, got 5"),
        (2, 2, "processes: expected at most 1, as the cluster has 2 CPUs for each, got 2"),
    ],
)
def test_more_than_the_cluster_holds_is_refused(cluster: Any, count: int, cpus: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        run_on_ray(cluster.address, count, cpus, ["-c", ""])
    assert str(caught.value) == message


def test_a_busy_cluster_is_waited_for(
    cluster: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trainers.distributed.on_ray._SAY_S", 0.5)

    @ray.remote(num_cpus=2)
    def nap() -> None:
        time.sleep(3)

    busy = nap.remote()
    time.sleep(0.5)
    assert run_on_ray(cluster.address, 4, 1, ["-c", "print('here')"]) == 0
    ray.get(busy)
    lines = capfd.readouterr().out.splitlines()
    assert "waiting for the Ray cluster: 4 processes with 1 CPU each" in lines
    assert lines.count("here") == 4


def test_a_folder_that_a_node_lacks_is_one_line(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getcwd", lambda: str(tmp_path / "elsewhere"))
    with pytest.raises(ConfigError, match="elsewhere'; all nodes must see the folder of the command"):
        run_on_ray(cluster.address, 2, 1, ["-c", ""])


def test_an_address_without_a_cluster_is_one_line(tmp_path: Path, theorem_file: Path) -> None:
    command = [*words(tmp_path, theorem_file), "--ray", "127.0.0.1:9"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=100)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ray: no Ray cluster answers at RAY_ADDRESS=127.0.0.1:9: ")
    assert not (tmp_path / "run").exists()
