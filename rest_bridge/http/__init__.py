"""Requests: checked, negotiated and logged; the outer middleware, and answers that are ready."""
