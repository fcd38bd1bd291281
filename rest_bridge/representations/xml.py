"""Helpers to build XML documents."""

from xml.etree.ElementTree import Element, SubElement, tostring


def xml_document(root: Element) -> bytes:
    """Return the document in UTF-8, with its XML declaration."""
    data: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def text_element(parent: Element, name: str, text: str) -> None:
    """Add an element with a text to the parent."""
    SubElement(parent, name).text = text
