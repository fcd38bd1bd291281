"""Events as one line: what was done, to what, and where to look at it."""

from typing import Any

import pytest
from github_server import HEAD, LOGIN, event

from resolvers.github.convert import activity_of

WEB = "https://github.example"
TIDES = f"{WEB}/{LOGIN}/tides"
ISSUE = {"number": 141, "title": "Two <b>encodings</b>", "html_url": f"{TIDES}/issues/141"}
PULL = {"number": 88, "title": "Early close", "html_url": f"{TIDES}/pull/88", "merged": False}
SHORT_PULL = {"id": 1, "number": 88, "url": "https://api.example/pulls/88"}
RELEASE = {"tag_name": "v0.6.0", "name": "Tides 0.6.0", "html_url": f"{TIDES}/releases/tag/v0.6.0"}
COMMENT = {"html_url": f"{TIDES}/issues/141#issuecomment-1"}


@pytest.mark.parametrize(
    ("kind", "payload", "title", "url"),
    [
        ("PushEvent", {"ref": "refs/heads/a/b", "head": HEAD}, "Pushed to a/b", f"/commit/{HEAD}"),
        ("WatchEvent", {"action": "started"}, f"Starred {LOGIN}/tides", ""),
        ("CreateEvent", {"ref_type": "tag", "ref": "v1"}, "Created tag v1", ""),
        (
            "CreateEvent",
            {"ref_type": "repository", "ref": None},
            f"Created repository {LOGIN}/tides",
            "",
        ),
        ("DeleteEvent", {"ref_type": "branch", "ref": "old"}, "Deleted branch old", ""),
        ("ForkEvent", {"forkee": {"html_url": f"{TIDES}/x"}}, f"Forked {LOGIN}/tides", "/x"),
        (
            "ReleaseEvent",
            {"action": "published", "release": RELEASE},
            "Published Tides 0.6.0",
            "/releases/tag/v0.6.0",
        ),
        (
            "ReleaseEvent",
            {"action": "published", "release": {**RELEASE, "name": None}},
            "Published v0.6.0",
            "/releases/tag/v0.6.0",
        ),
        (
            "IssuesEvent",
            {"action": "closed", "issue": ISSUE},
            "Closed issue 141: Two < b>encodings< /b>",
            "/issues/141",
        ),
        (
            "IssueCommentEvent",
            {"action": "created", "issue": {**ISSUE, "pull_request": {}}, "comment": COMMENT},
            "Commented on pull request 141: Two < b>encodings< /b>",
            "/issues/141#issuecomment-1",
        ),
        (
            "IssueCommentEvent",
            {"action": "created", "issue": {**ISSUE, "title": None}},
            "Commented on issue 141",
            "/issues/141",
        ),
        (
            "PullRequestEvent",
            {"action": "opened", "number": 88, "pull_request": PULL},
            "Opened pull request 88: Early close",
            "/pull/88",
        ),
        (
            "PullRequestEvent",
            {"action": "closed", "number": 88, "pull_request": {**PULL, "merged": True}},
            "Merged pull request 88: Early close",
            "/pull/88",
        ),
        (
            "PullRequestEvent",
            {"action": "merged", "number": 88, "pull_request": SHORT_PULL},
            "Merged pull request 88",
            "/pull/88",
        ),
        (
            "PullRequestReviewEvent",
            {"review": {"html_url": f"{TIDES}/pull/88#r1"}, "pull_request": SHORT_PULL},
            "Reviewed pull request 88",
            "/pull/88#r1",
        ),
        ("GollumEvent", {"pages": []}, f"Edited the wiki of {LOGIN}/tides", ""),
        ("PublicEvent", {"x": 1}, f"Made {LOGIN}/tides public", ""),
        ("SponsorshipEvent", {"action": "created"}, f"Sponsorship in {LOGIN}/tides", ""),
        ("TeaPartyEvent", {"action": "poured"}, f"Tea party in {LOGIN}/tides", ""),
        ("IssuesEvent", {"issue": None}, f"Issues in {LOGIN}/tides", ""),
    ],
)
def test_an_event_is_told_in_one_line_with_the_page_to_look_at(
    kind: str, payload: dict[str, Any], title: str, url: str
) -> None:
    (made,) = activity_of([event(1, kind, **payload)], WEB).activity
    assert (made.type, made.title, made.url) == (kind, title, f"{TIDES}{url}")
    assert (made.id, made.repo) == ("48000000001", f"{LOGIN}/tides")
