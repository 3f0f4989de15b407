"""Gymnasium environments: LeanProofEnv, LeanProofVectorEnv and the episodes they step."""
