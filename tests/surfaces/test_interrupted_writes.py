"""A write goes on to its end when its caller leaves; only questions and searches are cancelled."""

from asgi_call import post_and_leave
from contact_inbox import LETTER

from rest_bridge.http.middleware import RequestGuard


def test_a_message_whose_caller_leaves_is_not_cancelled(service: RequestGuard) -> None:
    assert post_and_leave(service, "/api/contact", LETTER).status == 200


def test_a_search_whose_caller_leaves_is_not_answered(service: RequestGuard) -> None:
    assert post_and_leave(service, "/api/search", {"query": "tide forecasts"}).status == 0
