"""The result of SPF and DKIM checks by our own mail server, from Authentication-Results.

A field that cannot be parsed counts as no proof, because parts of it are written by the sender.

Source: RFC 8601 section 2.2 (the field), section 5 (a server removes forged fields of its name).
"""

import re

from resolvers.contact.mail_parser import ReceivedMail, addresses, strip_comments

_PASS = re.compile(r"(spf|dkim)(?:/[0-9]+)?=pass")


def is_authenticated(mail: ReceivedMail, sender: str | None, authserv_id: str) -> bool:
    """Return whether our server's first field has a pass for the sender's domain.

    An SPF pass must be for the envelope sender's domain. A DKIM signature must be of that domain or
    a parent domain, and likewise for each author (without a list of public suffixes, a subdomain
    proves nothing).
    """
    for value in mail.values("authentication-results") if sender else ():
        text = strip_comments(value)
        if text is None:  # it might be our server's field, broken by text of the sender
            return False
        server, *results = text.replace('"', "").lower().split(";")
        if server.split()[:1] == [authserv_id.lower()]:
            authors = [author for value in mail.values("from") for author in addresses(value)]
            domains = [_domain(address) for address in (sender, *authors)]
            return any(_proves(result, *domains) for result in results)
    return False


def _proves(result: str, sender: str, *authors: str) -> bool:
    """Return whether one result is a pass for the sender's domain."""
    method, *pairs = re.sub(" ?= ?", "=", result).split() or [""]
    match = _PASS.fullmatch(method)
    properties = _parse_properties(pairs)
    if match is None or len(properties) < len(pairs):  # a property twice is ambiguous
        return False
    if match[1] == "spf":
        return _domain(properties.get("smtp.mailfrom")) == sender
    signer = _domain(properties.get("header.d") or properties.get("header.i"))
    domains = (sender, *authors)
    return "." in signer and all(f".{domain}".endswith(f".{signer}") for domain in domains)


def _parse_properties(pairs: list[str]) -> dict[str, str]:
    parts = (pair.partition("=") for pair in pairs)
    return {name: value for name, _, value in parts}


def _domain(address: str | None) -> str:
    return (address or "").rpartition("@")[2].lower()
