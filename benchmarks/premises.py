"""Effect of premises in the prompt on the set `core`: none, BM25 and a trained encoder, some seeds each.

    python -m benchmarks.premises traced/library --out runs/premises
    python -m benchmarks.premises traced/library --out runs/premises --seeds 0 --count 100 -- --epochs 1

The folder holds the trace of minilean's library. Per seed and variant a tiny policy is fine-tuned on the reference
proofs of `core:train` (words behind `--` go to `trainers.sft`), and plays eight episodes of each of `--count` theorems
of `core:test`. The encoder is trained on the files of `core:train` alone: the other files hold the proofs that the
policies are tested on. All variants have the same budget of prompt tokens. A run whose result is there is not repeated.
Rates are mean ± standard deviation over seeds.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import mean_and_deviation
from lean_gym.command_line import Parser
from lean_gym.datasets import write_jsonl
from lean_gym.datasets.formats.leandojo_steps import CORPUS, PARTS
from trainers.curriculum.theorems import load_sets

VARIANTS: Final = ("none", "bm25", "encoder")
PROMPT_TOKENS: Final = 512


def write_training_part(data: Path, out: Path, files: set[str]) -> None:
    """Write a data set whose training part has the theorems of some files, and whose test part has the others.

    Args:
        data: A data set in LeanDojo's layout.
        out: Folder of the new one.
        files: Names of files, such as `NatBasic.lean`.
    """
    (out / "random").mkdir(parents=True, exist_ok=True)
    shutil.copy(data / CORPUS, out / CORPUS)
    rows: list[dict[str, Any]] = [
        row for part in PARTS for row in json.loads((data / "random" / f"{part}.json").read_text("utf-8"))
    ]
    inside = [row for row in rows if Path(row["file_path"]).name in files]
    others = [row for row in rows if Path(row["file_path"]).name not in files]
    for part, chosen in (("train", inside), ("test", others)):
        (out / "random" / f"{part}.json").write_text(json.dumps(chosen, ensure_ascii=False), "utf-8")


def write_indexes(data: Path, out: Path) -> None:
    """Train the encoder and write the indexes of the variants, unless they are there."""
    if (out / "encoder" / "index.json").is_file():
        return
    train = load_sets("core:train")
    write_training_part(data, out / "data", {theorem.position.partition(":")[0] for theorem in train})
    program = "trainers.retrieval"
    words = ["--data", str(out / "data")]
    _run(program, "train", *words, "--out-dir", str(out / "trained"))
    _run(program, "evaluate", *words, "--encoder", str(out / "trained"))
    _run(program, "index", *words, "--out-dir", str(out / "bm25"))
    _run(program, "index", *words, "--encoder", str(out / "trained"), "--out-dir", str(out / "encoder"))


def write_test_set(path: Path, count: int) -> None:
    """Write theorems of `core:test`, drawn with a fixed seed, as a set."""
    theorems = load_sets("core:test")
    write_jsonl(path, random.Random(0).sample(theorems, min(count, len(theorems))))


def measure(out: Path, variant: str, seed: int, more: Sequence[str]) -> dict[str, float]:
    """Train and test one policy, unless that was done, and return pass@1 and pass@8."""
    run, result = out / f"{variant}-{seed}", out / f"{variant}-{seed}-result"
    shown = [] if variant == "none" else ["--retriever", str(out / variant)]
    common = ["--torch-threads", "1", "--workers", "1", "--seed", str(seed)]
    if not (run / "summary.json").is_file():
        budget = ["--max-prompt-tokens", str(PROMPT_TOKENS), "--learning-rate", "1e-3"]
        _run(
            "trainers.sft", "--theorems", "core:train", "--run-dir", str(run), *common, *shown, *budget, *more
        )
    if not (result / "result.json").is_file():
        words = ["--policy", str(run), "--theorems", str(out / "test.jsonl"), "--no-automation"]
        _run("trainers.evaluate", *words, "--k", "1,8", "--out-dir", str(result), *common)
    overall = json.loads((result / "result.json").read_text())["overall"]
    return {name: float(overall[name]["value"]) for name in ("pass@1", "pass@8")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    more = words[words.index("--") + 1 :] if "--" in words else []
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="trace of minilean's library")
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--count", type=int, default=200, help="theorems of core:test")
    given = parser.parse_args(words[: words.index("--")] if "--" in words else words)
    given.out.mkdir(parents=True, exist_ok=True)
    write_indexes(given.data, given.out)
    if not (given.out / "test.jsonl").is_file():
        write_test_set(given.out / "test.jsonl", given.count)
    for variant in VARIANTS:
        found = [measure(given.out, variant, int(seed), more) for seed in given.seeds.split(",")]
        rates = {name: mean_and_deviation([each[name] for each in found], 1, 100) for name in found[0]}
        print(f"{variant:<8}" + "".join(f"  {name} {text}" for name, text in rates.items()), flush=True)
    return 0


def _run(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], check=True)


if __name__ == "__main__":
    sys.exit(main())
