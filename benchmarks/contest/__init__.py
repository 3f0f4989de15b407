"""Our trainer and a stock one on the same work, for `benchmarks.trainers` and `benchmarks.gpu`.

settings.py    what both sides do, and what is measured
start.py       what both begin with: a tiny model that has seen proofs, a batch of its episodes
ours.py        our side
stock.py       a stock `trl.GRPOTrainer`
child.py       one of the three above, in a process of its own
rounds.py      these processes in turn, and the lines of the table
"""
