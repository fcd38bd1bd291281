"""Prices in lines of text, tables and lists, where they can be read in one way only."""

import re
from collections.abc import Iterator
from typing import Any

_CODES = {"€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY", "zł": "PLN", "kr": "SEK", "fr.": "CHF"}
UNSURE = ("$", "¥", "kr")
"""Signs of more than one currency."""
_WORDS = "EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|JPY|INR|BRL|MXN|ZAR|SGD|TRY|CNY"
_CURRENCY = re.compile(rf"€|£|\$|¥|zł|\bkr\b|\bfr\.|\b(?:{_WORDS})\b", re.IGNORECASE)
_NUMBER = r"\d{1,3}(?:[ .,'\u2019\u202f\xa0]\d{3})+(?:[.,]\d{2})?|\d+(?:[.,]\d{1,2})?"
_AMOUNT = re.compile(rf"(?<![\w.,])(?P<amount>{_NUMBER})(?:,?-|,--|\.-)?(?![\d%]|[.,]\d)")
_UNIT = re.compile(r"(?:\b(?:per|pro|an?)\s+|/\s*)(?P<unit>[^\W\d]+)", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|starting at|at least|ab|a partir de|à partir de|desde)\b", re.IGNORECASE
)
_UP_TO = re.compile(r"\b(?:up to|at most|bis zu)\b", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:\||:\s|\s[\u2013\u2014-]\s|\.{3,}|\u2026|\t)\s*")
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER})\s*(?:-|\u2013|\u2014|to|bis)\s*(?:€|£|\$)?\s*(?P<high>{_NUMBER})"
)


def price_of(line: str, currency: str = "") -> dict[str, Any] | None:
    """Return the price that a line says, by the keys of a price; None if it says none, or several.

    `currency` is that of lines which name none.
    """
    codes = _codes_in(line) or [code for code in (currency,) if code]
    spread = _RANGE.search(line)
    amounts = [_plain(each["amount"]) for each in _AMOUNT.finditer(line)]
    if len(codes) != 1:
        return None
    unit = _UNIT.search(line)
    price: dict[str, Any] = {"currency": codes[0], "unit": unit["unit"] if unit else ""}
    if spread is not None and len(amounts) == len(("low", "high")):
        return price | {"minAmount": _plain(spread["low"]), "maxAmount": _plain(spread["high"])}
    if len(amounts) != 1:
        return None
    key = "minAmount" if _FROM.search(line) else "maxAmount" if _UP_TO.search(line) else "amount"
    return price | {key: amounts[0]}


def named_price(line: str, currency: str = "") -> dict[str, Any] | None:
    """Return the price of a line such as `Portrait | 2 hours | 250 EUR`, with its name and note."""
    cells = [cell for cell in _SPLIT.split(line.strip().strip("|").strip()) if cell]
    if len(cells) == 1 and (found := _CURRENCY.search(line)):
        start = min([found.start(), *(digit.start() for digit in re.finditer(r"\d", line))])
        cells = [line[:start], line[start:]]
    name, *others = (cell.strip(" *_`") for cell in cells or [""])
    name = _FROM.sub("", name).strip(" ,;:")
    priced = [cell for cell in others if _CURRENCY.search(cell) or re.fullmatch(r"[\d.,' ]+", cell)]
    if not name or len(priced) != 1 or (price := price_of(priced[0], currency)) is None:
        return None
    note = ", ".join(cell for cell in others if cell and cell not in priced)
    return {"name": name, "note": note} | price


def currency_in(text: str) -> str:
    """Return the only currency that a text names, if there is one."""
    codes = _codes_in(text)
    return codes[0] if len(codes) == 1 else ""


def _codes_in(text: str) -> list[str]:
    signs: list[str] = _CURRENCY.findall(text)
    return list(dict.fromkeys(_CODES.get(sign.lower(), sign.upper()) for sign in signs))


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text that may say a price: rows of tables, items of lists, lines."""
    for line in text.split("\n"):
        bare = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", line).strip()
        if bare and not re.fullmatch(r"[|:\- ]+", bare):
            yield bare


def _plain(amount: str) -> str:
    """Return an amount with a point before its cents, and nothing between its thousands."""
    whole, cents = amount, ""
    if found := re.fullmatch(r"(.*?)[.,](\d{1,2})", amount):
        whole, cents = found[1], found[2].ljust(2, "0")
    digits = re.sub(r"\D", "", whole).lstrip("0") or "0"
    return f"{digits}.{cents}" if cents.strip("0") else digits
