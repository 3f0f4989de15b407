"""Use your own theorems: a JSONL file with one row per theorem.

Run: python examples/05_custom_theorems.py
"""

import json
import tempfile
from pathlib import Path

import gymnasium as gym

ROWS = [
    {
        "name": "or_swap",
        "statement": "theorem or_swap (p q : Prop) (h : p ∨ q) : q ∨ p",
        "context": "",
        "imports": [],
    },
    {
        "name": "self_eq",
        "statement": "theorem self_eq (a : α) : a = a",
        "context": "variable {α : Type}",
        "imports": [],
        "proof": "rfl",  # optional, like split, domain and difficulty
    },
]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
        env = gym.make("lean_gym:LeanProof-v0", theorems=path)
        for name, script in {
            "or_swap": ["cases h", "right; assumption", "left; assumption"],
            "self_eq": ["rfl"],
        }.items():
            goals, _ = env.reset(options={"theorem": name})
            print(goals)
            for tactic in script:
                _, _, _, _, info = env.step(tactic)
            print(f"{name}: {info['outcome']}\n")
        env.close()


if __name__ == "__main__":
    main()
