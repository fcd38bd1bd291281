"""Families of agents, as they declare themselves; few, so that metrics stay small."""

from functools import lru_cache

FAMILIES = (
    ("claude", ("claude", "anthropic")),
    ("openai", ("gptbot", "chatgpt", "oai-searchbot", "openai")),
    ("perplexity", ("perplexity",)),
    ("google", ("google", "gemini")),
    ("microsoft", ("bingbot", "copilot")),
    ("apple", ("applebot",)),
    ("amazon", ("amazonbot",)),
    ("meta", ("meta-external", "facebookexternal")),
    ("mistral", ("mistral",)),
    ("duckduckgo", ("duckassist", "duckduckbot")),
    ("common-crawl", ("ccbot",)),
    ("mcp-client", ("mcp",)),
    ("monitor", ("prometheus", "uptime", "kube-probe", "healthcheck")),
    ("script", ("curl", "wget", "python", "httpx", "node", "undici", "axios", "go-http", "okhttp")),
    ("browser", ("mozilla",)),
)
"""Each family with the words of which one is in its name; the first that fits counts."""
OTHER, UNDECLARED = "other", "none"


@lru_cache(maxsize=4096)
def family_of(agent: str) -> str:
    """Return the family that a name or a User-Agent header declares."""
    if not agent:
        return UNDECLARED
    words = agent.lower()
    return next(
        (family for family, marks in FAMILIES if any(mark in words for mark in marks)), OTHER
    )
