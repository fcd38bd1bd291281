"""The kinds that a subscription may name: those of the changelog, spelled as there."""

import pytest
from pydantic import ValidationError

from schema.services.subscribe import SubscribeInput

URL = "https://hooks.example.com/studio"
"""Where to deliver."""


@pytest.mark.parametrize("kind", ["ADDED", "Added", "added ", "", "new"])
def test_any_other_spelling_is_refused_with_the_allowed_kinds(kind: str) -> None:
    with pytest.raises(ValidationError, match=r"must be one of: .*added"):
        SubscribeInput.model_validate({"url": URL, "kinds": [kind]})


def test_a_kind_of_the_changelog_is_accepted() -> None:
    assert SubscribeInput.model_validate({"url": URL, "kinds": ["added"]}).kinds == ["added"]
