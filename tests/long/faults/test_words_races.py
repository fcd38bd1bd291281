"""Processes that publish the same revisions at the same moments write one log."""

from concurrent_processes import racers
from merkle_reference import grows
from webhook_server import SCALE

from resolvers.transparency.merkle import Tree, root

ROUNDS = 25 * SCALE


def test_processes_that_publish_together_log_each_revision_once(url: str) -> None:
    logs: list[list[bytes]] = []
    with racers(2) as race:
        after = None
        for number in range(ROUNDS):
            text = f"revision {number % 3}"  # contents return, and are published again
            found = race("publish", [[url, text, after]] * 2)
            assert [place for place, _ in found] == [number, number]
            assert found[0] == found[1]
            after = number
            logs.append([bytes.fromhex(value) for value in found[0][1]])
        # The last one that is late: it served revision 0 and reads what is served now.
        late, _ = race("publish", [[url, "revision 1", 0], [url, "revision 1", 0]])
        assert late[0] == 1
    for size, hashes in enumerate(logs, 1):
        assert len(hashes) == size
        path = Tree(logs[-1]).consistency(size)
        assert grows(size, root(hashes), ROUNDS, root(logs[-1]), path)


def test_processes_that_publish_different_revisions_together_log_both(url: str) -> None:
    with racers(2) as race:
        for number in range(8):
            one, other = race("publish", [[url, f"a{number}", None], [url, f"b{number}", None]])
            assert {one[0], other[0]} == {2 * number, 2 * number + 1}
            longer, shorter = sorted((one[1], other[1]), key=len, reverse=True)
            assert longer[: len(shorter)] == shorter
