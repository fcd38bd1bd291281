"""What was published: the logs of changes and of words, their proofs, storage and outside check."""
