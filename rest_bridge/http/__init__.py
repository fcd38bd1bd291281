"""Shared HTTP code: request checks, negotiation, responses, the outer middleware."""
