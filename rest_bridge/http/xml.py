"""XML documents as bytes, and elements that hold a text."""

from xml.etree.ElementTree import Element, SubElement, tostring


def xml_document(root: Element) -> bytes:
    """The document with its declaration, in UTF-8."""
    data: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def text_element(parent: Element, name: str, text: str) -> None:
    """Add an element that holds a text."""
    SubElement(parent, name).text = text
