"""How the answers of a service may be used, as robots.txt, license.xml and agent.json repeat it."""

from dataclasses import dataclass
from typing import Any, Literal

Permission = Literal["allowed", "with-attribution", "not-allowed"]


@dataclass(frozen=True)
class Licence:
    """One policy."""

    name: str
    """The licence's name."""
    url: str
    """The address of its text."""
    attribution: str
    """The text to name the source with."""
    crawling: Permission = "allowed"
    summarization: Permission = "allowed"
    redistribution: Permission = "with-attribution"
    training: Permission = "not-allowed"

    def facts(self) -> dict[str, Any]:
        """Return the policy as the directory has it."""
        return {
            "summary": self.name,
            "crawling": self.crawling,
            "summarization": self.summarization,
            "redistribution": self.redistribution,
            "training": self.training,
            "license": self.name,
            "licenseUrl": self.url,
            "attribution": self.attribution,
        }
