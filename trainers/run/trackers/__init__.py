"""Recorders of the scalars, samples and settings of a run: TensorBoard, a CSV file, Weights & Biases, Trackio.

    base.py         the interface of all of them
    opening.py      the recorders that `report_to` names
    tensorboard.py  event files, charts, hparams
    csv_file.py     metrics.csv
    hosted.py       the packages wandb and trackio

A resumed run records each point once. Recorders with a file of their own cut it back to its size at the checkpoint;
the hosted ones cannot take a point back, so they remember the last step of each name and skip what was sent before.
"""
