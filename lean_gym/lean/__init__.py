"""Lean's own library, through ctypes: the kernel of Lean 4.35 judges exported proofs.

The library runs in processes of its own, `python -m lean_gym.lean`: a crash of it costs one judgement.
"""
