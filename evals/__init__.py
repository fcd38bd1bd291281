"""Measures search, chat, citations and intent of the service with three studios."""
