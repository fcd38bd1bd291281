"""The sentences that an answer may hold without a citation: our own, and always the same."""

REFUSAL = (
    "The published content does not answer this."
    " The studio can be asked through its contact operation or by mail; a person replies."
)
"""The whole answer where nothing relevant is published."""
NEAR_MISS_REPLY = "The published content does not answer this directly. Nearest:"
"""Before quotations that are near the question and may miss it."""
QUOTE_INTRO = "In the studio's own words:"
"""Before quotations that were not written as an answer to a question."""
GREETING = "Good day. Any question about the studio, its work or its terms can be asked here."
"""The whole answer where a caller only greets."""

ABSTENTIONS = (REFUSAL, NEAR_MISS_REPLY, GREETING)
"""After one of these, nothing need be cited."""
CANNED_REPLIES = (*ABSTENTIONS, QUOTE_INTRO)
