"""What was taken of an owner's documents for a new studio, and what was not, with the reason."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from content.drafts import KEY as DRAFT
from content.errors import Finding
from content.findings import finding_of
from content.slugs import distinct_slug
from content.texts import check_texts
from content.toml_writer import toml_value
from sdl.declare import Named, Output

MARK = "  # imported"
_HEAD = "# Taken from elsewhere. Read it before you publish; a guess ends with # imported.\n"


@dataclass
class Imported:
    """What was taken from a document, and what was not."""

    answers: dict[str, str] = field(default_factory=dict)
    """What `init` asks and the document says, by the option's name."""
    studio: str = ""
    """Further lines of `studio.toml`, before its tables."""
    founder: str = ""
    """Further lines of its table `[founder]`."""
    files: dict[str, str] = field(default_factory=dict)
    """The other files, by name."""
    left: list[str] = field(default_factory=list)
    """What was not taken, each with its reason."""
    _slugs: dict[str, set[str]] = field(default_factory=dict)
    """Those that were given, by the name of the list."""

    def add(self, section: str, entries: Iterable[str]) -> None:
        """Add the entries of a list as the file of its section, if there are any."""
        if text := "".join(entries):
            self.files[f"{section}.toml"] = _HEAD + text

    def lines(self, place: str, model: type[Output], values: dict[str, Any]) -> str:
        """Return the lines of the values that the type takes; name those that it does not."""
        known = {key: value for key, value in values.items() if value is not None}
        problems = _problems(model, known) if known else []
        self.left += [f"{place}: {problem.rule}: {problem.fix}" for problem in problems]
        return "" if problems else "".join(f"{k} = {toml_value(v)}\n" for k, v in known.items())

    def entry(
        self, place: str, table: str, model: type[Output], values: dict[str, Any], guessed: str = ""
    ) -> str:
        """Return an entry of a list, or nothing and name it, if something is missing or wrong."""
        known = {key: value for key, value in values.items() if value is not None}
        fields = {info.alias or name: info for name, info in model.model_fields.items()}
        rules = [
            f"has nothing for {key}"
            for key, info in fields.items()
            if info.is_required() and key not in known and not _has_own_name(model, key)
        ]
        if not rules:
            problems = _problems(model, {k: v for k, v in known.items() if k != DRAFT})
            rules = [f"{problem.path[-1]} {problem.rule}: {problem.fix}" for problem in problems]
        if not rules and "slug" in fields:
            named = known.get("slug") or known.get(getattr(model, "named_by", ""), "")
            own = self._slugs.setdefault(table, set())
            known = {
                "slug": distinct_slug(named, own),
                **{k: known[k] for k in known if k != "slug"},
            }
        if rules:
            self.left.append(f"{place}: {'; '.join(rules)}")
            return ""
        lines = (f"{k} = {toml_value(v)}{MARK if k == guessed else ''}\n" for k, v in known.items())
        return f"\n[[{table}]]\n{''.join(lines)}"


def _has_own_name(model: type[Output], key: str) -> bool:
    """Whether a key is a slug that the type takes from its name."""
    return key == "slug" and issubclass(model, Named)


def _problems(model: type[Output], values: dict[str, Any]) -> list[Finding]:
    """Return what is wrong with these values of a type; what it lacks besides does not count."""
    try:
        model.model_validate(values, by_name=False)
    except ValidationError as error:
        own = [e for e in error.errors() if e["type"] != "missing" and e["loc"][0] in values]
        return [finding_of(e, model=model) for e in own] or list(check_texts(values, model))
    return list(check_texts(values, model))
