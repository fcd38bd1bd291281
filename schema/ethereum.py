"""Words of public chains."""

from sdl.scalar_types import ConstrainedStr


class Wei(ConstrainedStr):
    """An amount of wei, too large for a JSON number."""

    rule = "a whole number of wei written as a string"
    example = "250000000000000000"
    pattern = r"0|[1-9][0-9]{0,77}"
    max_length = 78


class Address(ConstrainedStr):
    """An address on an Ethereum-like chain."""

    rule = "0x and 40 hexadecimal digits"
    example = f"0x{'0' * 40}"
    pattern = r"0x[0-9a-fA-F]{40}"
