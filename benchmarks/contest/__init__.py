"""Our trainer and a stock one on the same work, for `benchmarks.trainers` and `benchmarks.gpu`.

settings.py    settings of both sides, and the measured figures
start.py       common start of both sides: a tiny model trained on some proofs, a batch of its episodes
ours.py        our side
stock.py       a stock `trl.GRPOTrainer`
child.py       one of the three above, in a child process
rounds.py      the processes in turn, and the lines of the table
"""
