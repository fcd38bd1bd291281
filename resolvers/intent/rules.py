"""What a goal asks for by its wording alone, whatever it is about."""

import re

from resolvers.embeddings.tokenizer import terms

ASK, SEARCH = "Ask", "SearchContent"

_POLITE = re.compile(
    r"^\W*(?:(?:please|kindly|hi|hello|hey|and|so|then|now)\b[\s,]*|"
    r"(?:i|we)(?:'d| would| should)? (?:want|like|need|wish) (?:you )?to\s+"
    r"(?!know\b|find out\b|understand\b)|"
    r"(?:may|might|can|could) (?:i|we) (?:please )?(?:have|see|get)\s+|let (?:me|us) have\s+|"
    r"(?:let me|help me(?: to)?)\s+|"
    r"(?:can|could|would|will) you (?:please )?(?=(?:search|find|look|show|list|get|give|send|tell"
    r"|subscribe|notify|embed|fetch|open|read|cancel|ask|explain|forward|pass)\b))+",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:what|how|why|when|who|whom|whose|where|which|whether|if|is|are|was|were|does|did|has)\b|"
    r"(?:am|do|have|had|can|could|may|might|must|will|would|should|shall)(?:n't)? "
    r"(?:i|you|we|he|she|it|they|the|this|that|these|their|your|a|an|any|anyone|someone|somebody"
    r"|there)\b|(?:tell me|explain|describe|summari[sz]e)\b(?! .{0,20}\bchange)|"
    r"(?:find out|see|learn)\b.{0,10}\b(?:whether|if|how|what|when|who|why|which)\b|"
    r"(?:i|we|my \w+) (?:\w+ )?(?:need|needs|want|wants|have|has|must|am|would like|wonder\w*)\b"
    r".{0,20}\b(?:to (?:know|find out|understand|explain|describe|learn|tell|decide|report|be sure)"
    r"|whether|if)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:please )?(?:(?:can|could|would|will) you (?:please )?(?:show|list|fetch|open|search|"
    r"look up|(?:give|send|get|hand) (?:me|us))|(?:may|might|can|could) (?:i|we) (?:please )?"
    r"(?:have|see|get))\b",
    re.IGNORECASE,
)
"""A wish in the form of a question, which asks for a thing and not for an answer."""
_TO_KNOW = re.compile(
    r"\b(?:i|we)(?:'d| would| should)? (?:need|want|wish|like|have) to (?:know|find out|learn)\b|"
    r"\bwonder(?:ing)? (?:whether|if|how|what|when|who|why)\b",
    re.IGNORECASE,
)
"""A question after something else, as in "before we tender, we need to know how"."""
_HUMAN = (
    r"(?:m(?:r|rs|s|x)\.? )?(?:the |a |your |their )?"
    r"(?:human|person|owner|founder|someone|somebody|people)"
)
_NOTICES = r"(?:subscription|webhook|deliver\w*|notif\w*|push\w*|callback|updates|pings?)"
_RULES = {
    "Unsubscribe": (
        r"^unsubscribe\b|\b(?:want|like|need|how) to unsubscribe\b|"
        rf"^(?:cancel|stop|end|remove|delete|drop|revoke|no more)\b.{{0,40}}\b{_NOTICES}|"
        rf"\bno longer (?:want|need|wish)\b.{{0,40}}\b{_NOTICES}|"
        r"^stop (?:sending|pushing|notifying|calling)\b|^(?:remove|sign) (?:me|us) (?:from|off)\b"
    ),
    "Subscribe": (
        r"^(?:subscribe (?:to|me|us|my|our|https?:)|(?:register|add|create|set up|install) .{0,20}"
        r"\b(?:webhook|callback|subscription)|(?:notify|ping|alert|push|post|forward|deliver|send|"
        r"tell|call|hook)\b.{0,80}\bhttps?://)|\bwebhook (?:to|at|for|on)\b|\bpush(?:es)? "
        r"(?:when|whenever|notification)|\b(?:notify|ping|alert) (?:me|us|my|our)\b|"
        r"^(?:tell|inform|let) (?:me|us)\b.{0,20}\b(?:whenever|as soon as|each time|every time)\b|"
        r"^(?=.*\bhttps?://).*\b(?:whenever|as soon as|each time|every time)\b|"
        r"^keep (?:me|us) (?:posted|updated|informed|up to date|in the loop)\b|"
        r"\bhttps?://\S+ (?:(?:should|must|wants?|needs?|likes?)(?: to)? )?(?:be )?"
        r"(?:know|informed|told|hears?|learns?)\b|"
        r"\b(?:told|informed|notified|register\w*|sign(?:ed)? up|hook)\b.{0,40}\bhttps?://"
    ),
    "EmbedTexts": r"^(?:embed|vectori[sz]e)\b",
    SEARCH: (
        r"^(?:do a |run a )?(?:(?:semantic|full[- ]text|keyword) )?(?:search|grep)\b|"
        r"\bresults for\b|"
        r"^(?:entries|passages|hits|results|texts) (?:on|about|for|mentioning)\b|"
        r"^look (?:through|around)\b|"
        r"^(?:look ?up|look for) (?!where\b|the (?:definition|meaning)\b)|"
        r"\b(?:passages|mentions|entries|texts|places|sentences)\b.{0,20}\b(?:about|that mention|"
        r"mentioning|nearest|closest|similar|on the (?:topic|subject))\b|"
        r"^(?:find|get|show|give|send|(?:i )?(?:need|want))(?: me)? (?:everything|all|anything)\b"
        r".{0,20}\b(?:about|on|regarding)\b"
    ),
    "SendContact": (
        rf"^(?:contact|message|e-?mail|write to|reach(?: out to)?|talk to|speak (?:to|with)|"
        rf"call|ask|(?:i )?need|get me) {_HUMAN}\b|^(?:tell|inform|forward|pass|relay)\b.{{0,20}}"
        r"\b(?:human|person|owner|founder)\b|^(?=.*@)(?:tell|inform|let|ask|write(?: to)?)\b|"
        r"^(?:pass|forward|relay) (?:the following|this|it|(?:a|my|our) message)\b(?!.*\bhttps?://)|"
        rf"^(?:write|send) {_HUMAN} (?:a|an|this|the following)\b|"
        rf"^get (?:hold of|in touch with) {_HUMAN}\b|"
        r"^dry[- ]run\b.{0,20}\b(?:contact|message|msg)\b|"
        r"^(?:get in touch|(?:write|send) (?:a|an|my|our|them|him|her)\b.{0,20}\b(?:message|msg|"
        r"note|mail|e-mail|inquiry|enquiry|request|letter|brief)|leave (?:a|them|my)\b|"
        r"(?:book|order|reserve|hire|commission|invite|propose)\b|apply (?:for|to)\b|"
        r"offer (?:my|our|them|her|him)\b|"
        rf"let {_HUMAN} know\b|(?:request|ask for|get|obtain) (?:a|an) (?:price |cost )?"
        r"(?:quote|quotation|estimate|offer|appraisal|proposal|appointment|call))"
    ),
    ASK: r"^(?:ask(?! for\b| to be\b)|answer (?:my|this|the) question|have a question)\b",
    "ListGlossary": r"^(?:what (?:does|do|is) .{1,40}\b(?:means?|meant)\b|define |definition of )",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _RULES.items()}


