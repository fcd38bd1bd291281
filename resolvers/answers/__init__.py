"""Answers: embeddings, search, chat with checked citations, intent. Imports no other wing."""
