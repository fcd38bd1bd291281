"""Small studios with random content, to be told apart by their seed."""

import json
import random
from pathlib import Path

WORDS = (
    *("tide", "harbour", "ledger", "a < b", "*not* bold", "_under_", "[a](b)", "#1"),
    *("50 %", "café", "北斗", "\U0001f6a2", "&amp;", "&", "1. first", "- dash", "it's", '"quoted"'),
    *("a\\b", "x|y", "~twice~", "https://a.example/?b=c&d", "!", "(maybe)", "2026-03-01"),
)


class Author:
    """Writes what an owner may write, and the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - content, no secret

    def text(self, most: int = 8) -> str:
        """A text of some words, as a TOML value."""
        words = self._chance.choices(WORDS, k=self._chance.randint(1, most))
        return json.dumps(f"A {' '.join(words)}.", ensure_ascii=False)

    def texts(self) -> str:
        """A list of texts."""
        return f"[{', '.join(self.text(3) for _ in range(self._chance.randint(0, 3)))}]"

    def entries(self, key: str, most: int, **members: str) -> str:
        """Entries of a list; a member is `text`, `texts`, or a value with `{n}` in it."""
        written = []
        for number in range(self._chance.randint(0, most)):
            lines = [f"[[{key}]]"]
            for name, kind in members.items():
                made = {"text": self.text, "texts": self.texts}.get(kind)
                lines.append(f"{name} = {made() if made else kind.format(n=number)}")
            written.append("\n".join(lines))
        return "\n\n".join(written) or f"{key} = []"


def write_generated_studio(folder: Path, seed: int) -> Path:
    """Write the content of a studio to a folder that is made for it."""
    author = Author(seed)
    folder.mkdir(parents=True)
    day = "2026-0{n}-01T09:00:00Z"
    files = {
        "faq": author.entries("faq", 5, slug='"q-{n}"', q="text", a="text", tags="texts"),
        "glossary": author.entries("glossary", 4, slug='"g-{n}"', term="text", definition="text"),
        "domains": author.entries(
            "domains", 3, slug='"d-{n}"', name="text", tagline="text", summary="text"
        ),
        "changelog": author.entries(
            "changelog",
            0 if seed % 5 == 0 else 8,
            id='"2026-0{n}-01-c"',
            publishedAt=day,
            kind='"changed"',
            title="text",
            body="text",
        ).replace("2026-00-01", "2025-12-01"),
    }
    for name, headline in (("convictions", "headline"), ("lookingFor", "headline")):
        files[f"studio.{name}"] = author.entries(
            name, 4, slug='"s-{n}"', **{headline: "text"}, body="text"
        )
    for name, text in files.items():
        if "[[" in text:
            (folder / f"{name}.toml").write_text(f"{text}\n", encoding="utf-8")
    studio = f"""name = "Studio {seed}"
url = "https://studio-{seed}.example"
oneLiner = {author.text()}
thesis = {author.text(30)}

[founder]
name = "Ana Silva"
role = {author.text(3)}
traits = {author.texts()}

[contact]
email = "ana@studio-{seed}.example"
"""
    (folder / "studio.toml").write_text(studio, encoding="utf-8")
    return folder
