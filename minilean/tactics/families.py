"""All tactic families: importing this module fills the table of `registry`.

Programs that run tactics import it; without it every tactic is refused as unsupported.
"""
# ruff: noqa: F401  (imported for what they register)

from __future__ import annotations

from minilean.tactics import (
    alternatives,
    apply,
    branching,
    case_tags,
    congruence,
    constructor_tactics,
    contradiction,
    decide,
    equality,
    expansion,
    extensionality,
    get_elem,
    guards,
    have,
    intro,
    missing_cases,
    rcases,
    relations,
    restating,
    rewrite,
    search,
    split,
    structuring,
    unfold,
    well_founded,
)
from minilean.tactics.conv import tactic as conv
from minilean.tactics.grind import tactic as grind
from minilean.tactics.omega import tactic as omega
from minilean.tactics.simp import tactic as simp
