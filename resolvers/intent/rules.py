"""What a goal asks for by its wording alone, whatever it is about."""

import re

ASK, SEARCH = "Ask", "SearchContent"

_POLITE = re.compile(
    r"^\W*(?:(?:please|hi|hello|hey|and|so|then|now)\b[\s,]*|"
    r"i(?:'d| would)? (?:want|like|need|wish) (?:you )?to\s+(?!know\b|find out\b|understand\b)|"
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
    r"(?:i|we|my \w+) (?:\w+ )?(?:need|needs|want|wants|have|has|must|am|would like|wonder\w*)\b"
    r".{0,20}\b(?:to (?:know|find out|understand|explain|describe|learn|tell|decide|report|be sure)"
    r"|whether|if)\b",
    re.IGNORECASE,
)
_HUMAN = r"(?:the |a |your |their )?(?:human|person|owner|founder|someone|somebody|people)"
_NOTICES = r"(?:subscription|webhook|deliver\w*|notif\w*|push\w*|callback|updates|pings?)"
_RULES = {
    "Unsubscribe": (
        r"^unsubscribe\b|\b(?:want|like|need|how) to unsubscribe\b|"
        rf"^(?:cancel|stop|end|remove|delete|drop|revoke|no more)\b.{{0,40}}\b{_NOTICES}|"
        r"^stop (?:sending|pushing|notifying|calling)\b|^(?:remove|sign) (?:me|us) (?:from|off)\b"
    ),
    "Subscribe": (
        r"^(?:subscribe (?:to|me|us|my|our|https?:)|(?:register|add|create|set up|install) .{0,20}"
        r"\b(?:webhook|callback|subscription)|(?:notify|ping|alert|push|post|forward|deliver|send|"
        r"tell|call|hook)\b.{0,80}\bhttps?://)|\bwebhook (?:to|at|for|on)\b|\bpush(?:es)? "
        r"(?:when|whenever|notification)|\b(?:notify|ping|alert) (?:me|us|my|our)\b|"
        r"^(?:tell|inform|let) (?:me|us)\b.{0,20}\b(?:whenever|as soon as|each time|every time)\b|"
        r"^keep (?:me|us) (?:posted|updated|informed|up to date|in the loop)\b|"
        r"^(?=.*\bhttps?://)(?=.*\b(?:register|told|informed?|know|hears?|learns?|hook|sign up)\b)"
    ),
    "EmbedTexts": r"^(?:embed|vectori[sz]e)\b",
    SEARCH: (
        r"^(?:do a |run a )?(?:(?:semantic|full[- ]text|keyword) )?(?:search|grep)\b|"
        r"\bresults for\b|"
        r"^(?:look ?up|look for) (?!where\b|the (?:definition|meaning)\b)|"
        r"\b(?:passages|mentions|entries|texts|places|sentences)\b.{0,20}\b(?:about|that mention|"
        r"mentioning|nearest|closest|similar|on the (?:topic|subject))\b|"
        r"^(?:find|get|show)(?: me)? (?:everything|all|anything)\b.{0,20}\b(?:about|on|regarding)\b"
    ),
    "SendContact": (
        rf"^(?:contact|message|e-?mail|write to|reach(?: out to)?|talk to|speak (?:to|with)|"
        rf"call|(?:i )?need|get me) {_HUMAN}\b|^(?:tell|ask|inform|forward|pass|relay)\b.{{0,20}}"
        r"\b(?:human|person|owner|founder)\b|"
        r"^(?:get in touch|(?:write|send) (?:a|an|my|our|them|him|her)\b.{0,20}\b(?:message|note|"
        r"mail|e-mail|inquiry|enquiry|request|letter|brief)|leave (?:a|them|my)\b|book\b|hire\b|"
        r"commission\b|invite\b|propose\b|apply (?:for|to)\b|offer (?:my|our|them|her|him)\b|"
        rf"let {_HUMAN} know\b|(?:request|ask for|get|obtain) (?:a|an) (?:price |cost )?"
        r"(?:quote|quotation|estimate|offer|appraisal|proposal|appointment|call))"
    ),
    ASK: r"^(?:ask(?! for\b| to be\b)|answer (?:my|this|the) question|have a question)\b",
    "ListGlossary": r"^(?:what (?:does|do|is) .{1,40}\b(?:means?|meant)\b|define |definition of )",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _RULES.items()}


def without_courtesy(goal: str) -> str:
    """Return a goal without the words of politeness before it."""
    return _POLITE.sub("", goal)


def is_question(goal: str) -> bool:
    """Return whether a goal asks for an answer, as a question or as something to find out."""
    plain = without_courtesy(goal)
    return goal.rstrip().endswith("?") or _QUESTION.match(plain) is not None


def operation_by_rule(goal: str) -> str | None:
    """Return the name of the operation that the wording of a goal asks for, or `None`."""
    plain = without_courtesy(goal)
    return next((name for name, rule in _PATTERNS.items() if rule.search(plain)), None)
