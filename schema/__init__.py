"""The studio's types: everything that crosses the wire, declared once."""
