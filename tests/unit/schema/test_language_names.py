"""How the code of a language is said."""

import re

import pytest

from schema.language_names import LANGUAGE_NAMES, language_name


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("nb", "Norwegian Bokm\N{LATIN SMALL LETTER A WITH RING ABOVE}l (nb)"),
        ("pt-BR", "Portuguese (pt-BR)"),
        ("EN", "English (EN)"),
        ("zh-Hant-TW", "Chinese (zh-Hant-TW)"),
        ("xx", "xx"),
    ],
)
def test_a_name_comes_with_its_code_and_an_unknown_code_alone(code: str, name: str) -> None:
    assert language_name(code) == name


def test_each_code_has_two_letters_and_a_name_of_its_own() -> None:
    assert all(re.fullmatch("[a-z]{2}", code) for code in LANGUAGE_NAMES)
    assert len({*LANGUAGE_NAMES.values()}) == len(LANGUAGE_NAMES) > 50
