"""What is wrong with a stored operation stops the start, with file, line and column."""

from pathlib import Path

import pytest
from operation_files import PROJECT, THESIS, copied, faults_after

from sdl.operations.rules import OperationError
from studiograph.application import load_operations


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The stored operations, to be broken."""
    return copied(tmp_path)


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
    fault = next(f for f in caught.value.problems if "prize" in f.message)
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
    with pytest.raises(OperationError, match=r"whole_domain\.graphql:\d+:\d+: .* @include"):
        load_operations(copy)


def test_a_folder_is_no_operation(copy: Path) -> None:
    (copy / "operations" / "list_nothing.graphql").mkdir()
    with pytest.raises(OperationError, match=r"list_nothing\.graphql:1:1: .* cannot be read"):
        load_operations(copy)


def test_a_variable_does_not_take_the_name_of_a_parameter_of_all_reads(copy: Path) -> None:
    path = copy / "operations" / "list_certifications.graphql"
    path.write_text(path.read_text().replace("$category", "$limit"))
    with pytest.raises(
        OperationError, match=r"certifications\.graphql:\d+:\d+: \$limit: reads have a"
    ):
        load_operations(copy)
