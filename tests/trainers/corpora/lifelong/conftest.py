"""A database as LeanDojo-v2 writes it, and a traced folder in LeanDojo's layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

URL, COMMIT = "https://github.com/example/sums", "0123456789abcdef"


def tactic(text: str, before: str, after: str, premise: str = "") -> dict[str, Any]:
    annotated = f"rw [<a>{premise}</a>]" if premise else text
    used = (
        [
            {
                "full_name": premise,
                "def_path": "Sums/Base.lean",
                "def_pos": "Pos(3, 9)",
                "def_end_pos": "Pos(3, 14)",
            }
        ]
        if premise
        else []
    )
    return {
        "tactic": text,
        "annotated_tactic": [annotated, used],
        "state_before": before,
        "state_after": after,
    }


def theorem(
    name: str, line: int, tactics: list[dict[str, Any]], rating: float | None = None
) -> dict[str, Any]:
    return {
        "full_name": name,
        "theorem_statement": f"theorem {name} (a b : Nat) : a + b = b + a",
        "file_path": "Sums/Main.lean",
        "start": f"Pos({line}, 1)",
        "end": f"Pos({line + 2}, 20)",
        "url": URL,
        "commit": COMMIT,
        "traced_tactics": tactics,
        "difficulty_rating": rating,
    }


@pytest.fixture
def database() -> dict[str, Any]:
    """The content of a database of LeanDojo-v2."""
    goal = "a b : ℕ\n⊢ a + b = b + a"
    steps = [
        tactic("rw [Sums.comm]", goal, "⊢ b + a = b + a", "Sums.comm"),
        tactic("rfl", "⊢ b + a = b + a", "no goals"),
    ]
    return {
        "repositories": [
            {
                "url": URL,
                "name": "example/sums",
                "commit": COMMIT,
                "lean_version": "4.24.0",
                "lean_dojo_version": "1.0.9",
                "metadata": {"date_processed": "2026-01-02T03:04:05.000006", "note": {"a": 1}},
                "total_theorems": 4,
                "num_proven_theorems": 2,
                "num_sorry_theorems": 2,
                "num_sorry_theorems_proved": 1,
                "num_sorry_theorems_unproved": 1,
                "num_premise_files": 1,
                "num_premises": 1,
                "num_files_traced": 2,
                "proven_theorems": [theorem("t1", 5, steps, 7.38905609893065), theorem("by_term", 9, [])],
                "sorry_theorems_proved": [
                    theorem("s1", 13, [tactic("sorry", goal, "no goals")], float("inf"))
                ],
                "sorry_theorems_unproved": [theorem("s2", 17, [tactic("sorry", goal, "no goals")])],
                "premise_files": [
                    {
                        "path": "Sums/Base.lean",
                        "imports": [".lake/packages/lean4/src/lean/Init.lean"],
                        "premises": [
                            {
                                "full_name": "Sums.comm",
                                "code": "theorem Sums.comm : …",
                                "start": "Pos(3, 1)",
                                "end": "Pos(4, 7)",
                                "kind": "commandDeclaration",
                            }
                        ],
                    }
                ],
                "files_traced": ["Sums/Base.lean", "Sums/Main.lean"],
                "pr_url": None,
            }
        ]
    }


@pytest.fixture
def database_file(database: dict[str, Any], tmp_path: Path) -> Path:
    """The same as a file, written as LeanDojo-v2 does."""
    path = tmp_path / "dynamic_database.json"
    path.write_text(json.dumps(database, indent=2, ensure_ascii=False), encoding="utf-8")
    return path
