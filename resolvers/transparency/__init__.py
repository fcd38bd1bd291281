"""The log of changes: its Merkle tree, checkpoints, storage and outside check."""
