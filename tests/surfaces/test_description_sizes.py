"""How long the descriptions of POST paths are; a caller reads them before it can ask."""

import pytest
from local_service import Ask, stored_operations

from rest_bridge.openapi.description import MAX_TOKENS

POSTS = [path for path, method in stored_operations().write_operations if method == "POST"]
CHARACTERS = 4
"""Of a token."""


@pytest.mark.parametrize("form", MAX_TOKENS)
@pytest.mark.parametrize("path", POSTS)
def test_a_description_has_at_most_so_many_tokens(ask: Ask, path: str, form: str) -> None:
    text = ask(path, headers={"accept": form}).text
    assert len(text) / CHARACTERS <= MAX_TOKENS[form]


@pytest.mark.parametrize("path", POSTS)
def test_a_description_names_every_argument_and_how_to_ask(ask: Ask, path: str) -> None:
    described, text = ask(f"{path}.json").json(), ask(f"{path}.md").text
    for name in described["request"]["properties"]:
        assert f"- `{name}` (" in text
    assert f"# POST {path}\n" in text
    assert described.get("get", "") in text
