"""LeanProof-v0 inside other people's trainers.

trl.py       rollout function, reward function, environments and data set for a stock `trl.GRPOTrainer`
dialogue.py  an episode as one row of tokens: what the policy wrote, what the prover answered, and the mask
leandojo.py  a `GRPOTrainer` with the constructor of LeanDojo-v2's
"""
