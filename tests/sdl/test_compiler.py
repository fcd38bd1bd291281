"""What is wrong with a stored operation stops the start, with file, line and column."""

import re
import shutil
from pathlib import Path

import pytest

import sdl
from sdl.faults import OperationError
from studiograph.app import load_operations

SOURCE = Path(sdl.__file__).parent
PROJECT, PROJECTS = "get_project.graphql", "list_projects.graphql"
THESIS, CONTACT = "get_thesis.graphql", "send_contact.graphql"
DESCRIPTION = '"""\nWhat the studio holds to be true about its field, and builds on.\n"""\n'


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The stored operations, to be broken."""
    folder = tmp_path / "sdl"
    for name in ("operations", "fragments"):
        shutil.copytree(SOURCE / name, folder / name)
    return folder


def faults_after(copy: Path, file: str, old: str, new: str) -> list[str]:
    """The faults once `old` is `new` in one operation."""
    path = copy / "operations" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(OperationError) as caught:
        load_operations(copy)
    return [str(fault) for fault in caught.value.faults]


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
    ("duplicate route", PROJECTS, '"/api/projects"', '"/api/faq"', "is taken by"),
    (
        "duplicate tool",
        PROJECTS,
        '"list_projects"',
        '"get_project"',
        "tool 'get_project' is",
    ),
    ("misspelt directive", PROJECT, "@rest(", "@rset(", "Unknown directive '@rset'"),
    ("misspelt directive argument", PROJECT, "(path:", "(pat:", "Did you mean 'path'"),
    ("missing directive argument", PROJECT, ', title: "Get a project"', "", "@mcp(title:)'"),
    ("unknown media type", PROJECT, "each:", "media: [HTML], each:", "'HTML' does not exist"),
    ("no media type", PROJECT, "each:", "media: [], each:", "at least one media type"),
    ("unknown method", PROJECT, "each:", "method: FETCH, each:", "'FETCH' does not exist"),
    ("malformed path", PROJECT, '"/api/', '"api/', "path: write /segments"),
    ("no list for the path", PROJECT, ', each: "ListProjects"', "", "each: name the list"),
    (
        "unknown list for the path",
        PROJECT,
        "ListProjects",
        "ListNothing",
        "'ListNothing' is no list",
    ),
    ("a list of other things", PROJECT, "ListProjects", "ListFaq", "items have slug"),
    ("no list at all", PROJECT, "ListProjects", "GetStatus", "items have slug"),
    ("no such member", PROJECT, "ListProjects", "GetOnChain.nothing", "items have slug"),
    ("a meta field", PROJECT, "{ ...WholeProject }", "{ __typename slug }", "no __ field"),
    ("a meta root", THESIS, "  thesis", "  __typename", "no __ field"),
    ("a variable twice", PROJECT, "{slug}", "{slug}/{slug}", "stands in it twice"),
    ("a path upwards", THESIS, "/api/thesis", "/api/../thesis", "path: write /segments"),
    ("a read that deletes", THESIS, "whole: true", "method: DELETE", "only a mutation deletes"),
    ("an odd relation", THESIS, "whole: true", 'rel: "a b"', "rel: write a link relation"),
    ("an odd tool", PROJECT, '"get_project"', '"get project!"', "tool: write lower-case"),
    ("a long title", THESIS, 'title: "Thesis"', f'title: "{"x" * 401}"', "title: must be plain"),
    ("an empty section", THESIS, 'section: "Studio"', 'section: ""', "section: must be plain"),
    ("markup", THESIS, "What the studio", "What <b>the</b> studio", "first paragraph: must be"),
    ("an odd status", THESIS, '"the thesis"', '"the thesis", status: 999', "HTTP status"),
    ("a negative age", THESIS, "  @llms", "  @cache(maxAge: -1)\n  @llms", "0 or more seconds"),
    ("a bad default", PROJECT, "$slug: Slug!", '$slug: Slug! = "A B"', "must be lower-case"),
    ("two root fields", PROJECT, "{ ...WholeProject }", "{ slug }\n  thesis", "one root field"),
    ("condition", PROJECT, "{ ...WholeProject }", "{ slug @skip(if: true) }", "no @skip"),
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
    ("a read that acts", CONTACT, "method: POST", "method: GET", "only a query is reached by GET"),
    ("a header of a read", PROJECT, "Slug!", 'Slug! @from(header: "A")', "a GET takes"),
    ("a signed post", PROJECTS, "rest(", "rest(method: POST, ", "is signed or kept"),
    ("another form", CONTACT, "media: [JSON]", "media: [TEXT]", "what acts answers JSON alone"),
    ("a posted path", CONTACT, "/contact", "/contact/{input}", "a POST has no variables"),
    ("an odd success", CONTACT, "media: [JSON]", "media: [JSON], status: 404", "write 200, 201"),
    ("a body to delete", CONTACT, "method: POST", "method: DELETE", "from path and headers"),
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


def test_all_faults_are_told_together(copy: Path) -> None:
    (copy / "operations" / THESIS).write_text('"A." query GetThesis { thesus }')
    faults = faults_after(copy, PROJECT, "{ ...WholeProject }", "{ slug prize price }")
    assert [fault.split(":")[0].split("/")[-1] for fault in faults] == [PROJECT, PROJECT, THESIS]


def test_the_line_and_column_are_those_of_the_fault(copy: Path) -> None:
    path = copy / "operations" / PROJECT
    text = path.read_text().replace("{ ...WholeProject }", "{ slug\n    prize }")
    path.write_text(text)
    with pytest.raises(OperationError) as caught:
        load_operations(copy)
    fault = next(f for f in caught.value.faults if "prize" in f.message)
    assert text.splitlines()[fault.line - 1][fault.column - 1 :].startswith("prize")


def test_a_fragment_is_named_as_its_file(copy: Path) -> None:
    fragments = copy / "fragments"
    (fragments / "whole_project.graphql").rename(fragments / "project.graphql")
    with pytest.raises(OperationError, match=r"fragments/project\.graphql:\d+:\d+: the file must"):
        load_operations(copy)


def test_two_operations_that_read_one_section_are_told(copy: Path) -> None:
    text = (copy / "operations" / "list_faq.graphql").read_text()
    second = text.replace("ListFaq", "ListQuestions").replace("/api/faq", "/api/questions")
    (copy / "operations" / "list_questions.graphql").write_text(second)
    with pytest.raises(OperationError, match="2 operations read the section 'faq'"):
        load_operations(copy)


def test_a_file_that_is_not_utf_8_is_told(copy: Path) -> None:
    (copy / "operations" / THESIS).write_bytes(b"query \xff")
    with pytest.raises(OperationError, match=r"get_thesis\.graphql:1:1: the file is not UTF-8"):
        load_operations(copy)


def test_a_condition_in_a_fragment_is_told(copy: Path) -> None:
    path = copy / "fragments" / "whole_domain.graphql"
    path.write_text(path.read_text().replace("tagline", "tagline @include(if: false)"))
    with pytest.raises(OperationError, match=r"whole_domain\.graphql:\d+:\d+: .* no @include"):
        load_operations(copy)


def test_a_folder_is_no_operation(copy: Path) -> None:
    (copy / "operations" / "list_nothing.graphql").mkdir()
    with pytest.raises(OperationError, match=r"list_nothing\.graphql:1:1: .* cannot be read"):
        load_operations(copy)


def test_a_variable_does_not_take_the_name_of_a_parameter_of_all_reads(copy: Path) -> None:
    path = copy / "operations" / "list_certifications.graphql"
    path.write_text(path.read_text().replace("$category", "$limit"))
    with pytest.raises(OperationError, match=r"certifications\.graphql:\d+:\d+: \$limit is a"):
        load_operations(copy)
