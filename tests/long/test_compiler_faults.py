"""What is wrong with a stored operation stops the start, with file, line and column."""

import re
from pathlib import Path

import pytest
from operation_files import CONTACT, PROJECT, PROJECTS, SKILL, THESIS, copied, faults_after

DESCRIPTION = '''"""
The studio's thesis: what it holds to be true about its field and builds on.

Use it for the main argument behind everything the studio makes.
"""
'''


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The stored operations, to be broken."""
    return copied(tmp_path)


FAULTS = [
    (
        "unknown field",
        PROJECT,
        "{ ...WholeProject }",
        "{ slug prize }",
        "Cannot query field 'prize'",
    ),
    ("unknown root field", PROJECT, "project(slug", "projekt(slug", "Did you mean 'project'"),
    ("unknown argument", PROJECT, "project(slug:", "project(slog:", "Unknown argument 'slog'"),
    ("unknown fragment", PROJECT, "WholeProject", "WholProject", "Unknown fragment 'WholProject'"),
    ("unknown type", PROJECT, "$slug: Slug!", "$slug: Slag!", "Unknown type 'Slag'"),
    ("wrong type", PROJECT, "$slug: Slug!", "$slug: Int!", "of type 'Int!' used in position"),
    ("undeclared variable", PROJECT, "$slug: Slug!", "$slag: Slug!", "is not defined"),
    ("undeclared path variable", PROJECT, "{slug}", "{name}", "path: $name is not declared"),
    ("nullable path variable", PROJECT, "Slug!", "Slug", "expecting type 'Slug!'"),
    ("missing description", THESIS, DESCRIPTION, "", "a description is missing"),
    ("undescribed variable", PROJECT, '"The project\'s slug."', "", "a description is missing"),
    ("duplicate route", PROJECTS, '"/api/projects"', '"/api/faq"', "is already used by"),
    (
        "duplicate tool",
        PROJECTS,
        '"list_projects"',
        '"get_project"',
        "tool 'get_project' is",
    ),
    ("misnamed skill", SKILL, '@skill(name: "work', '@skill(name: "Work', "single hyphens"),
    ("a skill as JSON", SKILL, "[MARKDOWN]", "[JSON]", "MARKDOWN alone"),
    ("a skill at another path", SKILL, "/SKILL.md", "/skill.md", "MARKDOWN alone"),
    ("a skill without a description", SKILL, "    description\n", "", "is its summary"),
    ("misspelt directive", PROJECT, "@rest(", "@rset(", "Unknown directive '@rset'"),
    ("misspelt directive argument", PROJECT, "(path:", "(pat:", "Did you mean 'path'"),
    ("missing directive argument", PROJECT, 'title: "Get a project"', "", "@mcp(title:)'"),
    ("unknown media type", PROJECT, "each:", "media: [HTML], each:", "'HTML' does not exist"),
    ("no media type", PROJECT, "[JSON, MARKDOWN, LINKED_DATA]", "[]", "at least one media type"),
    ("unknown method", PROJECT, "each:", "method: FETCH, each:", "'FETCH' does not exist"),
    ("malformed path", PROJECT, '"/api/', '"api/', "path: write /segments"),
    ("no list for the path", PROJECT, ', each: "ListProjects"', "", "each: write the list"),
    (
        "unknown list for the path",
        PROJECT,
        "ListProjects",
        "ListNothing",
        "'ListNothing' is no list",
    ),
    ("a list of other things", PROJECT, "ListProjects", "ListJourney", "items have slug"),
    ("no list at all", PROJECT, "ListProjects", "GetStatus", "'GetStatus' is no list"),
    ("no such member", PROJECT, "ListProjects", "GetOnChain.nothing", "nothing' is no list"),
    ("a meta root", THESIS, "  thesis", "  __typename", "must select one root field"),
    ("a variable twice", PROJECT, "{slug}", "{slug}/{slug}", "is in it twice"),
    ("a path upwards", THESIS, "/api/thesis", "/api/../thesis", "path: write /segments"),
    (
        "a read that deletes",
        THESIS,
        "whole: true",
        "method: DELETE",
        "only a mutation can have DELETE",
    ),
    ("an odd relation", THESIS, "whole: true", 'rel: "a b"', "rel: write a link relation"),
    ("an odd tool", PROJECT, '"get_project"', '"get project!"', "tool: write lower-case"),
    ("a long title", THESIS, 'title: "Thesis"', f'title: "{"x" * 401}"', "title: must be plain"),
    ("an empty section", THESIS, 'section: "Studio"', 'section: ""', "section: must be plain"),
    ("markup", THESIS, "The studio's", "The <b>studio</b>'s", "first paragraph: must be"),
    ("an odd status", THESIS, '"the thesis"', '"the thesis", status: 999', "HTTP status"),
    ("a negative age", THESIS, "  @llms", "  @cache(maxAge: -1)\n  @llms", "0 or more seconds"),
    ("a bad default", PROJECT, "$slug: Slug!", '$slug: Slug! = "A B"', "must be lower-case"),
    ("two root fields", PROJECT, "{ ...WholeProject }", "{ slug }\n  thesis", "one root field"),
    ("condition", PROJECT, "{ ...WholeProject }", "{ slug @skip(if: true) }", "not use @skip"),
    ("example of no variable", PROJECT, '"one project"', '"one", variables: {slig: "a"}', "$slig"),
    (
        "example that is no object",
        PROJECT,
        '"one project"',
        '"one", variables: 3',
        "write an object",
    ),
    ("syntax", PROJECT, "query GetProject(", "query GetProject((", "Syntax Error"),
    ("empty selection", PROJECTS, "{ ...WholeProject }", "{ }", "Syntax Error"),
    ("another name", PROJECTS, "query ListProjects", "query AllProjects", "all_projects.graphql"),
    (
        "a fragment beside it",
        PROJECTS,
        "query",
        "fragment A on Domain { slug } query",
        "nothing else",
    ),
    ("not a query", PROJECTS, "query ListProjects", "mutation ListProjects", "on type 'Mutation'"),
    ("a read that acts", CONTACT, "method: POST", "method: GET", "a mutation cannot have GET"),
    ("a header of a read", PROJECT, "Slug!", 'Slug! @from(header: "A")', "variables of a GET"),
    ("a signed post", PROJECTS, "rest(", "rest(method: POST, ", "can have @sign or @cache"),
    ("another form", CONTACT, "media: [JSON, MARKDOWN]", "media: [TEXT]", "a write returns JSON"),
    (
        "no such parameter",
        "search_content.graphql",
        '"kinds"',
        '"colour"',
        "'colour' is not an argument",
    ),
    ("a parameter too few", "search_content.graphql", '["query", ', "[", "'query' is needed"),
    (
        "a message by GET",
        CONTACT,
        "MARKDOWN], asksSignature: true)",
        'MARKDOWN], asksSignature: true, getParameters: ["name"])',
        "'email' is needed",
    ),
    ("parameters of a read", THESIS, "whole: true", 'getParameters: ["a"]', "only a POST has"),
    ("a posted path", CONTACT, "/contact", "/contact/{input}", "an object fits no path"),
    ("an odd success", CONTACT, "MARKDOWN]", "MARKDOWN], status: 404", "write 200, 201"),
    ("a body to delete", CONTACT, "method: POST", "method: DELETE", "in its path and headers"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS]
)
def test_a_fault_is_told_with_its_place(
    copy: Path, file: str, old: str, new: str, said: str
) -> None:
    faults = faults_after(copy, file, old, new)
    told = [fault for fault in faults if said in fault]
    assert told, faults
    assert re.match(rf"sdl/operations/{file}:\d+:\d+: ", told[0])
