"""Evaluation: pass@k with intervals, held-out solve rate."""
