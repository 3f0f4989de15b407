"""Published provers: their prompts, cleaning of answers, decoding and search.

base.py         a preset and its parts
catalogue.py    all presets by name
texts.py        pieces that several formats share
repair.py       Lean's errors as a repair turn
view.py         the prompt of a state of an episode
layout.py       prompts as tokens within the budget, and tactics out of answers
training.py     a preset as the model to train
listing.py      the table of presets, and a page on one
reprover.py llmstep.py ntp.py internlm.py bfs.py real_prover.py leandojo.py   one tactic at a time
deepseek.py goedel.py kimina.py   whole proofs
"""
