"""What our own mail server found out about a sender, read from Authentication-Results.

Whatever cannot be read proves nothing: parts of the field are the sender's own words.

Source: RFC 8601 section 2.2 (the field), section 5 (a server removes forged fields of its name).
"""

import re

from resolvers.contact.mail_parser import ReceivedMail, addresses, strip_comments

_FOUND = re.compile(r"(spf|dkim)(?:/[0-9]+)?=pass")


def is_authenticated(mail: ReceivedMail, sender: str | None, authserv_id: str) -> bool:
    """Whether the first field of our own server has a pass for the domain of the sender.

    SPF proves the sender of the envelope. DKIM must be of his domain or one above it, and the
    author's too (no list of public suffixes: a domain below proves nothing).
    """
    for value in mail.values("authentication-results") if sender else ():
        text = strip_comments(value)
        if text is None:  # might be ours, broken by what the sender said of himself
            return False
        server, *results = text.replace('"', "").lower().split(";")
        if server.split()[:1] == [authserv_id.lower()]:
            authors = [one for value in mail.values("from") for one in addresses(value)]
            domains = [_domain(one) for one in (sender, *authors)]
            return any(_proves(result, *domains) for result in results)
    return False


def _proves(result: str, sender: str, *authors: str) -> bool:
    """Whether one result is a pass for the sender's domain."""
    method, *pairs = re.sub(" ?= ?", "=", result).split() or [""]
    found = _FOUND.fullmatch(method)
    said = _pairs(pairs)
    if found is None or len(said) < len(pairs):  # said twice: which one is true?
        return False
    if found[1] == "spf":
        return _domain(said.get("smtp.mailfrom")) == sender
    signer = _domain(said.get("header.d") or said.get("header.i"))
    return "." in signer and all(f".{one}".endswith(f".{signer}") for one in (sender, *authors))


def _pairs(words: list[str]) -> dict[str, str]:
    split = (word.partition("=") for word in words)
    return {name: value for name, _, value in split}


def _domain(found: str | None) -> str:
    return (found or "").rpartition("@")[2].lower()
