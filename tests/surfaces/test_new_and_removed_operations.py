"""An operation document more or less: its path is on every surface, or on none."""

from pathlib import Path

import pytest
from discovery_claims import AGENT, API_CATALOG
from removed_operations import BASE, Service, broken_without, copied

from sdl.running.runner import Snapshot

KINDS = {
    "an item by its slug": "get_project.graphql",
    "a second form of a path": "ask_streaming.graphql",
}
NEW = '''"""
The head of the log in two lines.
"""
query GetLogInShort
  @rest(path: "/api/log-in-short")
  @llms(section: "Proofs", title: "Log in short", order: 1)
  @sign
  @example(name: "the head")
{
  log { treeSize rollupHash }
}
'''


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return Service.complete(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("name", KINDS.values(), ids=KINDS)
def test_without_an_operation_document_its_path_is_nowhere_and_all_others_stay(
    name: str, complete: Service, reading: Snapshot, tmp_path: Path
) -> None:
    assert broken_without(name, tmp_path, complete, reading) == []


def test_with_a_new_document_its_path_is_everywhere(complete: Service, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "operations" / "get_log_in_short.graphql").write_text(NEW)
    service, path = Service.of_folder(folder, tmp_path / "data"), "/api/log-in-short"
    forms = {path, f"{path}.md", f"{path}.json", f"{path}.sig"}
    assert service.described - complete.described == forms
    for form in forms:
        assert (complete.ask(form).status_code, service.ask(form).status_code) == (404, 200)
    body = service.ask(path).json()
    assert body == complete.ask("/api/log?fields=treeSize,rollupHash").json()
    assert service.ask(f"{path}.sig").json()["payload"] == body
    before, after = complete.named, service.named
    for surface in ("/", "/index.json", "/llms.txt"):
        assert after[surface] - before[surface] == {f"{path}.md"}
    assert after["/sitemap.xml"] - before["/sitemap.xml"] == {f"{path}.md", f"{path}.sig"}
    assert f"{path}.sig" in service.llms.partition("\n## ")[0]
    assert after[API_CATALOG] - before[API_CATALOG] == {path, f"{path}.sig"}
    skills = service.ask(AGENT).json()["skills"]
    assert any("log-in-short" in skill["tags"] for skill in skills)
    line = f"- [Log in short]({BASE}{path}.md): The head of the log in two lines."
    assert any(own.startswith(line) for own in service.llms.splitlines())
