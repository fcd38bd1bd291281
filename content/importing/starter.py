"""The files of a new studio: what the owner has said, and questions that wait for answers."""

import json
from collections.abc import Iterator

from content.checking.first_questions import FIRST_QUESTIONS

QUESTIONS = [question for question in FIRST_QUESTIONS if question.words]
"""What agents ask first and only a FAQ answers."""


def studio_text(  # noqa: PLR0913 - the five things that every studio says
    *,
    name: str,
    url: str,
    one_line: str,
    founder: str,
    email: str,
    more: str = "",
    of_founder: str = "",
) -> str:
    """Return `studio.toml` with the five things that every studio says.

    `more` are further lines of the studio, `of_founder` those of its founder.
    """
    return f"""\
# The least that a studio says. Everything else is optional: docs/content.md of studiograph
# lists every file and key, and `studiograph check` says what agents ask and nothing answers.

name = {_quoted(name)}
url = {_quoted(url)}
oneLiner = {_quoted(one_line)}
{more}
[contact]
email = {_quoted(email)}

[founder]
name = {_quoted(founder)}
{of_founder}"""


def _faq() -> Iterator[str]:
    yield "# What agents ask first. Answer a question, and remove the # before its four lines.\n"
    for question in QUESTIONS:
        word = question.words[0].replace("*", "")
        yield f"\n# [[faq]]\n# q = {_quoted(question.text)}\n# a = {_quoted('')}\n"
        yield f"# tags = [{_quoted(word)}]\n"


def _quoted(text: str) -> str:
    """Return a text as a string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


STARTER_FILES = {
    "content/faq.toml": "".join(_faq()),
    ".env": """\
# Settings; docs/settings.md of studiograph lists them all. The address at which others reach the
# service:
# STUDIOGRAPH_BASE_URL=https://agents.studio.example
""",
    ".gitignore": """\
# Keys, state and settings of the service, which belong in a backup and in no repository.
var/
.env
""",
}
"""The other files of a new studio, by their path in its folder."""
