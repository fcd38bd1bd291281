"""Acronyms that names in code hold as words: how they are written for readers."""

ACRONYMS = {w: w.upper() for w in ("ens", "faq", "id", "llm", "mcp", "sla", "url")} | {"ids": "IDs"}
