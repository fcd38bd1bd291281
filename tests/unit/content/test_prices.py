"""Prices, works and the facts of a business: what their files may say."""

from pathlib import Path

import pytest
from minimal_studio import write_minimal_studio

from content.checking.errors import ContentError
from content.reading.reader import load

CURRENCY = 'name = "Portrait"\ncurrency = "EUR"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_minimal_studio(tmp_path / "content")


def prices(folder: Path, entry: str) -> str:
    """What is wrong with a file of one price; its amounts if nothing is."""
    (folder / "prices.toml").write_text(f"[[prices]]\n{entry}")
    try:
        (price,) = load(folder).prices
    except ContentError as error:
        return str(error)
    return f"{price.amount} {price.min_amount} {price.max_amount}"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("amount = 250", "250 None None"),
        ("amount = 80.5", "80.50 None None"),
        ("amount = 1_200.00", "1200 None None"),
        ('amount = "80.50"', "80.50 None None"),
        ("minAmount = 1200\nmaxAmount = 1800", "None 1200 1800"),
        ("minAmount = 1200", "None 1200 None"),
    ],
)
def test_an_amount_is_a_number_or_its_text(folder: Path, written: str, read: str) -> None:
    assert prices(folder, CURRENCY + written) == read


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "",
            "the price has no amount. Fix: write for example amount = 1200, or minAmount = 1200",
        ),
        ("amount = 5\nminAmount = 4", "stands beside a range. Fix: remove it, or minAmount and"),
        ("minAmount = 9\nmaxAmount = 5", "is more than maxAmount. Fix: exchange the two"),
        ("amount = 1.234", "is not a number with a point before its cents"),
        ("amount = -5", "is not a number with a point before its cents"),
        ("amount = true", "is true or false, and must be text in quotes"),
    ],
)
def test_what_is_no_price_is_told_with_its_fix(folder: Path, written: str, said: str) -> None:
    assert said in prices(folder, CURRENCY + written)


def test_a_currency_is_a_code(folder: Path) -> None:
    assert "is not the three letters of a currency" in prices(
        folder, 'name = "Portrait"\namount = 5\ncurrency = "euro"\n'
    )


def test_a_business_and_its_works_need_no_more_than_is_known(folder: Path) -> None:
    (folder / "business.toml").write_text('phone = "+351 220 000 000"\n')
    (folder / "works.toml").write_text('[[works]]\nname = "House at the quay"\nfinishedAt = 2019\n')
    site = load(folder)
    assert site.business is not None
    assert site.business.to_json() == {"phone": "+351 220 000 000", "languageSkills": []}
    (work,) = site.works
    assert work.to_json() == {
        "slug": "house-at-the-quay",
        "name": "House at the quay",
        "finishedAt": "2019",
        "keywords": [],
    }
