"""Ed25519 in plain integers: slow, and able to make signatures that must be refused.

Source: RFC 8032 section 5.1, with both verification equations of section 5.1.7.
"""

import hashlib
from dataclasses import dataclass

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


@dataclass(frozen=True)
class Point:
    """A point of the curve in extended coordinates: x = X/Z, y = Y/Z, x * y = T/Z."""

    X: int
    Y: int
    Z: int
    T: int

    def __add__(self, other: "Point") -> "Point":
        """Section 5.1.4: complete, so it doubles too."""
        a = (self.Y - self.X) * (other.Y - other.X) % P
        b = (self.Y + self.X) * (other.Y + other.X) % P
        c = 2 * self.T * other.T * D % P
        d = 2 * self.Z * other.Z % P
        e, f, g, h = b - a, d - c, d + c, b + a
        return Point(e * f % P, g * h % P, f * g % P, e * h % P)

    def __neg__(self) -> "Point":
        return Point(-self.X % P, self.Y, self.Z, -self.T % P)

    def __rmul__(self, times: int) -> "Point":
        total, power = ZERO, self
        while times:
            if times % 2:
                total = total + power
            power, times = power + power, times // 2
        return total

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Point)
        same_x = (self.X * other.Z - other.X * self.Z) % P == 0
        return same_x and (self.Y * other.Z - other.Y * self.Z) % P == 0

    def __hash__(self) -> int:
        return hash(self.encoded)

    @property
    def encoded(self) -> bytes:
        """Section 5.1.2: y, little-endian, with the lowest bit of x on top."""
        inverse = pow(self.Z, -1, P)
        x, y = self.X * inverse % P, self.Y * inverse % P
        return (y | (x % 2) << 255).to_bytes(32, "little")

    @property
    def small(self) -> bool:
        """Whether its order divides 8."""
        return 8 * self == ZERO


def affine(x: int, y: int) -> Point:
    """The point with these coordinates."""
    return Point(x, y, 1, x * y % P)


def decoded(data: bytes, *, strict: bool = True) -> Point | None:
    """Section 5.1.3; loosely, y may be over p and a zero x may carry a sign."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number % 2**255
    if len(data) != 32 or (strict and y >= P):
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P:
        x = x * ROOT % P
    if (x * x - squared) % P or (strict and x == 0 and sign):
        return None
    return affine(x if x % 2 == sign else -x % P, y % P)


ZERO = affine(0, 1)
_base = decoded((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
assert _base is not None
BASE = _base


def hashed(*parts: bytes) -> int:
    """SHA-512 as a number below the order of the base point."""
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L


def scalar_of(seed: bytes) -> int:
    """Section 5.1.5: the secret scalar of a seed."""
    digest = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return (digest % 2**254 | 2**254) & ~7


def public_of(seed: bytes) -> bytes:
    """Section 5.1.5: the public key of a seed."""
    return (scalar_of(seed) * BASE).encoded


def signed(seed: bytes, message: bytes, prefix: bytes = b"") -> bytes:
    """Section 5.1.6; with a prefix, dom2 of Ed25519ctx and Ed25519ph."""
    nonce = hashed(prefix, hashlib.sha512(seed).digest()[32:], message)
    key, point = public_of(seed), (nonce * BASE).encoded
    s = (nonce + hashed(prefix, point, key, message) * scalar_of(seed)) % L
    return point + s.to_bytes(32, "little")


def verified(
    key: bytes, signature: bytes, message: bytes, *, cofactor: int = 8, strict: bool = True
) -> bool:
    """Section 5.1.7 with the equation times 8, or with the stricter one times 1."""
    a, r = decoded(key, strict=strict), decoded(signature[:32], strict=strict)
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or len(signature) != 64 or s >= L:
        return False
    k = hashed(signature[:32], key, message)
    return cofactor * (s * BASE) == cofactor * (r + k * a)
