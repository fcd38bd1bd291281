"""Edge cases of Ed25519 signatures, made from plain integers.

Run as a program, it writes them into the file given as its argument.
"""

import json
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ed25519_reference import (
    BASE,
    ZERO,
    L,
    P,
    Point,
    decoded,
    hashed,
    public_of,
    scalar_of,
    signed,
    verified,
)

SOURCE = (
    "Made by tests/support/edge_cases.py with the plain integers of"
    " tests/support/ed25519_reference.py (RFC 8032 section 5.1). The kinds"
    " are those of Project Wycheproof and of 'Taming the many"
    " EdDSAs' (Chalkias, Garillot, Nikolaenko, 2020); the bytes are our own. `cofactored` and"
    " `cofactorless` say what RFC 8032 section 5.1.7 says with its equation times 8 and times 1;"
    " `accepted` what this project's check says."
)
SEED = bytes(range(32))
SECRET = scalar_of(SEED)
KEY = public_of(SEED)
MESSAGE = b"studiograph"
GOOD = signed(SEED, MESSAGE)
NONCE = 2**200 + 12345

Case = dict[str, Any]


def cases() -> Iterator[Case]:
    """Every case."""
    yield case("honest", KEY, GOOD, accepted=True)
    yield case("honest, nothing signed", KEY, signed(SEED, b""), b"", accepted=True)
    for made in (scalars(), shapes(), points(), small_keys(), small_commitments(), mixed()):
        yield from made


def case(
    name: str, key: bytes, signature: bytes, message: bytes = MESSAGE, *, accepted: bool = False
) -> Case:
    """One case, with what the two equations say about it."""
    return {
        "name": name,
        "key": key.hex(),
        "message": message.hex(),
        "signature": signature.hex(),
        "cofactored": verified(key, signature, message),
        "cofactorless": verified(key, signature, message, cofactor=1),
        "accepted": accepted,
    }


def scalars() -> Iterator[Case]:
    """The scalar is not reduced, or is another one."""
    s = int.from_bytes(GOOD[32:], "little")
    for times in range(1, 16):
        yield case(f"S + {times} L", KEY, GOOD[:32] + number(s + times * L))
    named = {"0": 0, "1": 1, "L - 1": L - 1, "L": L, "L + 1": L + 1, "2^255": 2**255}
    for name, value in {**named, "2^256 - 1": 2**256 - 1, "L - S": L - s}.items():
        yield case(f"S is {name}", KEY, GOOD[:32] + number(value))
    yield case("S is big-endian", KEY, GOOD[:32] + GOOD[:31:-1])
    for bit in (253, 254, 255):
        yield case(f"S with bit {bit}", KEY, GOOD[:32] + number(s ^ 1 << bit))


def shapes() -> Iterator[Case]:
    """Something is too short, too long, empty, or stands in another's place."""
    for signature in (b"", GOOD[:1], GOOD[:32], GOOD[:63], GOOD + b"\0", GOOD + GOOD):
        yield case(f"a signature of {len(signature)} bytes", KEY, signature)
    for key in (b"", KEY[:31], KEY + b"\0", KEY + KEY):
        yield case(f"a key of {len(key)} bytes", key, GOOD)
    yield case("a byte before the signature", KEY, b"\0" + GOOD)
    yield case("a byte before the key", b"\0" + KEY, GOOD)
    yield case("R and S swapped", KEY, GOOD[32:] + GOOD[:32])
    yield case("R is the key", KEY, KEY + GOOD[32:])
    yield case("all of the signature is zero", KEY, bytes(64))
    yield case("all of the key is zero", bytes(32), GOOD)
    yield case("all is zero", bytes(32), bytes(64))
    yield case("all of the signature is ones", KEY, b"\xff" * 64)
    yield case("all of the key is ones", b"\xff" * 32, GOOD)
    yield case("another message", KEY, GOOD, b"studiogrAph")
    yield case("another key", public_of(bytes(32)), GOOD)
    yield case("the negated key", bytes([*KEY[:31], KEY[31] ^ 128]), GOOD)
    yield case("the negated commitment", KEY, bytes([*GOOD[:31], GOOD[31] ^ 128]) + GOOD[32:])
    yield case("the hash of the message", KEY, GOOD, hashed(MESSAGE).to_bytes(32, "little"))
    for flag, name in ((0, "Ed25519ctx"), (1, "Ed25519ph")):
        prefix = b"SigEd25519 no Ed25519 collisions" + bytes([flag, 0])
        yield case(f"a signature of {name}", KEY, signed(SEED, MESSAGE, prefix))


