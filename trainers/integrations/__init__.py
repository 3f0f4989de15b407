"""The environment inside other trainers.

trl.py          rollout function, reward function, environments and data set for a stock `trl.GRPOTrainer`
trl_reward.py   rewards of whole proofs, counted by result
trl_trainer.py  a stock `trl.GRPOTrainer` on a theorem set
trl_vllm.py     sampling on a vLLM server, through TRL's client
dialogue.py     an episode as one row of tokens: tactics, the prover's answers, and the loss mask
rows.py         step credit as rows with advantages, from episodes or a run's stored ones
leandojo.py     a `GRPOTrainer` with the constructor of LeanDojo-v2's
"""
