"""What an unknown path is answered with: paths of the same spelling and of the same meaning."""

import pytest
from local_service import Ask

MEANT = {
    "/pricing": "/api/prices",
    "/rates": "/api/prices",
    "/hire": "/api/engagement",
    "/rss": "/feed.xml",
    "/services": "/api/practice",
    "/api/egagement": "/api/engagement",
    "/contact-us": "/api/contact",
    "/ask": "/api/chat",
    "/get_changes": "/api/changelog",
    "/faqs": "/api/faq",
    "/api/v1/projects": "/api/projects",
    "/project/tidebook": "/api/projects/tidebook",
    "/api/projects/tidebok": "/api/projects/tidebook",
    "/api/glosary": "/api/glossary",
    "/api/looking_for": "/api/looking-for",
    "/llm.txt": "/llms.txt",
    "/api/Thesis": "/api/thesis",
    "//api/thesis": "/api/thesis",
}


@pytest.mark.parametrize("path", MEANT)
def test_an_unknown_path_leads_to_the_one_that_is_meant(ask: Ask, path: str) -> None:
    refused = ask(path)
    assert refused.status_code == 404
    meant = refused.json()["didYouMean"]
    assert meant[0] == MEANT[path]
    assert len(meant) <= 3
    assert [ask(each).status_code for each in meant] == [200] * len(meant)
    assert "didYouMean" not in refused.json().get("fields", [{}])[0]


def test_a_path_that_means_nothing_here_is_guessed_at_by_nothing(ask: Ask) -> None:
    for path in ("/wp-login.php", "/.env", "/api", f"/{'a' * 4000}", "/%00%ff"):
        assert "didYouMean" not in ask(path).json(), path


def test_an_unknown_item_lists_the_known_ones_besides(ask: Ask) -> None:
    refused = ask("/api/projects/tidebok").json()
    assert refused["didYouMean"][0] == "/api/projects/tidebook"
    assert set(refused["fields"][0]["allowed"]) > {"tidebook"}
