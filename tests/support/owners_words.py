"""Every word that an answer without a language model may have."""

import json
import re

from resolvers.answers.fields import FactTable
from resolvers.answers.statements import statements_of
from schema.language_names import language_name
from schema.site import Site

_FIXED = " ".join(["newest oldest of", *map(str, range(200))])
"""Words of answers that are in no template, and counts of lists."""
_WORD = re.compile(r"[^\W_]+")


def owners_words(table: FactTable, site: Site) -> frozenset[str]:
    """The words of the owner and of the templates, in small letters."""
    templates = [field.asked.says for field in table.fields]
    own = [field for field in table.fields if not field.is_foreign]
    said = [statement.text for field in own for statement in statements_of(table, field)]
    languages = [language_name(code) for code in site.studio.languages]
    content = json.dumps(site.to_json(), ensure_ascii=False)
    return words_of(" ".join([content, *templates, *said, *languages, _FIXED]))


def words_of(text: str) -> frozenset[str]:
    """The words of a text, in small letters."""
    return frozenset(_WORD.findall(text.casefold()))