_REFUSED = re.compile(r"(?:do not|don'?t|never)\b", re.IGNORECASE)
"""The beginning of what is not to be done."""
_ELSEWHERE = re.compile(
    r"(?:buy|purchase|pay|rent|transfer|wire|ship|upload|delete|erase|translate|convert|resize|crop"
    r"|install|deploy|approve|edit|rename|rewrite|compose|draw|paint|cook|drive|fly"
    r"|call (?:me|us) an?|(?:remove|change|update) (?:the|your|its|their))\b",
    re.IGNORECASE,
)
"""What is done to things, and not by reading or writing."""
_BOOK = re.compile(
    r"(?:book|order|reserve)\b(?: (?:me|us))?(.*?)"
    r"(?:\b(?:for|to|on|at|from|in|of|with|and|by|between|before|after|next|this)\b|[,.;:!?]|$)",
    re.IGNORECASE,
)
_BOOKABLE = frozenset(
    terms(
        "appointment call meeting slot session consultation consultant talk visit workshop time day"
        " hour week month review audit service studio human person owner founder project commission"
    )
)


def without_courtesy(goal: str) -> str:
    """Return a goal without the words of politeness before it."""
    return _POLITE.sub("", goal)


def is_question(goal: str) -> bool:
    """Return whether a goal asks for an answer, as a question or as something to find out."""
    plain = without_courtesy(goal)
    is_asked = _QUESTION.match(plain) or _TO_KNOW.search(plain)
    has_mark = goal.rstrip().endswith("?") and not _REQUEST.match(goal)
    return has_mark or is_asked is not None


def leading_verb(goal: str) -> str:
    """Return the first word of a goal, which asks for something as an imperative."""
    return without_courtesy(goal).partition(" ")[0].lower()


def is_served_elsewhere(goal: str, offered: frozenset[str]) -> bool:
    """Return whether a goal asks for something else than to read, to ask or to write.

    `offered` has the terms of the entries in the singular; what is booked must be one of them, or
    somebody's time.
    """
    plain = without_courtesy(goal)
    if booked := _BOOK.match(plain):
        words = [word.removesuffix("s") for word in terms(booked[1].replace("-", " "))]
        return not (words and (words[-1] in _BOOKABLE or offered.issuperset(words)))
    is_done_to = _ELSEWHERE.match(plain) is not None
    return is_done_to and operation_by_rule(goal) is None


def operation_by_rule(goal: str) -> str | None:
    """Return the name of the operation that the wording of a goal asks for, or `None`."""
    plain = without_courtesy(goal)
    if _REFUSED.match(plain):
        return None
    return next((name for name, rule in _PATTERNS.items() if rule.search(plain)), None)
