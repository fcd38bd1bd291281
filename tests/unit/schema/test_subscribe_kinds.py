"""The kinds that a subscription may name: the words of the changelog, as they are written there."""

import pytest
from pydantic import ValidationError

from schema.subscribe import SubscribeInput

URL = "https://hooks.example.com/studio"
"""Where to deliver."""


@pytest.mark.parametrize("kind", ["ADDED", "Added", "added ", "", "new"])
def test_a_word_that_no_entry_has_is_refused_with_those_that_are_allowed(kind: str) -> None:
    with pytest.raises(ValidationError, match=r"must be one of: .*added"):
        SubscribeInput.model_validate({"url": URL, "kinds": [kind]})


def test_the_words_of_entries_are_kept_as_they_are() -> None:
    assert SubscribeInput.model_validate({"url": URL, "kinds": ["added"]}).kinds == ["added"]
