"""Content made from what an owner has, and written."""
