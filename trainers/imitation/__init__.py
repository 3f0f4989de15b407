"""Imitation of proofs: supervised fine-tuning, expert iteration, progress model."""
