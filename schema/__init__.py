"""The vocabulary: every type that crosses the wire, declared once. Imports nothing of ours."""
