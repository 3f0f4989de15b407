"""Train with a stock `trl.GRPOTrainer`: TRL's loss and loop, this environment's episodes and rewards.

It takes two steps with an untrained model; set MODEL to a folder or hub id for a real one.

Run: python examples/07_trl_grpo.py        (needs TRL: pip install 'lean-gym[train]')
"""

import tempfile
from pathlib import Path

from lean_gym.datasets.propositional_theorems import PROPOSITIONAL
from trainers.extras import naming_the_extra

with naming_the_extra():
    from trl import GRPOConfig, GRPOTrainer

    from trainers.config.rollout import RolloutConfig
    from trainers.config.run import TinyConfig
    from trainers.integrations.trl import make_dataset, make_reward_func, make_rollout_func
    from trainers.policies.tiny import build_model, train_tokenizer

MODEL = ""


def tiny_model(texts: list[str], folder: Path) -> str:
    tokenizer = train_tokenizer(texts, vocabulary=400)
    build_model(TinyConfig(hidden_size=32, layers=2), tokenizer, seed=0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def main() -> None:
    theorems = PROPOSITIONAL.generate(8, difficulty=0.1, seed=0)
    with (
        tempfile.TemporaryDirectory() as folder,
        make_rollout_func(
            theorems, RolloutConfig(max_steps=4, max_tactic_tokens=16), num_workers=1
        ) as rollout,
    ):
        trainer = GRPOTrainer(
            model=MODEL or tiny_model([one.statement + one.proof for one in theorems], Path(folder) / "tiny"),
            args=GRPOConfig(
                output_dir=folder, max_steps=2, per_device_train_batch_size=8, num_generations=4,
                max_completion_length=512, logging_steps=1, report_to="none", bf16=False, disable_tqdm=True,
            ),
            train_dataset=make_dataset(theorems),
            reward_funcs=make_reward_func(),
            rollout_func=rollout,
        )  # fmt: skip
        trainer.train()
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    print(f"mean rewards of {len(rewards)} steps:", ", ".join(f"{reward:.2f}" for reward in rewards))


if __name__ == "__main__":
    main()
