"""Request bodies: what may not arrive. Reads nothing itself."""

from collections.abc import Mapping

from schema.errors import Fault, TooLarge, UnsupportedMediaType

MAX_BODY = 64 * 1024


def refuse_body(headers: Mapping[str, str], longest: int = MAX_BODY) -> None:
    """Nothing, for a body whose declared length and coding are acceptable. Raises: StudioError."""
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length[:20]) > longest:
        raise TooLarge(
            f"A body here may have at most {longest} bytes.",
            [Fault("Content-Length", f"must be at most {longest}")],
        )
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(
            "A body must not be encoded.", [Fault("Content-Encoding", "must be absent")]
        )
