"""A fork of a process that holds an environment: it is refused in words, and harms the original in no way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPL = Path(__file__).parents[1] / "backends" / "pantograph" / "counted_repl.py"

PROGRAM = """
import os, sys
from lean_gym import LeanProofEnv, LeanProofVectorEnv

def try_to_use(use):
    try:
        use()
    except Exception as error:
        print(type(error).__name__, str(error).replace(str(os.getppid()), "PARENT"), flush=True)

def fork(end, *uses):
    child = os.fork()
    if not child:
        for use in uses:
            try_to_use(use)
        env.close()
        end()
    assert os.waitpid(child, 0)[1] == 0

{make}
for end in (lambda: os._exit(0), lambda: sys.exit(0)):
    fork(end, *uses)
    {go_on}
env.close()
"""
VECTOR = """
options = {"slow": {"skip": 0.5}}
env = LeanProofVectorEnv(2, ["theorem t : True"], "fake", num_workers=1, backend_options=options)
env.reset()
uses = [lambda: env.step(["trivial"] * 2), lambda: env.reset()]
"""
SINGLE = """
import gymnasium
options = {"repl_command": [sys.executable, sys.argv[1]], "sandbox": "off"}
theorems = ["theorem t (p : Prop) (h : p) : p"]
env = LeanProofEnv(theorems, "pantograph", backend_options=options, cache_size=0)
env.reset()
pid = env._prover._backend.open()._fleet.member(("Init",), "t").repl.process.pid
uses = [lambda: env.step("exact h")]
"""
REFUSAL = "RuntimeError this environment belongs to process PARENT, of which this one is a fork; make a new environment"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("make", "go_on", "refusals"),
    [
        (VECTOR, "env.reset(); print(*env.step(['skip', 'trivial'])[1], flush=True)", 2),
        (
            SINGLE,
            "env.reset(); print(env.step('exact h')[1], pid == "
            "env._prover._backend.open()._fleet.member(('Init',), 't').repl.process.pid, flush=True); env.reset()",
            1,
        ),
    ],
    ids=["workers", "a REPL"],
)
def test_a_fork_does_not_talk_on_the_pipes_of_its_parent(tmp_path, make, go_on, refusals):
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            PROGRAM.format(make=make, go_on=go_on),
            str(REPL),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "COUNTED_LOG": str(tmp_path / "log")},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    good = "0.0 1.0" if make == VECTOR else "1.0 True"
    assert lines[refusals :: refusals + 1] == [good] * 2, lines
    told = [line for line in lines if line != good]
    assert len(told) == 2 * refusals
    assert all(line.startswith(REFUSAL) for line in told), told
