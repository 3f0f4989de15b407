"""Learning step: credit to rows, rows to a parameter update."""
