"""No exploit earns a reward on any backend, through the whole environment or without the filter in front."""

import time
from contextlib import closing
from functools import cache

import gymnasium as gym
import pytest

from lean_gym.backends.pantograph.recompile import layout_of, recompile
from lean_gym.backends.pantograph.steps import start_state
from lean_gym.backends.pantograph.verdicts import TermJudge
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS, canary_theorems
from lean_gym.verification.verify import judge

THEOREMS = canary_theorems()


@pytest.mark.timeout(600)
def test_no_exploit_earns_a_reward(source):
    name, options = source
    env = gym.make(
        "LeanProof-v0",
        theorems=list(THEOREMS),
        backend=name,
        backend_options=options,
        reward="binary",
        tactic_seconds=5.0,
        max_steps=2 * len(EXPLOITS),
    )
    for theorem in THEOREMS[:3]:
        for exploit in EXPLOITS:
            env.reset(options={"theorem": theorem.name})
            for tactic in exploit.against(theorem):
                _, reward, terminated, _, info = env.step(tactic)
                assert reward == 0.0, (theorem.name, exploit.name)
                assert info["outcome"] != "proved"
                if terminated:
                    break
    env.close()


TRUE = Theorem("honest", "theorem honest (p : Prop) (h : p) : p")
BREAKOUTS = (
    ("exact h\n\naxiom cheat : False",),
    ("exact h\n\ntheorem other : True := trivial",),
    ("exact h\n#exit",),
    ("exact h\n#print axioms honest",),
    ("exact h /-",),
    ('exact h\nmacro "trivial" : tactic => `(tactic| sorry)',),
    ("exact h\nend",),
    ("exact h\nopen Nat",),
    ("exact h", "#check 1"),
)


@pytest.fixture
def judging(repl_backend):
    """The judge's own process and what it does with a script, to be attacked without the filter."""
    own = repl_backend._fleet.judge(("Init",))
    repl = own._open()
    if repl.dialect.judges_terms:
        terms = TermJudge(repl._settings, repl.imports, repl.dialect)
        with closing(terms):
            yield (
                repl,
                lambda theorem, script: terms.judge_script(repl, theorem, script, time.monotonic() + 20),
            )
        return
    layout = cache(lambda theorem: layout_of(repl, theorem, 60.0))
    yield repl, lambda theorem, script: recompile(repl, theorem, script, layout(theorem), 20.0)


@pytest.mark.parametrize("script", BREAKOUTS, ids=lambda script: script[-1])
def test_a_script_cannot_add_commands(judging, script):
    _, judged = judging
    assert judge(judged(TRUE, ("exact h",))).proved
    verdict = judge(judged(TRUE, script))
    assert not verdict.proved
    assert verdict.reason.startswith(("recompiled as a file: ", "judged by its terms: "))


@pytest.mark.timeout(600)
def test_no_exploit_compiles_to_a_proof(judging):
    repl, judged = judging
    for theorem in THEOREMS[:2]:
        assert len(start_state(repl, theorem)[1]) == 1
        for exploit in EXPLOITS:
            verdict = judge(judged(theorem, exploit.against(theorem)))
            assert not verdict.proved, (theorem.name, exploit.name)
