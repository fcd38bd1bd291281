"""Answers to questions from lines that `resolvers/answers` ranks: quoted or written, checked."""
