"""What a JSON Resume says of a founder, as files of a studio. Source: jsonresume.org, 1.0.0.

What has a place in the content is taken in its own words, and nothing is made up: the one guess, a
category, is marked `# imported`. What has no place, or breaks a rule of the content, is named.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from content.imported import Imported
from schema.founder import Certification, Formation, Founder, Handle
from schema.studio import JourneyStep, PracticeArea, Studio
from sdl.declare import slug_of
from sdl.errors import StudiographError


class ResumeError(StudiographError):
    """The document is no JSON Resume; the text says where."""


_FORMS = {
    "string_type": 'be text in "quotes"',
    "list_type": "be a list in [brackets]",
    "model_type": "be an object in {braces}",
}
"""What a part of the wrong type must be, by the name that pydantic has for the error."""


def _joined(value: object) -> object:
    """Return a text with Unix line ends and without blanks at its ends."""
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else value


Said = Annotated[str | None, BeforeValidator(_joined)]
Lines = list[Annotated[str, BeforeValidator(_joined)]]


class _Location(BaseModel):
    city: Said = None
    region: Said = None


class _Profile(BaseModel):
    network: Said = None
    username: Said = None
    url: Said = None


class _Basics(BaseModel):
    name: Said = None
    label: Said = None
    email: Said = None
    url: Said = Field(default=None, validation_alias=AliasChoices("url", "website"))
    summary: Said = None
    location: _Location = _Location()
    profiles: list[_Profile] = []


class _Work(BaseModel):
    name: Said = Field(default=None, validation_alias=AliasChoices("name", "company"))
    position: Said = None
    start: Said = Field(default=None, validation_alias="startDate")
    end: Said = Field(default=None, validation_alias="endDate")
    summary: Said = None
    highlights: Lines = []


class _Education(BaseModel):
    institution: Said = None
    area: Said = None
    study: Said = Field(default=None, validation_alias="studyType")


class _Certificate(BaseModel):
    name: Said = None
    issuer: Said = None
    date: Said = None


class _Skill(BaseModel):
    name: Said = None
    keywords: Lines = []


class _Resume(BaseModel):
    basics: _Basics = _Basics()
    work: list[_Work] = []
    education: list[_Education] = []
    certificates: list[_Certificate] = []
    skills: list[_Skill] = []


def _without_nulls(value: Any) -> Any:
    """Return a document without what is null: many tools write that for what is missing."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value


def read_resume(document: Any) -> Imported:
    """Return what a JSON Resume says of its founder. Raises: ResumeError."""
    if not isinstance(document, dict):
        raise ResumeError("the document: must be a JSON object, as jsonresume.org shows it")
    try:
        resume = _Resume.model_validate(_without_nulls(document))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        must = _FORMS.get(first["type"], "have another form")
        raise ResumeError(f"{place}: must {must}, as jsonresume.org shows it") from None
    found = Imported()
    basics = resume.basics
    answers = {"founder": basics.name, "email": basics.email, "url": basics.url}
    found.answers = {name: value for name, value in answers.items() if value}
    found.studio = found.lines("basics.summary", Studio, {"description": basics.summary})
    found.founder = _founder(found, resume)
    for name, entries in (
        ("studio.journey", _journey(found, resume.work)),
        ("studio.certifications", _certifications(found, resume.certificates)),
        ("studio.practice", _practice(found, resume.skills)),
    ):
        found.add(name, entries)
    known = _Resume.model_fields.keys() | {"$schema", "meta"}
    found.left += [
        f"{key}: the content takes none of it as it stands"
        for key, value in document.items()
        if key not in known and value
    ]
    return found


def _founder(found: Imported, resume: _Resume) -> str:
    basics = resume.basics
    based = ", ".join(part for part in (basics.location.city, basics.location.region) if part)
    text = found.lines("basics.label", Founder, {"role": basics.label})
    text += found.lines("basics.location", Founder, {"based": based or None})
    for number, each in enumerate(resume.education):
        subject = " ".join(part for part in (each.study, each.area) if part)
        values = {"institution": each.institution, "subject": subject or None}
        text += found.entry(f"education[{number}]", "founder.formation", Formation, values)
    for number, profile in enumerate(basics.profiles):
        values = {"platform": profile.network, "handle": profile.username, "url": profile.url}
        text += found.entry(f"basics.profiles[{number}]", "founder.handles", Handle, values)
    return text


def _journey(found: Imported, work: Iterable[_Work]) -> Iterator[str]:
    # a resume begins with the newest, the history of a studio with the oldest
    for number, each in sorted(enumerate(work), key=lambda item: item[1].start or ""):
        parts = [each.summary, "\n".join(f"- {line}" for line in each.highlights)]
        values: dict[str, Any] = {
            "period": f"{each.start} to {each.end}" if each.end else f"since {each.start}",
            "headline": ", ".join(part for part in (each.position, each.name) if part) or None,
            "body": "\n\n".join(part for part in parts if part) or None,
            "reinforces": [],
        }
        values["period"] = values["period"] if each.start else None
        yield found.entry(f"work[{number}]", "journey", JourneyStep, values)


def _certifications(found: Imported, certificates: Iterable[_Certificate]) -> Iterator[str]:
    for number, each in enumerate(certificates):
        values: dict[str, Any] = {
            "title": each.name,
            "issuer": each.issuer,
            "issuedAt": each.date[:7] if each.date else None,
            "category": "general",
        }
        place = f"certificates[{number}]"
        yield found.entry(place, "certifications", Certification, values, "category")


def _practice(found: Imported, skills: Iterable[_Skill]) -> Iterator[str]:
    for number, each in enumerate(skills):
        values: dict[str, Any] = {
            "area": each.name,
            "category": slug_of(each.name or "") or None,
            "summary": f"{', '.join(each.keywords)}." if each.keywords else None,
            "evidence": [],
            "active": True,
        }
        yield found.entry(f"skills[{number}]", "practice", PracticeArea, values, "active")
