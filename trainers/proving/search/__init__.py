"""Search for proofs: a tree of deduplicated proof states for each theorem, and rules that choose the states to expand.

budget.py      limits of a search: tactics, model calls, seconds
tree.py        states, the tactics tried in them, and a verified proof
scores.py      scores of a path from the log-probabilities of its tactics
rules.py       protocol of the rules, and their names
best_first.py  expands the state of the highest score
beam.py        keeps the best states of each depth
mcts.py        Monte Carlo tree search, by the scores of puct.py
sample.py      independent episodes
whole_proof.py  whole proofs, and repairs of those that failed
value.py       the tactics left, as a model predicts them
independence.py  goals that can be searched apart
searcher.py    many theorems side by side on the vector environment
drawing.py     the tree as lines of text
proving.py     the program python -m trainers.prove
"""
