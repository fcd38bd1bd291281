"""Arguments of operations from JSON and from texts, and the parts of a body."""
