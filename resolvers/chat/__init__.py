"""Answers to questions, from passages that search finds: written, streamed and checked."""
