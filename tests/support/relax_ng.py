"""RELAX NG schemas of the test vectors, and what a document in XML says."""

from functools import cache
from xml.etree.ElementTree import Element, fromstring

from lxml import etree
from repository import VECTORS


class Schema:
    """A schema, read from its file in the vectors."""

    def __init__(self, name: str) -> None:
        self._rules = etree.RelaxNG(etree.parse(VECTORS / name))

    def fits(self, document: bytes) -> bool:
        """Whether a document is what the schema describes. Raises: XMLSyntaxError."""
        return bool(self._rules.validate(etree.fromstring(document)))


schema = cache(Schema)
"""The schema in a file of the vectors, by the name of the file."""


def xml(document: bytes) -> Element:
    """The root of a well-formed document. Raises: ParseError."""
    return fromstring(document)  # noqa: S314 - our own documents
