"""What entries say of each other."""

from datetime import date

from content.checking.references import older_than_changes
from schema.site import Site


def test_a_project_that_is_older_than_its_own_release_is_named(sample: Site) -> None:
    assert list(older_than_changes(sample)) == []
    first, *others = sample.projects
    old = first.model_copy(update={"last_updated": date(2026, 10, 12)})
    (finding,) = older_than_changes(sample.model_copy(update={"projects": [old, *others]}))
    assert finding.path == ("projects", 0, "lastUpdated")
    assert "2026-10-26-tidebook-4-2-1" in finding.rule
    assert finding.fix == "write 2026-10-26"
