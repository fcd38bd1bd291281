"""Documents cut into passages, indexed by words and vectors, and found again."""
