"""The check of a service that `studiograph verify` makes, by a service in this process."""

from dataclasses import replace

from local_service import Ask

from resolvers.transparency.service_check import KnownHead, ServicePaths, check_service
from sdl.runner import Operations


def test_each_log_must_be_the_one_that_was_seen(ask: Ask, operations: Operations) -> None:
    def get(path: str) -> tuple[int, bytes]:
        answer = ask(path)
        return answer.status_code, answer.content

    def problem(known: KnownHead) -> str:
        return str(check_service(get, paths, known).problem)

    paths = ServicePaths(operations)
    first = check_service(get, paths)
    assert first.problem is None
    head = first.head
    assert head is not None
    words = head.words
    assert words is not None
    assert check_service(get, paths, head).problem is None
    other = f"sha256:{64 * '0'}"
    assert "no longer begins with the entries" in problem(replace(head, head=other))
    assert "and has fewer now" in problem(replace(head, size=head.size + 1))
    assert "is not published now" in problem(replace(head, origin="elsewhere.example/log"))
    for changed in (replace(words, head=other), replace(words, size=words.size + 1)):
        assert problem(replace(head, words=changed)) != "None"
