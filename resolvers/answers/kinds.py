"""What a question asks for, and whether a text holds something of that kind.

A text that is alike a question often lacks the very thing asked for: a name, an amount, a day, or
the number that the question is about.
"""

import re
from collections.abc import Collection, Sequence

from resolvers.embeddings.tokenizer import terms

_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,]*\d|(?<![\w.,-])\d{2,}(?=\D|$)")
_DIGIT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|hundred|thousand|none|no|half|both|single|once|twice)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(?:how many|number of|how much|percent\w*|percentage)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:when|what date|which date|what year|which year|since when)\b", re.IGNORECASE
)
_DAY = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|spring|summer|autumn|winter|daily|weekly"
    r"|monthly|year|week|month|day|hours?|morning|evening|after|before|never|now)\b",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\b(?:costs?|prices?|pric(?:ing|ey)|fees?|charges?|(?:day|daily|hourly) rates?|rates"
    r"|how much (?:is|are|for)|(?:how much|what) .*\b(?:pay|paid|sell for|sold for))\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    rf"{_PRICE.pattern}|\b(?:budget|turnover|revenue|salary|income|earn\w*|profits?|bills?)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"[€$£]\s?\d|\d\s?(?:[€$£]|euros?|pounds|dollars|francs|eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf"
    r"|ron|try|cad|aud|nzd|jpy|cny|inr|brl|mxn|zar|sgd|hkd|krw|ils|aed)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\bname (?:of|one|a|an)\b|\bby name\b|\breference (?:customer|client)\b"
    r"|\b(?:make|brand) of\b|\b(?:which|what) (?:make|brand)\b|: (?:make|brand)\b"
    r"|\bwhat (?:is|are) (?:he|she|they|the [\w ]+) called\b"
    r"|\b(?:which|what) (?:two |three |other )?(?:county|city|town|country|university|college"
    r"|company|firm|bank|broker|vendor|supplier|provider|insurer|laboratory|lab|employer|shop|pub|hotel"
    r"|hospital|school|party|printer|street|village|harbour|port|church|club|magazine|festival"
    r"|library|theatre|archive|(?:news)?papers?|museums?)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\bnames of\b|\bname (?:the|all|every|each)\b.*\w{3}s\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,;)]\s)(?!I\b)[A-Z][\w'\u2019-]+(?:\s[A-Z][\w'\u2019-]+)*")
"""Capitalised words within a sentence."""
_ROW = re.compile(r"[A-Z][\w'\u2019-]+(?:,\s[A-Z][\w'\u2019-]+)+")
"""Several names in a row."""
_PLACES = re.compile(r"\b(street|postal|fax|whatsapp|vat|iban)\b", re.IGNORECASE)
_PHONE = re.compile(r"\b(?:tele)?phone\b|\bmobile (?:number|phone)\b", re.IGNORECASE)
_PHONE_NUMBER = re.compile(r"\+?\d[\d ()/-]{6,}\d|\bby (?:tele)?phone\b", re.IGNORECASE)
_AGE = re.compile(r"\bhow old\b|\bwhat age\b|\bdate of birth\b|\bbirthday\b", re.IGNORECASE)
_BIRTH = re.compile(
    r"\b(?:born|founded|built|began|begun|launched|started)\b.*\b(?:1\d|20)\d\d\b"
    r"|\b\d+ years old\b|\baged \d",
    re.IGNORECASE,
)
KINDS = {
    "telephone number": (_PHONE, _PHONE_NUMBER),
    "age": (_AGE, _BIRTH),
    "amount of money": (_MONEY, _AMOUNT),
}
"""Kinds of things that are surely not in a text: how they are asked for, and how they look."""
_OWN = re.compile(r"(?:^|[,.;?]\s*)(?:I|we|our|my)\b[^.?!;]*", re.IGNORECASE)
"""What callers tell of themselves, whose numbers no answer has."""
_OFFERED = re.compile(
    r"\b(?:would|could|can|will)\s+(?!(?:i|we|my|it|this)\b)\w+\s+"
    r"(?!(?:(?:please|kindly|be able to)\s+)?"
    r"(?:tell|say|quote|give|name|list|explain|show|share|send)\b)"
    r"|\bis (?:it|that|this) possible\b|\bpossible\s*\?|\bis there any (?:way|chance)\b"
    r"|\b(?:you|they|she|he) (?:would|could|can|will) (?:accept|take|consider|do)\b",
    re.IGNORECASE,
)
"""Whether the studio would do something; "could you tell ..." only asks politely."""
_ASKS_DETAIL = re.compile(
    r"\b(?:how (?:much|many|long|soon|often|old)|what|which|when|who|where)\b", re.IGNORECASE
)
_UNIT = re.compile(
    r"\bin (mm|cm|m|km|kg|g|percent|%|days|weeks|months|years|hours|minutes|euros?|pounds)(?!\w)",
    re.IGNORECASE,
)
_PHRASE = r"((?:[\w-]+\s+){0,3}?[\w-]+)"
_VERB = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must|exist"
    r"|\w+[^\We]ed|came|went|made)"
)
_AFTER = (
    rf"(?:{_VERB}|of|in|on|at|for|to|from|by|with|per|a|an|the|there|you|they|she|he|it|we|i|that"
    r"|who|which|and|or|as|than|under|about|your|their|her|his|my|our)"
)
"""Words that follow what is asked for, and are no part of it."""
_SORT = r"(?:make|brand|kind|sort|type|model)s?"
_ENDS = rf"(?=\s+{_AFTER}\b|\s*[?.!,;:]|\s*$)"
_ASKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:how (?:many|much)|number of|(?<!, )which(?: {_SORT} of)?|whose)\s+(?!{_AFTER}\b)"
        rf"{_PHRASE}{_ENDS}",
        rf"\bwhat\s+(?!{_AFTER}\b){_PHRASE}(?=\s+(?:{_VERB}|comes|goes|applies|\w+s\s+(?:with|from|to|for))\b)",
        r"\b(?:who|what)(?:'s|\s+(?:is|are|was|were))\s+(?:(?:the|its|their|your|her|his)\s+)?"
        rf"{_PHRASE}\s+(?:of|for|at|behind|in|on|like|near|today|tomorrow|(?:to|from)\s+the)\b",
        rf"(?<=\w)['\u2019]s\s+{_PHRASE}{_ENDS}",
        rf"\bhow\s+(?!(?:many|much|soon|long|often|far|well|come|about|i|{_AFTER})\b)(\w+)\b",
        r"\bwhen\s+(?:is|are|was|were|do|does|did|will)\s[^,;.?]*?(\w+)\s*(?:\?|$)",
        rf"(?:^|[.?!;:]\s)who\s+(?!{_AFTER}\b)(\w+)\b",
        r"\b(?:write|compose|draw|sing)\s+(?:(?:me|us)\s+)?(?:an?|some|the)\s+(\w+)",
        r"\b(?:recommend|suggest)\s+(?:(?:me|us)\s+)?(?:an?|some|the)\s+(?:(?:good|nice)\s+)?(\w+)",
    )
)
"""What a question asks for: `how many barges`, `who is the mayor of`, `its owner's age`, the
last word of `when was it built`."""
_ANYTHING = frozenset(
    terms(
        "kind sort type way form one name number share sum total amount reason reasoning argument"
        " look idea point view exactly else year month day part thing"
    )
)
"""Words that ask for no thing of their own."""


