"""A name that nobody here knows is seen in a question, and nothing else is taken for one."""

import pytest

from resolvers.search.unknown_names import unknown_names

KNOWN = {"tidebook", "mcp", "rfc-8785", "rfc", "8785", "api", "post", "4.2.1", "fathom"}
CASES = {
    "Does Tidebook export to SAP?": ["SAP"],
    "Is there an iPhone app for Tidebook?": ["iPhone"],
    "When is Tidebook 5.0 released, after 4.2.1?": ["5.0"],
    "does fathom speak to kdb2?": ["kdb2"],
    "Tell me of my_module and RFC-8785": ["my_module"],
    'what is meant by "market making" here': ["market making"],
    "Use POST. Then what? See Kafka.": ["Kafka"],
    "Slack is what I use; may I?": [],
    "Is it open on Friday, the 3rd of May? I'm in a hurry, and I wait.": ["3rd"],
    "WHAT DOES TIDEBOOK DO FOR ME": [],
    "Harbour Flood Outlook Explained": [],
    "at most 0.5 % of 1,885 days": ["0.5"],
    "": [],
    "?": [],
}


@pytest.mark.parametrize("question", CASES)
def test_these_names_are_unknown(question: str) -> None:
    assert unknown_names(question, KNOWN) == CASES[question]
