"""Episodes stepped together: players, groups, trees."""
