"""Policies: goals in, tactics with token ids and log-probabilities out.

base.py           the contract
transformers.py   any Hugging Face causal language model
tiny.py           the default model and its tokenizer, made on the spot
sampling.py       batched sampling with a key-value cache
packing.py        training rows that share a prompt
"""
