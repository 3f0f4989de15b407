"""BFS-Prover: the state, three colons, the tactic. No chat template, no newline.

Source: model cards of BFS-Prover and BFS-Prover-V2-7B/-32B, scripts of zeyu-zheng/BFS-Prover-V2; arXiv:2502.03438,
arXiv:2509.06493.
"""

from __future__ import annotations

import re
from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown

_DROPPED = re.compile(
    r"(?<![\w.])(?:sorry|admit|native_decide)(?![\w'])|(?<![\w.])(?:rcases|cases'|simpa)(?![\w']).*\?_"
)


def _prompt(shown: Shown) -> str:
    return f"{shown.state}:::"


def kept_tactic(answer: str) -> str:
    """Return the tactic; empty for one that the published search does not try."""
    tactic = answer.strip()
    return "" if _DROPPED.search(tactic) else tactic


PRESETS: Final = (
    Preset(
        "bfs-prover-v1",
        "Qwen2.5-Math 7B on the state",
        ("bytedance-research/BFS-Prover",),
        _prompt,
        Decoding(2, prompt_tokens=2048, answer_tokens=256),
        SearchPlan("best_first", "length_scaled", 2.0, calls=2 * 600, seconds=0.0),
        "model card of bytedance-research/BFS-Prover",
        clean=str.strip,
        licence="apache-2.0 (model card)",
        reported="miniF2F-test 70.83 (2048 x 2 x 600), 72.95 accumulated (model card)",
    ),
    Preset(
        "bfs-prover-v2",
        "Qwen2.5 7B, 32B on the state",
        ("ByteDance-Seed/BFS-Prover-V2-7B", "ByteDance-Seed/BFS-Prover-V2-32B"),
        _prompt,
        Decoding(4, prompt_tokens=4096, answer_tokens=2048, temperature=1.3),
        SearchPlan("best_first", "length_scaled", 2.0, seconds=600.0),
        "model cards; zeyu-zheng/BFS-Prover-V2: scripts",
        clean=kept_tactic,
        licence="apache-2.0 (model card)",
        reported="miniF2F-test 82.4 (7B), 86.1 (32B), 95.08 with a planner (model cards)",
    ),
)
