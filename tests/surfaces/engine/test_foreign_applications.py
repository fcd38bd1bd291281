"""Foreign applications answer what their owners expect, each by one statement, unchanged."""

import asyncio

import pytest
from foreign_applications import Application


@pytest.mark.parametrize("name", ["relay", "views", "views_snake", "library"])
def test_an_application_answers_as_its_owner_expects(name: str) -> None:
    application = Application(name)
    assert asyncio.run(application.otherwise()) == []
    assert application.counts["probes"]
