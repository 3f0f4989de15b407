"""Curricula: choice of the theorems to train on."""
