"""Train with a stock `trl.GRPOTrainer`: TRL's loss and loop, this environment's episodes and rewards.

The start is a tiny model that saw a few proofs; set MODEL to a folder or hub id for a real one. Printed is the mean
reward, the share of proofs, of the first and of the last steps. It rises.

Run: python examples/07_trl_grpo.py        (needs TRL: pip install 'lean-gym[train]')
"""

import tempfile
from pathlib import Path

from lean_gym import Theorem
from lean_gym.datasets import write_jsonl
from trainers.extras import naming_the_extra

with naming_the_extra():
    import torch
    from trl import GRPOConfig, GRPOTrainer

    from trainers import grpo
    from trainers.config.rollout import RolloutConfig
    from trainers.integrations.trl import make_dataset, make_reward_func, make_rollout_func

MODEL = ""
STEPS, AVERAGED = 100, 16
FORMS = {
    "({0} : Prop) (h : {0}) : {0}": "exact h",
    "({0} {1} : Prop) (h : {0} ∧ {1}) : {0}": "exact h.1",
    "({0} {1} : Prop) (h : {0} ∧ {1}) : {1}": "exact h.2",
    "({0} {1} : Prop) (h : {0}) : {0} ∨ {1}": "exact Or.inl h",
    "({0} {1} : Prop) (h : {1}) : {0} ∨ {1}": "exact Or.inr h",
    "({0} : Prop) (h : False) : {0}": "exact h.elim",
    "({0} {1} : Nat) : {0} + {1} = {0} + {1}": "rfl",
    "({0} {1} : Nat) (h : {0} = {1}) : {1} = {0}": "exact h.symm",
}
THEOREMS = [
    Theorem(f"form{number}_{names}", f"theorem form{number}_{names} {form.format(*names)}", proof=proof)
    for number, (form, proof) in enumerate(FORMS.items())
    for names in ("ab", "pq", "rs", "xy")
]


def tiny_model(theorems: Path, folder: Path) -> str:
    """Show proofs to a tiny model, with the main job's program and no iteration of RL."""
    flags = (
        "--max-iterations 0 --workers 1 --torch-threads 1 --no-automation --max-steps 1 --max-tactic-tokens 8"
    )
    shown = "--proof-share 1 --warm-start-epochs 20"
    grpo.main([*flags.split(), *shown.split(), "--theorems", str(theorems), "--run-dir", str(folder)])
    return str(folder / "policy")


def main() -> None:
    torch.set_num_threads(1)  # a tiny model gains nothing from more
    with (
        tempfile.TemporaryDirectory() as name,
        make_rollout_func(
            THEOREMS, RolloutConfig(max_steps=1, max_tactic_tokens=8), num_workers=1
        ) as rollout,
    ):
        folder = Path(name)
        write_jsonl(folder / "theorems.jsonl", THEOREMS)
        trainer = GRPOTrainer(
            model=MODEL or tiny_model(folder / "theorems.jsonl", folder / "start"),
            args=GRPOConfig(
                output_dir=name, max_steps=STEPS, per_device_train_batch_size=64, num_generations=8,
                learning_rate=2e-3, max_completion_length=64, logging_steps=1, report_to="none", bf16=False,
                use_cpu=not MODEL, disable_tqdm=True, save_strategy="no",
            ),
            train_dataset=make_dataset(THEOREMS),
            reward_funcs=make_reward_func(),
            rollout_func=rollout,
        )  # fmt: skip
        trainer.train()
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    before, after = sum(rewards[:AVERAGED]) / AVERAGED, sum(rewards[-AVERAGED:]) / AVERAGED
    print(f"mean reward: before {before:.2f}, after {after:.2f}")


if __name__ == "__main__":
    main()
