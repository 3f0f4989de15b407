"""A process ends with the process that started it, however that one ends."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil

from lean_gym.backends.pantograph.launch import launch

ROOT = Path(__file__).parents[4]
FAULTY = Path(__file__).with_name("faulty_repl.py")
BUSY_REPL = """
import multiprocessing, os, sys, threading, time
from lean_gym.backends.pantograph.process import ReplProcess

def own():
    process = ReplProcess([sys.executable, sys.argv[1], "hangs"])
    process.await_ready(30)
    print(os.getpid(), process.pid, flush=True)
    process.request("fault", {}, 1000)

if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=own)
    worker.start()
    worker.join()
"""


def wait_gone(pid):
    try:
        psutil.Process(pid).wait(20)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True


def test_a_busy_repl_ends_when_owner_and_owners_owner_are_killed_at_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(BUSY_REPL, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, script, FAULTY], stdout=subprocess.PIPE, text=True, env=environment
    )
    worker, repl = map(int, parent.stdout.readline().split())
    assert psutil.Process(repl).is_running()
    for pid in (parent.pid, worker):
        os.kill(pid, signal.SIGKILL)
    parent.communicate()
    assert wait_gone(repl)


def test_the_thread_that_asks_may_end():
    started = []
    thread = threading.Thread(target=lambda: started.append(launch(["cat"])))
    thread.start()
    thread.join()
    (process,) = started
    process.stdin.write(b"still here\n")
    assert process.stdout.readline() == b"still here\n"
    process.kill()
    process.communicate()


def test_the_program_finds_nothing_of_the_way_it_was_started(tmp_path):
    """Its arguments, folder, environment, group, and the signals that Python changes."""
    show = "echo $0 $1; pwd; echo $LEAN_PATH; kill -PIPE $$; echo survived"
    process = launch(["sh", "-c", show, "a b", "∀"], str(tmp_path), {**os.environ, "LEAN_PATH": "here"})
    assert os.getpgid(process.pid) == process.pid
    output, errors = process.communicate(timeout=30)
    assert output.decode().splitlines() == ["a b ∀", str(tmp_path), "here"]
    assert (process.returncode, errors) == (-signal.SIGPIPE, b"")
