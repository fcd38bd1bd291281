"""What a JSON Resume says of a founder, as files of a studio. Source: jsonresume.org, 1.0.0.

Exports of Reactive Resume, and what converters make of those of LinkedIn, are read too. Of what is
private by nature (phone, street, references) only the name is said; what is hidden is counted.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

from content.checking.corrections import corrected
from content.importing.imported import FOUNDER, NO, NO_PLACE, PRIVATE, STUDIO, YES, Entry, Imported
from content.importing.plain_markdown import address_of, line_of, plain
from content.reading.drafts import KEY as DRAFT
from sdl.errors import StudiographError
from sdl.types.declare import slug_of
from sdl.types.scalar_types import LanguageCode, YearMonth


class ResumeError(StudiographError):
    """The document is no JSON Resume; the text says where."""


Part = Mapping[str, Any]
_OTHER_NAMES = {
    "experience": "work",
    "certifications": "certificates",
    "volunteering": "volunteer",
    "hobbies": "interests",
}
"""What other programs call a section."""
_WITHOUT_CONTENT = ("$schema", "meta", "metadata")
_ADDRESSES = {
    "github": "https://github.com/{}",
    "gitlab": "https://gitlab.com/{}",
    "instagram": "https://www.instagram.com/{}",
    "linkedin": "https://www.linkedin.com/in/{}",
    "twitter": "https://x.com/{}",
    "x": "https://x.com/{}",
}
"""Where the accounts of a network are."""
_FORM = "id icon visible isVisible hidden isHidden public private enabled columns"
"""Keys of forms and layouts, which say nothing of the founder."""
_NOW = ("present", "now", "current", "today", "ongoing")
_BETWEEN = re.compile(r"\s+(?:-|to|until)\s+|\s*[\u2013\u2014]\s*")


def read_resume(document: Any) -> Imported:
    """Return what a JSON Resume says of its founder. Raises: ResumeError."""
    if not isinstance(document, dict):
        raise ResumeError("the document: must be a JSON object, as jsonresume.org shows it")
    found = Imported()
    resume = _in_sections(document)
    basics = resume.pop("basics", None) or {}
    if isinstance(basics, dict):
        _take_basics(found, basics)
    else:
        found.leave("basics", "must be an object in {braces}, as jsonresume.org shows it")
    steps = [s for name in ("work", "volunteer") for s in _parts(found, name, resume)]
    for place, step in _oldest_first(steps):
        _take_step(found, place, step)
    for name, take in _READERS.items():
        for place, part in _parts(found, name, resume):
            take(found, place, part)
    _take_languages(found, _parts(found, "languages", resume))
    for name, value in resume.items():
        if not _is_empty(value) and name not in _WITHOUT_CONTENT:
            found.leave(name, PRIVATE if name == "references" else NO_PLACE)
    return found


def _in_sections(document: dict[str, Any]) -> dict[str, Any]:
    """Return the sections of a document by the names of JSON Resume, those of other forms too."""
    if "basics" not in document and isinstance(document.get("data"), dict):
        document = document["data"]
    found = {key: value for key, value in document.items() if key != "sections"}
    basics, sections = found.get("basics"), document.get("sections")
    if isinstance(sections, dict):
        found |= {
            name: [] if _is_hidden(section) else section.get("items", section)
            for name, section in sections.items()
            if isinstance(section, dict)
        }
        own = {"profiles": found.pop("profiles", None)}
        summary = found.pop("summary", None)
        if isinstance(summary, dict) and not _is_hidden(summary):
            own["summary"] = summary.get("content")
        own = {key: value for key, value in own.items() if value}
        found["basics"] = (basics if isinstance(basics, dict) else {}) | own
    return {_OTHER_NAMES.get(key, key): value for key, value in found.items()}


def _is_hidden(part: Part) -> bool:
    """Whether a part says that it is not shown; a mark without a value says so too."""
    shown = [part[key] for key in ("visible", "isVisible", "public", "enabled") if key in part]
    kept = [part[key] for key in ("hidden", "isHidden", "private") if key in part]
    return any(str(mark).lower() not in YES for mark in shown) or any(
        str(mark).lower() not in NO for mark in kept
    )


def _parts(found: Imported, name: str, resume: dict[str, Any]) -> Iterator[tuple[str, Part]]:
    """Yield the parts of a section that may be read, each with its place."""
    value = resume.pop(name, None)
    hidden = 0
    for number, each in enumerate(value if isinstance(value, list) else [value]):
        place = f"{name}[{number}]" if isinstance(value, list) else name
        if isinstance(each, str | int | float) and not isinstance(each, bool) and each != "":
            yield place, {"name": str(each)}
        elif isinstance(each, dict):
            hidden += _is_hidden(each)
            if not _is_hidden(each) and any(each.values()):
                yield place, each
        elif each not in (None, ""):
            found.leave(place, "must be an object in {braces}, as jsonresume.org shows it")
    if hidden:
        found.leave(name, f"parts that are hidden: {hidden}")


def _words(value: Any) -> str:
    """Return a text, a number, or the address or the name in an object, as a text."""
    if isinstance(value, dict):
        keys = ("href", "url", "name", "label", "title", "content")
        return next((text for key in keys if (text := _words(value.get(key)))), "")
    if isinstance(value, list):
        return ", ".join(text for each in value if (text := _words(each)))
    return str(value).strip() if value and not isinstance(value, bool) else ""


def _is_empty(value: Any) -> bool:
    """Whether nothing is said: tools write what is missing as null, or as an empty form."""
    if isinstance(value, dict | list):
        return all(map(_is_empty, value.values() if isinstance(value, dict) else value))
    return not value


def _said(part: Part, *names: str) -> str:
    """Return the first text that there is under one of these names."""
    return next((text for name in names if (text := _words(part.get(name)))), "")


def _lines(part: Part, *names: str) -> list[str]:
    """Return the texts of a list; one text in place of a list is its only item."""
    value: Any = next((part[name] for name in names if part.get(name)), [])
    items = value if isinstance(value, list) else [value]
    return [text for item in items if (text := _words(item))]


def _note_rest(entry: Entry, part: Part, taken: str) -> None:
    """Keep as comments what a part says under other keys than those that were taken."""
    for key, value in part.items():
        if not _is_empty(value) and key not in f"{taken} {_FORM}".split():
            entry.keep(key, value)


def _take_basics(found: Imported, basics: Part) -> None:
    url = _said(basics, "url", "website")
    url = f"https://{url}" if url and "://" not in url else url
    email = _said(basics, "email")
    answers = {"founder": _said(basics, "name"), "email": email, "url": address_of(url)}
    found.answers = {name: value for name, value in answers.items() if value}
    found.set("basics.summary", STUDIO, {"description": _said(basics, "summary")})
    found.set("basics.label", FOUNDER, {"role": _said(basics, "label", "headline", "title")})
    location = basics.get("location")
    if isinstance(location, dict):
        based = ", ".join(text for key in ("city", "region") if (text := _said(location, key)))
        for key in ("address", "postalCode"):
            if location.get(key):
                found.leave(f"basics.location.{key}", PRIVATE)
    else:
        based = _words(location)
        if re.search(r"\d", based):
            found.leave("basics.location", PRIVATE)
            based = ""
    found.set("basics.location", FOUNDER, {"based": based})
    for place, profile in _parts(found, "profiles", dict(basics)):
        _take_profile(found, f"basics.{place}", profile)
    taken = "name email url website summary label headline title location profiles"
    for key, value in basics.items():
        if key not in taken.split() and not _is_empty(value):
            found.leave(f"basics.{key}", PRIVATE if key == "phone" else NO_PLACE)


def _take_profile(found: Imported, place: str, profile: Part) -> None:
    network = _said(profile, "network", "name")
    user, address = _said(profile, "username", "user", "handle"), _said(profile, "url", "website")
    values = {"platform": network, "handle": user, "url": address}
    last = address_of(address).rstrip("/").rpartition("/")[2]
    found.add(
        place, (*FOUNDER, "handles"), values, {"handle": last, "url": _account(network, user)}
    )


def _account(network: str, user: str) -> str:
    """Return the address of an account where a network is known; an empty text if it is not."""
    name = user.removeprefix("@")
    at = re.fullmatch(r"([\w.-]+)@([\w-]+(?:\.[\w-]+)+)", name)
    if "mastodon" in network.lower():
        return f"https://{at[2]}/@{at[1]}" if at else ""
    known = _ADDRESSES.get(re.split(r"[\s./(]", network.lower())[0])
    return known.format(name) if known and re.fullmatch(r"[\w.-]+", name) else ""


def _month(text: str) -> str:
    """Return the month in which a date is, `2015-03`, or its year; an empty text if none is."""
    month = corrected(YearMonth, text)
    return month or (text if re.fullmatch(r"(?:1[89]|20)\d\d", text) else "")


def _shown(text: str) -> str:
    """Return a date as people write it: `March 2015`."""
    month = _month(text)
    return f"{date.fromisoformat(f'{month}-01'):%B %Y}" if "-" in month else month or text


def _dates(part: Part) -> tuple[str, str]:
    """Return when something began and ended, each as it is written."""
    start, end = _said(part, "startDate", "start"), _said(part, "endDate", "end")
    if not start and not end:
        start, end, *_ = [*_BETWEEN.split(_said(part, "date", "period"), maxsplit=1), "", ""]
        return start, end
    return start, end


def _period(part: Part) -> str:
    begin, end = (_shown(text) for text in _dates(part))
    is_over = end and end.lower() not in _NOW
    if not begin:
        return f"until {end}" if is_over else ""
    if not is_over:
        return begin if _said(part, "date", "period") and not end else f"since {begin}"
    return begin if begin == end else f"{begin} to {end}"


def _oldest_first(steps: list[tuple[str, Part]]) -> Iterable[tuple[str, Part]]:
    """Return steps in time; one without a date that can be read stays beside the one before it."""
    found: list[tuple[str, tuple[str, Part]]] = []
    last = ""
    for each in steps:
        last = _month(_dates(each[1])[0]) or last
        found.append((last, each))
    is_newest_first = bool(found) and found[0][0] >= found[-1][0]
    ordered = reversed(found) if is_newest_first else found
    return [step for _, step in sorted(ordered, key=lambda item: item[0])]


def _take_step(found: Imported, place: str, part: Part) -> None:
    """Take a job or a voluntary one as a step of the journey."""
    position = _said(part, "position", "title", "role")
    name = _said(part, "name", "company", "organization")
    headline = ", ".join(text for text in (position, name) if text)
    body = _body(part, "summary", "description")
    values = {"period": _period(part), "headline": headline, "body": body}
    guesses = {"headline": line_of(plain(body)), "body": f"{headline}." if headline else ""}
    entry = found.add(place, ("studio", "journey"), values, guesses)
    taken = "position title role name company organization startDate endDate start end date period"
    _note_rest(entry, part, f"{taken} summary description highlights")


def _body(part: Part, *names: str) -> str:
    """Return the texts of a part under these names, and its highlights as a list."""
    texts = [_said(part, name) for name in names]
    texts.append("\n".join(f"- {plain(line)}" for line in _lines(part, "highlights")))
    return "\n\n".join(dict.fromkeys(text for text in texts if text))


def _take_education(found: Imported, place: str, part: Part) -> None:
    parts = (_said(part, "studyType", "degree"), _said(part, "area"))
    subject = " ".join(text for text in parts if text)
    values = {"institution": _said(part, "institution", "school", "name"), "subject": subject}
    entry = found.add(place, (*FOUNDER, "formation"), values)
    _note_rest(entry, part, "institution school name studyType degree area")


def _take_certificate(found: Imported, place: str, part: Part) -> None:
    """Take a certificate or an award."""
    when = _said(part, "date", "startDate", "issueDate")
    values = {
        "title": _said(part, "name", "title"),
        "issuer": _said(part, "issuer", "awarder", "authority"),
        "issuedAt": when,
        "credentialId": _said(part, "credentialId", "licenseNumber"),
        "category": "award" if place.startswith("awards") else "",
    }
    entry = found.add(place, ("studio", "certifications"), values, {"category": "general"})
    taken = "name title issuer awarder authority date startDate issueDate credentialId"
    _note_rest(entry, part, f"{taken} licenseNumber")


def _take_skill(found: Imported, place: str, part: Part) -> None:
    name, words = _said(part, "name"), ", ".join(_lines(part, "keywords"))
    keys = [
        key
        for key in ("level", "proficiency", "description")
        if re.search(r"[^\W\d]", _said(part, key))
    ]
    key = "keywords" if words else next(iter(keys), "")
    summary = words or _said(part, key)
    values = {"area": name, "summary": f"{summary}." if summary else ""}
    guesses = {"category": slug_of(name) or "general", "active": True}
    guesses["summary"] = f"{name}." if name else ""
    entry = found.add(place, ("studio", "practice"), values, guesses)
    _note_rest(entry, part, f"name {key}")


def _take_project(found: Imported, place: str, part: Part) -> None:
    name, client = _said(part, "name", "title"), _said(part, "entity")
    begin, end = _dates(part)
    roles = ", ".join(_lines(part, "roles"))
    summary = [_body(part, "description", "summary"), f"Role: {roles}." if roles else ""]
    is_over = end and end.lower() not in _NOW
    values = {
        DRAFT: True,
        "name": name,
        "summary": "\n\n".join(text for text in summary if text),
        "url": _said(part, "url", "website"),
        "startedAt": _month(begin) or begin,
        "keywords": _lines(part, "keywords"),
        "client": {"name": client} if client else None,
    }
    guesses = {
        "tagline": line_of(plain(_said(part, "description"))) or name,
        "summary": name,
        "status": "in-production" if is_over else "in-development",
        "ownership": "client" if client else "studio",
        "startedAt": f"{begin}-01" if _month(begin) == begin and begin else "",
        "lastUpdated": datetime.now(UTC).date(),
    }
    entry = found.add(place, ("projects",), values, guesses)
    taken = "name title entity startDate endDate start end date roles description summary"
    _note_rest(entry, part, f"{taken} highlights url website keywords date period")


def _take_publication(found: Imported, place: str, part: Part) -> None:
    when = _said(part, "releaseDate", "date")
    values = {
        "name": _said(part, "name", "title"),
        "kind": "publication",
        "client": _said(part, "publisher"),
        "finishedAt": _month(when) or when,
        "url": _said(part, "url", "website"),
        "summary": _said(part, "summary", "description"),
    }
    entry = found.add(place, ("works",), values)
    taken = "name title publisher releaseDate date url website summary description"
    _note_rest(entry, part, taken)


def _take_languages(found: Imported, parts: Iterable[tuple[str, Part]]) -> None:
    """Take the languages that the studio works in, and how well its founder knows each."""
    codes = []
    for place, part in parts:
        name = _said(part, "language", "name")
        codes.append(corrected(LanguageCode, re.sub(r"\s*\(.*", "", name)) or name)
        level = _said(part, "fluency", "description", "level")
        if level:
            level = level.replace("_", " ").capitalize() if level.isupper() else level
            skill = {"language": codes[-1], "level": level}
            found.add(place, ("business", "languageSkills"), skill)
    found.set("languages", STUDIO, {"languages": list(dict.fromkeys(codes))})


def _take_interest(found: Imported, place: str, part: Part) -> None:
    words = ", ".join(_lines(part, "keywords"))
    name = _said(part, "name", "title")
    found.set(place, STUDIO, {}).note("interest", f"{name}: {words}" if words else name, NO_PLACE)


_READERS = {
    "education": _take_education,
    "certificates": _take_certificate,
    "awards": _take_certificate,
    "skills": _take_skill,
    "projects": _take_project,
    "publications": _take_publication,
    "interests": _take_interest,
}
"""How each section but those of work is taken."""
