"""PPO in one file, in the manner of CleanRL, on the vector environment: eight proofs at once, masked tactics of a menu.

Printed is the share of the last episodes that ended with a proof. It rises within a minute.

Run: python examples/09_ppo_in_one_file.py [STEPS, 16384]
"""

import sys

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from lean_gym.wrappers import VectorHashedGoals, VectorTacticMenu

ENVS, LENGTH, EPOCHS, BATCH, GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 8, 128, 8, 256, 0.99, 0.95, 0.2, 0.01, 1e-3


def network(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    options = {"theorems": "logic:train", "max_steps": 12, "num_workers": 1, "autoreset_mode": "SameStep"}
    texts = gym.make_vec("lean_gym:LeanProof-v0", num_envs=ENVS, **options)
    envs = VectorTacticMenu(VectorHashedGoals(texts))
    size, entries = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    actor, critic = network(size, entries), network(size, 1)
    adam = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=RATE, eps=1e-5)

    def policy(goals: torch.Tensor, masks: torch.Tensor) -> Categorical:
        return Categorical(logits=actor(goals).masked_fill(~masks, -1e9))

    seen = torch.tensor(envs.reset(seed=0)[0])
    proofs: list[bool] = []
    for update in range((int(sys.argv[1]) if len(sys.argv) > 1 else 16_384) // (ENVS * LENGTH)):
        rows = []
        for _ in range(LENGTH):
            masks = torch.tensor(envs.action_masks())
            with torch.no_grad():
                chosen = policy(seen, masks)
                actions, value = chosen.sample(), critic(seen)[:, 0]
            following, rewards, terminated, truncated, _ = envs.step(actions.numpy())
            over = terminated | truncated
            proofs += (rewards[over] == 1.0).tolist()
            rows.append((seen, masks, actions, chosen.log_prob(actions), value, torch.tensor(rewards), over))
            seen = torch.tensor(following)
        goals, masks, actions, before, values, rewards, over = map(list, zip(*rows, strict=True))
        with torch.no_grad():
            after, gain, gains = critic(seen)[:, 0], torch.zeros(ENVS), []
        for step in reversed(range(LENGTH)):
            goes_on = torch.tensor(~over[step])  # a spent budget counts as the end: no proof comes after it
            gain = rewards[step] + GAMMA * after * goes_on - values[step] + GAMMA * LAMBDA * goes_on * gain
            gains.insert(0, gain.float())
            after = values[step]
        data = [torch.cat(column) for column in (goals, masks, actions, before, values, gains)]
        for rows_of_batch in torch.cat([torch.randperm(ENVS * LENGTH) for _ in range(EPOCHS)]).split(BATCH):
            goals, masks, actions, before, values, gains = (column[rows_of_batch] for column in data)
            chosen, scaled = policy(goals, masks), (gains - gains.mean()) / (gains.std() + 1e-8)
            ratio = (chosen.log_prob(actions) - before).exp()
            gained = torch.min(ratio * scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * scaled).mean()
            missed = (critic(goals)[:, 0] - values - gains).square().mean()
            adam.zero_grad()
            (0.5 * missed - gained - ENTROPY * chosen.entropy().mean()).backward()
            nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
            adam.step()
        print(f"{(update + 1) * ENVS * LENGTH} steps: proved {np.mean(proofs[-200:]):.0%}", flush=True)
    envs.close()


if __name__ == "__main__":
    main()
