"""Words of public chains."""

from schema.words import Word


class Wei(Word):
    """An amount of wei, too large for a JSON number."""

    rule = "a whole number of wei written as a string"
    example = "250000000000000000"
    pattern = r"0|[1-9][0-9]{0,77}"
    longest = 78


class Address(Word):
    """An address on an Ethereum-like chain."""

    rule = "0x and 40 hexadecimal digits"
    example = f"0x{'0' * 40}"
    pattern = r"0x[0-9a-fA-F]{40}"
