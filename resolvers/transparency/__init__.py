"""The logs of changes and of words: their proofs, their storage, and the check from outside."""
