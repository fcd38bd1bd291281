"""The tasks of the MCP prompts in words; their stored operations select the facts beside them."""

from schema.project import Project
from schema.services.prompts import Comparison, Introduction, IntroductionLength, Outreach
from schema.site import Site
from sdl.errors import FieldProblem, InvalidInputError, NotFoundError
from sdl.types.scalar_types import Slug

LENGTHS = {
    IntroductionLength.SENTENCE: "one sentence",
    IntroductionLength.PARAGRAPH: "one paragraph of at most 120 words",
    IntroductionLength.PAGE: "a page of at most 500 words",
}
FACTS = (
    "Use only the facts below. Copy figures and names exactly, claim nothing that the facts do not"
    " support, and leave out what they do not say."
)


def introduction_of(
    site: Site, audience: str | None, length: IntroductionLength | None
) -> Introduction:
    """Return the task to introduce the studio."""
    task = (
        f"Introduce {site.studio.name} in {LENGTHS[length or IntroductionLength.PARAGRAPH]}. Begin"
        " with what it does and for whom, then what it has made and what proves it. End with the"
        f" URL of its website, {site.studio.url}. {FACTS}"
    )
    return Introduction(
        instruction=task, reader=audience, studio=site.studio, projects=site.projects
    )


def outreach_of(site: Site, purpose: str, sender: str | None) -> Outreach:
    """Return the task to draft a message to the founder."""
    studio, engagement = site.studio, site.engagement
    task = (
        f"Draft a message to {studio.founder.name}, the founder of {studio.name}. Say in the"
        " first sentence who writes and why, then what is asked and by when, then how to reply."
        " Plain text, 60 to 200 words, no flattery. If the studio does not take on such work, tell"
        " your user so instead of drafting; if it publishes no terms, say that. If you do not know"
        " who writes, by when or where to reply, ask your user first. Show the draft to your user."
        " If they agree, send it by `send_contact`, first with `dryRun`."
        f" {FACTS}"
    )
    return Outreach(
        instruction=task, purpose=purpose, sender=sender, studio=studio, engagement=engagement
    )


def comparison_of(site: Site, a: Slug, b: Slug) -> Comparison:
    """Return the task to compare two projects.

    Raise `NotFoundError` if one does not exist, `InvalidInputError` if both are the same.
    """
    projects = {project.slug: project for project in site.projects}
    if not projects:
        raise NotFoundError("This studio has published no projects, so there are none to compare.")
    problems = [
        FieldProblem(name, "is not the slug of a project", tuple(projects))
        for name, slug in (("a", a), ("b", b))
        if slug not in projects
    ]
    if problems:
        raise NotFoundError("No project has this slug.", problems)
    if a == b:
        others = tuple(slug for slug in projects if slug != a)
        problem = FieldProblem("b", "must be another project than a", others)
        raise InvalidInputError("A project cannot be compared with itself.", [problem])
    pair: list[Project] = [projects[a], projects[b]]
    task = (
        f"Compare {pair[0].name} and {pair[1].name}: purpose, status, stack, key figures, and"
        " where they differ most. Begin with a table that compares them line by line, then write"
        f" one paragraph on which project suits whom. {FACTS}"
    )
    return Comparison(instruction=task, projects=pair)
