"""Premise retrieval: lemmas that may help in a state, out of those that are accessible there.

corpus.py     the premises of a project, and those accessible at a position
places.py     places of theorems in the corpus of an index
examples.py   states of traced proofs with the premises that were used
metrics.py    recall at k, mean reciprocal rank
bm25.py       the baseline without a model
ngrams.py     the encoder that is made on the spot
encoder.py    encoders of sentence-transformers, their vectors and fingerprints
training.py   contrastive training
index.py      vectors of premises on disk, and the nearest ones of a query
retriever.py  an index in use
program.py    the commands train, index and evaluate

The programs show premises above the goals where `--retriever` names an index; `trainers.policies.views` does that.
"""
