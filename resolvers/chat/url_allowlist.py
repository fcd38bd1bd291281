"""Addresses in prose: of the web and of mail, whole or bare, also where letters disguise them.

Says what is an address and whether it is allowed; what becomes of it is judged elsewhere.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
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
_BARE = re.compile(_HOST, re.IGNORECASE)
_PLAIN = re.compile(r"(?:https?://)?[\w./~%?&=#:+-]+", re.ASCII)
_LONGEST = 500
"""No word so long is read: what takes long to judge is not said."""
_END = ".,;:!?)]}*_'\"”\u2019»"
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": ".", "\u2024": "."})
_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\u00ad"))
_FILES = frozenset(
    {"css", "csv", "gif", "gz", "html", "ini", "jpeg", "jpg", "js", "json", "jsx", "lock", "md"}
    | {"pdf", "png", "py", "rs", "sh", "sql", "svg", "toml", "ts", "tsx", "txt", "webp", "xml"}
    | {"yaml", "yml"}
)
"""Last parts of names of files, which are left alone as long as no path follows them."""
_COMMON = frozenset(
    {"ai", "app", "biz", "cn", "co", "com", "de", "dev", "edu", "eu", "example", "fr", "info", "io"}
    | {"link", "me", "net", "online", "org", "ru", "shop", "site", "top", "uk", "us", "xyz", "zip"}
)
"""Last parts of hosts, known in any case of letters: `Yes.The` is two sentences, `Evil.Com` not."""


def normalise(text: str) -> str:
    """The text as a program would read an address in it: one form of each letter and dot."""
    return unicodedata.normalize("NFKC", text).translate(_DOTS).translate(_JOINERS)


def addresses_in(text: str) -> Iterator[re.Match[str]]:
    """Each address in folded text, with what may be punctuation at its end."""
    return (match for match in _ADDRESS.finditer(text) if _is_address(match[0]))


def strip_punctuation(address: str) -> str:
    """The address without the punctuation of the sentence around it."""
    return address.rstrip(_END)


@dataclass(frozen=True)
class AllowedUrls:
    """The addresses that may be named: those of some texts, and all under one base address."""

    base: SplitResult
    named: frozenset[str]

    def __contains__(self, address: str) -> bool:
        key = _key(address)
        return key in self.named or self._is_ours(key)

    def _is_ours(self, address: str) -> bool:
        if not _PLAIN.fullmatch(address) or address.count("//") > 1:
            return False  # two addresses in one, or a trick on whoever makes links of them
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
    """The addresses that stand in the texts, and what is under the base address."""
    found = (match[0] for text in texts for match in addresses_in(normalise(text)))
    keys = {_key(address) for address in found}
    bare = {key.removeprefix("https://") for key in keys}
    return AllowedUrls(urlsplit(base_url), frozenset(keys | bare))


def mask_urls(word: str, known: AllowedUrls, instead: str) -> str:
    """A word without blanks, in which each address that is not allowed is replaced.

    A word that names one in disguise is replaced as a whole: it has no place of its own.
    """
    if len(word) > _LONGEST:
        return instead
    plain = normalise(word)
    if plain == word:
        return _ADDRESS.sub(_judge(known, instead), word)
    is_clean = all(match[0] in known for match in addresses_in(plain))
    return word if is_clean else instead


def _judge(known: AllowedUrls, instead: str) -> Callable[[re.Match[str]], str]:
    def judge(match: re.Match[str]) -> str:
        found = match[0]
        if not _is_address(found) or found in known:
            return found
        return instead + found[len(strip_punctuation(found)) :]

    return judge


def _is_address(found: str) -> bool:
    """Whether what looks like a host is one, and not a name of a file or the end of a sentence."""
    if not _BARE.fullmatch(found):
        return True
    last = found.rpartition(".")[2]
    if last.lower() in _COMMON or last.lower().startswith("xn--"):
        return True
    return last.lower() not in _FILES and (last.islower() or last.isupper())


def _key(address: str) -> str:
    """One spelling of an address: what stands before the path in small letters, no end mark."""
    plain = strip_punctuation(address).removeprefix("mailto:")
    head = re.match(rf"(?:{_SCHEME})?[^/?#]*", plain, re.IGNORECASE)
    cut = head.end() if head else 0
    return plain[:cut].lower() + plain[cut:].rstrip("/")