def asked_phrases(question: str) -> list[list[str]]:
    """Return the stems of each phrase for what a question asks for; its noun is the last."""
    phrases = (match[1] for pattern in _ASKED for match in pattern.finditer(question))
    named = ([word for word in terms(phrase) if word not in _ANYTHING] for phrase in phrases)
    return [words for words in named if words]


def asks_price(question: str) -> bool:
    """Return whether a question asks what something costs."""
    return _PRICE.search(question) is not None


def holds_price(text: str) -> bool:
    """Return whether a text has an amount of money."""
    return _AMOUNT.search(text) is not None


def lacks_slot(question: str, lines: Sequence[str], names: Collection[str]) -> bool:
    """Return whether no line holds the kind of thing that the question asks for.

    `names` are those of the entries that the question names; they do not count as an answer.
    """
    known = f"{question} {' '.join(names)}".lower()
    return not any(_holds(question, line, known) for line in lines)


def unpublished_kind(question: str, lines: Sequence[str]) -> str:
    """Return what a question asks for and no line gives, in words; empty if that is not sure."""
    for kind, (asked, given) in KINDS.items():
        if asked.search(question) and not any(given.search(line) for line in lines):
            return "" if asks_offer(question) else kind
    return ""


def asks_offer(question: str) -> bool:
    """Return whether a question only asks if the studio would do something.

    Its figures are those of the caller's matter, and the answer is a scope and not an amount.
    """
    return _OFFERED.search(question) is not None and _ASKS_DETAIL.search(question) is None


def _holds(question: str, line: str, known: str) -> bool:
    plain = line.replace(",", "")
    is_offer = asks_offer(question)
    is_quantity = asks_price(question) and holds_price(line)  # "how much for 20 pages"
    theirs = [] if is_offer or is_quantity else _NUMBER.findall(_OWN.sub("", question))
    numbers = [number.strip(".,").replace(",", "") for number in theirs]
    rest = plain
    for number in numbers:
        rest = _occurrence(number).sub("", rest)
    return (
        all(_occurrence(number).search(plain) for number in numbers)
        and all(word.lower() in line.lower() for word in _PLACES.findall(question))
        and not (_COUNT.search(question) and not _DIGIT.search(rest))
        and not (_WHEN.search(question) and not _DAY.search(rest))
        and not (_PHONE.search(question) and not _PHONE_NUMBER.search(line))
        and not (_AGE.search(question) and not _BIRTH.search(line))
        and all(_in_unit(unit).search(rest) for unit in _UNIT.findall(question))
        and not (not is_offer and _MONEY.search(question) and not _AMOUNT.search(line))
        and not (_LISTED.search(question) and not _ROW.search(line))
        and not (
            _NAMED.search(question)
            and all(name.lower() in known or _DAY.search(name) for name in _NAME.findall(line))
        )
    )


def _occurrence(number: str) -> re.Pattern[str]:
    """Return a pattern for a number that is no part of a longer one."""
    return re.compile(rf"(?<!\d){re.escape(number)}(?!\d)")


def _in_unit(unit: str) -> re.Pattern[str]:
    """Return a pattern for a number of this unit, in the singular or the plural."""
    names = "%|per ?cent" if unit.lower() in {"%", "percent"} else re.escape(unit.rstrip("s"))
    return re.compile(rf"\d\s?(?:{names})", re.IGNORECASE)
