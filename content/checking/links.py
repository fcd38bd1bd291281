"""The addresses in the content, each with where it stands."""

import re

from content.checking.texts import texts_in
from content.reading.toml_positions import KeyPath
from schema.site import Site

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\\]]+")
_ENDS = ".,;:!?)"


def links_of(site: Site) -> dict[str, KeyPath]:
    """Return each http and https address with the place where it first stands."""
    found: dict[str, KeyPath] = {}
    for path, text in texts_in(site.to_json()):
        for address in _ADDRESS.findall(text):
            end = "" if "(" in address else ")"
            found.setdefault(address.rstrip(_ENDS.replace(")", end)), path)
    return found
