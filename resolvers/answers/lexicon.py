"""English words that the judge of the lint must know one by one. Rules stand elsewhere."""

from resolvers.answers.words import content_words

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
"""Forms that no ending gives away, as `content_words` spells them."""
PARTIES = frozenset(content_words("studio trust client"))
"""Who may own, run or do a thing."""
DAYS = frozenset(
    content_words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday weekend Fridays")
)
LIGHT = frozenset(
    content_words(
        "come comes came coming take takes took happen include contain mean means become occur"
        " consist provide exist add adding addition possible currently"
    )
)
"""What adds little to a sentence, however rare it is."""
STRONG = frozenset(content_words("always guarantee guaranteed certainly impossible forever"))
OPPOSITES = tuple(
    (frozenset(content_words(left)), frozenset(content_words(right)))
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
