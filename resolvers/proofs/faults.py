"""What keeps the studio from proving its words."""


class ProofFault(Exception):
    """The text says what is wrong and how to mend it; it never holds a secret."""
