"""Imitation of proofs: supervised fine-tuning, expert iteration, proof buffer, progress model."""
