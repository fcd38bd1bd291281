"""URLs, host names and mail addresses in prose: how they are found and allowed.

Addresses are also found where look-alike characters disguise them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

_SCHEME = r"[a-z][a-z0-9+.-]*://"
_ACTIVE = r"(?:javascript|vbscript|data|file|blob|mailto|tel|sms|ipfs|magnet|intent):"
_LABEL = r"\w[\w-]*"
_HOST = rf"(?<!\w)(?:{_LABEL}\.)+(?:xn--[a-z0-9-]+|[^\W\d_]{{2,24}})(?![^\W_])"
_ADDRESS = re.compile(
    rf"(?:{_SCHEME}|{_ACTIVE}|//)[^\s<>]+"
    rf"|(?<![\w.+%-])[\w.+%-]+@{_LABEL}(?:\.{_LABEL})*"
    rf"|{_HOST}(?::[0-9]+)?(?:[/?#][^\s<>]*)?",
    re.IGNORECASE,
)
_HOST_ONLY = re.compile(_HOST, re.IGNORECASE)
_PLAIN = re.compile(r"(?:https?://)?[\w./~%?&=#:+-]+", re.ASCII)
_MAX_LENGTH = 500
"""Longer words are forbidden unread, because reading them could take long."""
_PUNCTUATION = ".,;:!?)]}*_'\"”\u2019»"
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": ".", "\u2024": "."})
_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\u00ad"))
_FILES = frozenset(
    {"css", "csv", "gif", "gz", "html", "ini", "jpeg", "jpg", "js", "json", "jsx", "lock", "md"}
    | {"pdf", "png", "py", "rs", "sh", "sql", "svg", "toml", "ts", "tsx", "txt", "webp", "xml"}
    | {"yaml", "yml"}
)
"""File name extensions; a word that ends in one is no host, unless a path follows."""
_COMMON = frozenset(
    {"ai", "app", "biz", "cn", "co", "com", "de", "dev", "edu", "eu", "example", "fr", "info", "io"}
    | {"link", "me", "net", "online", "org", "ru", "shop", "site", "top", "uk", "us", "xyz", "zip"}
)
"""Top-level domains that are recognised in any case: `Evil.Com` is a host, `Yes.The` is not."""


def normalise(text: str) -> str:
    """Return the text with one form of each letter and dot, as a program would read a URL."""
    return unicodedata.normalize("NFKC", text).translate(_DOTS).translate(_JOINERS)


def addresses_in(text: str) -> Iterator[re.Match[str]]:
    """Yield each address in normalised text, possibly with punctuation at its end."""
    return (match for match in _ADDRESS.finditer(text) if _is_address(match[0]))


def strip_punctuation(address: str) -> str:
    """Remove the punctuation that the sentence put behind an address."""
    return address.rstrip(_PUNCTUATION)


@dataclass(frozen=True)
class AllowedUrls:
    """The addresses that may be named: those in some texts, and all under one base URL."""

    base: SplitResult
    named: frozenset[str]

    def __contains__(self, address: str) -> bool:
        key = _key(address)
        return key in self.named or self._is_ours(key)

    def forbids(self, word: str) -> bool:
        """Return whether a word has an address that is not allowed, even a disguised one."""
        return len(word) > _MAX_LENGTH or any(
            match[0] not in self for match in addresses_in(normalise(word))
        )

    def _is_ours(self, address: str) -> bool:
        if not _PLAIN.fullmatch(address) or address.count("//") > 1:
            return False  # two addresses in one, or a trick on programs that make links
        try:
            parts = urlsplit(address if "//" in address else f"{self.base.scheme}://{address}")
        except ValueError:
            return False
        folder = self.base.path.rstrip("/") + "/"
        return (parts.scheme, parts.netloc.lower()) == (
            self.base.scheme,
            self.base.netloc.lower(),
        ) and f"{parts.path}/".startswith(folder)


def allowed_urls(texts: Iterable[str], base_url: str) -> AllowedUrls:
    """Return the addresses in the texts and all under the base URL as allowed."""
    addresses = (match[0] for text in texts for match in addresses_in(normalise(text)))
    keys = {_key(address) for address in addresses}
    bare = {key.removeprefix("https://") for key in keys}
    return AllowedUrls(urlsplit(base_url), frozenset(keys | bare))


def _is_address(text: str) -> bool:
    """Return whether a match is an address and not a file name or the end of a sentence."""
    if not _HOST_ONLY.fullmatch(text):
        return True
    last = text.rpartition(".")[2]
    if last.lower() in _COMMON or last.lower().startswith("xn--"):
        return True
    return last.lower() not in _FILES and (last.islower() or last.isupper())


def _key(address: str) -> str:
    """Return one spelling of an address: lower case before the path, no punctuation at the end."""
    plain = strip_punctuation(address).removeprefix("mailto:")
    head = re.match(rf"(?:{_SCHEME})?[^/?#]*", plain, re.IGNORECASE)
    cut = head.end() if head else 0
    return plain[:cut].lower() + plain[cut:].rstrip("/")
