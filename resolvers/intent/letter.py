"""Finds who writes and what, in a goal to send a message.

Only what the goal clearly says is returned: a name stands beside its address or after "my name
is", "signed" or "from"; a message in quotation marks, or after a colon or "that".
"""

import re

_PARTICLE = r"(?:de|den|der|da|do|dos|du|di|del|della|la|le|van|von|zu|ten|ter|bin|ibn|al|el|y|af)"
_NAME = (
    r"[^\W\d_a-zß-ÿ][\w'\u2019-]*\.?"
    rf"(?:\s(?:(?i:{_PARTICLE})\s){{0,2}}[^\W\d_a-zß-ÿ][\w'\u2019-]*(?:\.(?=\s[A-Z]))?){{0,3}}"
)
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_SIGNED = (
    r"(?i:my name is|signed(?: by)?|sign(?: it)?(?: as)?|sender(?: is)?|(?:kind |best )?regards|"
    r"sent by|the name(?: is)?|under the name(?: of)?|name(?: is)?|yours)[\s,:]+"
)
_BESIDE = rf"[,;]?\s*(?:\(|<|(?i:at|under|e-?mail)\s)?\s*(?:{_EMAIL})"
_SENDERS = (
    re.compile(rf"(?<!\w){_SIGNED}({_NAME})"),
    re.compile(
        rf"(?:(?<!\w)(?i:from|for|I am|I'm)\s+|(?:^|[.!?;:,\"”'»(]\s*))({_NAME})"
        rf"(?:,\s+{_NAME})?{_BESIDE}"
    ),
)
_CARRIED = (
    re.compile(
        r"(?is)^\W*(?:\w+\W+){0,8}?(?:tell|inform|let|write(?: to)?|say to|message|e-?mail|ask)\b"
        r"[^:\"“«]{1,60}?\b(?:know\s+)?(?:that|to say that|saying that)\s+(.+)$"
    ),
    re.compile(r"(?is)^[^:\"“«]{4,100}:\s+(.+)$"),
)
_REPLY = re.compile(
    r"(?i)[\s,;.\u2013-]*\b(?:please )?(?:(?:reply|answer|respond|write back)(?: to| at)?"
    r"(?: (?:us|me|him|her|them))?(?: at| to)?|"
    r"(?:my|our|the|her|his)? ?(?:e-?mail |mail |reply )?address(?: is)?|"
    r"(?:my |our )?e-?mail(?: is)?|contact|(?:you can )?reach (?:me|us)(?: at| by| via)?)"
    rf"[\s:]*{_EMAIL}\W*$"
)
_LABEL = re.compile(r"(?<!\w)(?:name|e-?mail|company|message|text|agent)\s*[:=]", re.IGNORECASE)


def find_sender(goal: str) -> str | None:
    """Return the name of the person who writes."""
    for pattern in _SENDERS:
        if match := pattern.search(goal):
            return match[1].rstrip(".,")
    return None


def find_name_after(goal: str, label: str) -> str | None:
    """Return the name, in capitals, that stands after a label: "company Quinn Marine"."""
    match = re.search(rf"(?<!\w)(?i:{label})(?: is)?\s+({_NAME})", goal)
    return match[1].rstrip(".,") if match else None


def find_message(goal: str) -> str | None:
    """Return the message after "that" or the first colon, without its sender and address."""
    if _LABEL.search(goal):
        return None  # what is labelled ends where the next label begins
    for pattern in _CARRIED:
        if match := pattern.match(goal):
            return without_sender(match[1]) or None
    return None


def without_sender(text: str) -> str:
    """Remove from a message who sends it and the address to reply to."""
    introduced = rf"^(?:{_SIGNED})({_NAME})(?:{_BESIDE})?[.,;)>\s]+"
    text = re.sub(introduced, "", text.strip())
    text = _REPLY.sub("", text)
    signed = rf"[\s,;\u2013-]*(?:{_SIGNED}|(?<=[.!?;,])\s*(?i:from\s+)?)({_NAME})(?:{_BESIDE}\W*)?$"
    text = re.sub(signed, "", text)
    text = re.sub(rf"[\s,;(<\u2013-]*{_EMAIL}\W*$", "", text)
    return text.strip(" \t\n,;\u2013-")
