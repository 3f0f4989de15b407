"""The tactic `grind`: congruence closure, propositional rules, case splits, E-matching and linear arithmetic."""