def points() -> Iterator[Case]:
    """The key or the commitment is on no curve, or written with y over p."""
    off = [y for y in range(2, 40) if decoded(number(y)) is None][:3]
    for y in (*off, 2**255 - 1):
        yield case(f"a key off the curve, y is {y}", number(y), GOOD)
        yield case(f"a commitment off the curve, y is {y}", KEY, number(y) + GOOD[32:])
    over = [y for y in range(2, 19) if decoded(number(y)) is not None]
    for y in over:
        yield case(f"a key with y = p + {y}", number(P + y), GOOD)
        yield case(f"a commitment with y = p + {y}", KEY, number(P + y) + GOOD[32:])


def small_keys() -> Iterator[Case]:
    """The key's order divides 8: a signature fits many messages."""
    for name, key in small():
        nonce = (NONCE * BASE).encoded
        yield case(f"{name} as key, both equations", *ground(key, nonce, NONCE, free=True))
        yield case(f"{name} as key, S is 0", *ground(key, ZERO.encoded, 0, free=True))
        if decoded(key, strict=False) != ZERO:
            made = ground(key, nonce, NONCE, free=False)
            yield case(f"{name} as key, times 8 only", *made)


def small_commitments() -> Iterator[Case]:
    """The commitment's order divides 8: the nonce is nothing, and the key's secret lies open."""
    for name, commitment in small():
        s = hashed(commitment, KEY, MESSAGE) * SECRET % L
        yield case(f"{name} as commitment", KEY, commitment + number(s))


def mixed() -> Iterator[Case]:
    """The key or the commitment is an honest one plus a point whose order divides 8."""
    turn = torsion()
    for order in (8, 4, 2):
        twist = (8 // order) * turn
        key = (SECRET * BASE + twist).encoded
        honest = (NONCE * BASE).encoded
        twisted = (NONCE * BASE + twist).encoded
        s = (NONCE + hashed(twisted, KEY, MESSAGE) * SECRET) % L
        yield case(f"a commitment with a part of order {order}", KEY, twisted + number(s))
        for free in (True, False):
            name, signature, message = _mixed(key, honest, order, free=free)
            yield case(name, key, signature, message, accepted=free)


def _mixed(key: bytes, commitment: bytes, order: int, *, free: bool) -> tuple[str, bytes, bytes]:
    for message in messages():
        k = hashed(commitment, key, message)
        if (k % order == 0) == free:
            s = (NONCE + k * SECRET) % L
            how = "both equations" if free else "times 8 only"
            return (f"a key with a part of order {order}, {how}", commitment + number(s), message)
    raise AssertionError


def ground(key: bytes, commitment: bytes, nonce: int, *, free: bool) -> tuple[bytes, bytes, bytes]:
    """The key, a signature and a message for which the strict equation holds, or does not."""
    point = decoded(key, strict=False)
    assert point is not None
    for message in messages():
        if (hashed(commitment, key, message) * point == ZERO) == free:
            return key, commitment + number(nonce), message
    raise AssertionError


def small() -> Iterator[tuple[str, bytes]]:
    """Every way to write a point whose order divides 8, with those that are not allowed."""
    turn = torsion()
    for times in range(8):
        yield f"{times} times the point of order 8", (times * turn).encoded
    for y in (P, P + 1):
        yield f"y = p + {y - P}", number(y)
        yield f"y = p + {y - P}, signed", number(y | 1 << 255)
    for y in (1, P - 1):
        yield f"x = -0, y = {'1' if y == 1 else 'p - 1'}", number(y | 1 << 255)


def torsion() -> Point:
    """The first point of order 8."""
    for y in count(2):
        found = decoded(number(y))
        if found is not None and 4 * (turn := L * found) != ZERO:
            return turn
    raise AssertionError


def messages() -> Iterator[bytes]:
    """One after the other, until one serves."""
    return (f"message {tried}".encode() for tried in count())


def number(value: int) -> bytes:
    """32 bytes, little-endian."""
    return value.to_bytes(32, "little")


if __name__ == "__main__":
    text = json.dumps({"source": SOURCE, "cases": list(cases())}, indent=1)
    Path(sys.argv[1]).write_text(text + "\n")
