"""English word lists of the citation check."""

from resolvers.embeddings.tokenizer import terms

REGULAR = {
    form: verb
    for verb, *forms in (
        *(("use", "used", "user"), ("keep", "kept"), ("hold", "held"), ("mak", "made", "make")),
        *(("writ", "wrote", "written"), ("sell", "sold"), ("build", "built"), ("lose", "lost")),
        *(("begin", "began", "begun"), ("tak", "took", "taken"), ("run", "ran"), ("pay", "paid")),
        *(("find", "found"), ("leav", "left"), ("tell", "told"), ("lead", "led"), ("own", "owner")),
        *(("say", "said"), ("know", "known", "knew"), ("show", "shown"), ("see", "seen")),
    )
    for form in forms
}
"""Irregular forms and their verbs, as `terms` spells them."""
PARTY_NOUNS = frozenset(terms("studio trust client"))
"""Nouns for those who may own, run or do something."""
DAYS = frozenset(terms("Monday Tuesday Wednesday Thursday Friday Saturday Sunday weekend Fridays"))
WEAK_WORDS = frozenset(
    terms(
        "come comes came coming take takes took happen include contain mean means become occur"
        " consist provide exist add adding addition possible currently"
    )
)
"""Words that add little to a sentence, even where they are rare."""
STRONG_WORDS = frozenset(terms("always guarantee guaranteed certainly impossible forever"))
"""Words that claim so much that the source must contain them."""
ANTONYMS = tuple(
    (frozenset(terms(left)), frozenset(terms(right)))
    for left, right in (
        ("open public published", "closed private secret confidential"),
        ("production", "development"),
        ("rise increase grow gain", "fall decrease shrink loss"),
        ("maximum", "minimum"),
        ("free", "paid fee"),
        ("automatic automatically", "manual manually hand"),
        ("fast quick", "slow"),
        ("early", "late"),
        ("allow permit", "forbid prohibit refuse"),
        ("accept", "decline refuse reject"),
        ("optional", "required mandatory"),
        ("permanent", "temporary"),
        ("immutable", "mutable editable"),
        ("change alter", "stay same unchanged"),
    )
)
