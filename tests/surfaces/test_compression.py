"""Coded bodies are the same bodies, with validators of their own."""

import gzip
from collections.abc import Callable

import brotli
import httpx
import pytest
import zstandard

PATHS = [
    "/",
    "/llms.txt",
    "/llms-full.txt",
    "/api/projects",
    "/api/projects/tidebook.md",
    "/api/manifest",
    "/api/feed.json",
    "/api/graphql",
    "/api/graphql/schema",
    "/api/graphql?query={glossary{term}}",
    "/api/faq?limit=3",
    "/api/changelog?kind=added",
]
DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli.decompress,
    "gzip": gzip.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompressobj().decompress(body),
}


def raw(client: httpx.Client, path: str, **headers: str) -> tuple[bytes, httpx.Response]:
    """The bytes as they came, and the response."""
    headers.setdefault("accept_encoding", "identity")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with client.stream("GET", path, headers=named) as response:
        return b"".join(response.iter_raw()), response


@pytest.mark.parametrize("coding", DECODERS)
@pytest.mark.parametrize("path", PATHS)
def test_a_coded_body_decodes_to_the_plain_one(
    client: httpx.Client, path: str, coding: str
) -> None:
    plain, first = raw(client, path)
    coded, second = raw(client, path, accept_encoding=coding)
    assert "content-encoding" not in first.headers
    assert second.headers["content-encoding"] == coding
    assert DECODERS[coding](coded) == plain
    assert len(coded) < len(plain)
    assert second.headers["content-length"] == str(len(coded))
    assert second.headers["etag"] != first.headers["etag"]
    assert "Accept-Encoding" in second.headers["vary"]


@pytest.mark.parametrize("coding", DECODERS)
def test_each_coding_is_validated_by_its_own_tag(client: httpx.Client, coding: str) -> None:
    _, coded = raw(client, "/api/faq", accept_encoding=coding)
    _, plain = raw(client, "/api/faq")
    tag = coded.headers["etag"]
    _, known = raw(client, "/api/faq", accept_encoding=coding, if_none_match=tag)
    assert (known.status_code, known.headers["etag"]) == (304, tag)
    _, other = raw(client, "/api/faq", if_none_match=tag)
    assert (other.status_code, other.headers["etag"]) == (200, plain.headers["etag"])


@pytest.mark.parametrize(
    ("accept", "coding"),
    [
        ("", None),
        ("identity", None),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP", "gzip"),
        ("br;q=0.1, gzip;q=0.9", "gzip"),
        ("br; q=0, zstd; q=0.5", "zstd"),
        ("*", "br"),
        ("*;q=0", None),
        ("br;q=0, *", "zstd"),
        ("gzip;q=0.5, identity", None),
        ("deflate", None),
        ("nonsense;;;q, br;q=2", None),
        ("br;q=0.001", "br"),
    ],
)
def test_the_caller_chooses_the_coding(
    client: httpx.Client, accept: str, coding: str | None
) -> None:
    _, response = raw(client, "/api/faq", accept_encoding=accept)
    assert response.headers.get("content-encoding") == coding
