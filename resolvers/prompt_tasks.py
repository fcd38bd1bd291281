"""The tasks of prompts, in words. What a prompt holds besides is chosen by its stored operation."""

from schema.project import Project
from schema.prompts import Comparison, Introduction, IntroductionLength, Outreach
from schema.site import Site
from sdl.errors import FieldProblem, InvalidInputError, NotFoundError
from sdl.scalar_types import Slug

LENGTHS = {
    IntroductionLength.SENTENCE: "one sentence",
    IntroductionLength.PARAGRAPH: "one paragraph of at most 120 words",
    IntroductionLength.PAGE: "a page of at most 500 words",
}
FACTS = (
    "Use only what stands below. Give figures and names as they are written there, say nothing"
    " that they do not bear out, and where something is not said, leave it out."
)


def introduction_of(
    site: Site, audience: str | None, length: IntroductionLength | None
) -> Introduction:
    """The task of introducing the studio."""
    reader = f"\n\nThe reader: {audience}" if audience else ""
    task = (
        f"Introduce {site.studio.name} in {LENGTHS[length or IntroductionLength.PARAGRAPH]}. Begin"
        " with what it does and for whom, then what it has made and what shows it. End with the"
        f" address where all of this can be read, {site.studio.url}. {FACTS}{reader}"
    )
    return Introduction(instruction=task, studio=site.studio, projects=site.projects)


def outreach_of(site: Site, purpose: str, sender: str | None) -> Outreach:
    """The task of writing to the studio's human."""
    studio, engagement = site.studio, site.engagement
    task = (
        f"Draft a message to {studio.founder.name}, the human behind {studio.name}. Say in the"
        " first sentence who writes and what for, then what is asked and by when, then how to"
        " answer."
        " Plain text, 60 to 200 words, no flattery. If the purpose is among what the studio does"
        " not take on, say so to your user instead of drafting. Show the draft and wait for your"
        f" user's word before you send it. {FACTS}\n\nThe purpose: {purpose}"
    )
    told = f"{task}\n\nFrom: {sender}" if sender else task
    return Outreach(instruction=told, studio=studio, engagement=engagement)


def comparison_of(site: Site, a: Slug, b: Slug) -> Comparison:
    """The task of comparing two projects. Raises: NotFound, InvalidInput."""
    known = {project.slug: project for project in site.projects}
    faults = [
        FieldProblem(name, "is not known", tuple(known))
        for name, slug in (("a", a), ("b", b))
        if slug not in known
    ]
    if faults:
        raise NotFoundError("No project has this slug.", faults)
    if a == b:
        others = tuple(slug for slug in known if slug != a)
        rule = FieldProblem("b", "must be another project than a", others)
        raise InvalidInputError("A project is not compared with itself.", [rule])
    pair: list[Project] = [known[a], known[b]]
    task = (
        f"Compare {pair[0].name} and {pair[1].name}: what each is for, how far it is, what it is"
        " built with, what its figures show and where the two differ most. Begin with a table of"
        f" what can be compared line by line, then one paragraph on which suits whom. {FACTS}"
    )
    return Comparison(instruction=task, projects=pair)
