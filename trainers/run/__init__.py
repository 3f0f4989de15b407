"""One training run: session, loop, checkpoint, monitor."""
