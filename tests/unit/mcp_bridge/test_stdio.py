"""Messages line by line: each answered once, none of them able to stop the rest."""

import asyncio
import io
import json
import os
import select
from collections.abc import Iterable
from typing import Any, BinaryIO

import pytest
from mcp_messages import BOTH, message
from running_server import eventually

from mcp_bridge.protocol.server import Server
from mcp_bridge.protocol.stdio import MAX_AT_ONCE, MAX_LINE, LineReader, serve_stdio
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.representations.responses import index_path
from rest_bridge.routes import relations_of
from sdl.running.runner import Snapshot


@pytest.fixture(scope="module")
def server(reading: Snapshot) -> Server:
    """The server on the sample studio."""
    relations = relations_of(reading.operations, DOCUMENTS)
    return Server(reading.operations, lambda: reading, index_path(relations))


def spoken(server: Server, lines: Iterable[bytes]) -> list[Any]:
    """What is written for what is read."""
    written = io.BytesIO()
    asyncio.run(serve_stdio(server, io.BytesIO(b"".join(lines)).read, written))
    text = written.getvalue()
    assert not text or text.endswith(b"\n")
    return [json.loads(line) for line in text.splitlines()]


def line(value: Any) -> bytes:
    """A message as a line."""
    return json.dumps(value).encode() + b"\n"


def test_every_request_is_answered_in_either_era(server: Server) -> None:
    asked = [{**message("tools/list", BOTH[n % 2]), "id": n} for n in range(3 * MAX_AT_ONCE)]
    answers = spoken(server, map(line, asked))
    assert {answer["id"] for answer in answers} == set(range(len(asked)))
    assert all(answer["result"]["tools"] for answer in answers)
    modern = [answer for answer in answers if "resultType" in answer["result"]]
    assert {answer["id"] % 2 for answer in modern} == {1}


def test_what_is_wrong_is_told_and_the_rest_goes_on(server: Server) -> None:
    answers = spoken(
        server,
        [
            b"\n",
            b"  \r\n",
            b"not json\n",
            b"\xff\n",
            line([message("ping")]),
            line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            b"x" * (MAX_LINE + 1) + b"\n",
            b"y" * (5 * MAX_LINE) + b"\n",
            line({**message("ping"), "id": "last"})[:-1],
        ],
    )
    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert sorted(codes) == [-32700, -32700, -32600, -32600, -32600]
    assert [answer for answer in answers if "result" in answer] == [
        {"jsonrpc": "2.0", "id": "last", "result": {}}
    ]


def test_a_method_that_is_unknown_names_no_version_that_the_handshake_did_not(
    server: Server,
) -> None:
    [told] = spoken(server, [line(message("tools/run"))])
    assert told["error"]["message"].startswith("Unknown method. The methods are: ")


def test_the_longest_line_is_read(server: Server) -> None:
    asked = line(message("ping"))
    padded = asked[:-1] + b" " * (MAX_LINE - len(asked) + 1)
    assert len(padded) == MAX_LINE
    for end in (b"\n", b"\r\n", b""):
        assert [answer["result"] for answer in spoken(server, [padded + end])] == [{}]


def test_a_client_that_does_not_read_holds_up_its_answers_alone(server: Server) -> None:
    asked = [{**message("tools/list"), "id": n} for n in range(2 * MAX_AT_ONCE)]
    reading_end, writing_end = os.pipe()

    async def run(output: BinaryIO, answers: BinaryIO) -> list[bytes]:
        source = io.BytesIO(b"".join(map(line, asked)))
        serving = asyncio.create_task(serve_stdio(server, source.read, output))
        await asyncio.to_thread(eventually, lambda: not select.select([], [output], [], 0)[1], 20)
        lines = [await asyncio.to_thread(answers.readline) for _ in asked]
        await serving
        return lines

    with (
        os.fdopen(writing_end, "wb", buffering=0) as output,
        os.fdopen(reading_end, "rb") as answers,
    ):
        lines = asyncio.run(run(output, answers))
    assert {json.loads(text)["id"] for text in lines} == set(range(len(asked)))


class SmallPipe(io.BytesIO):
    """An output that takes a few bytes at a time, as a pipe may."""

    def write(self, data: Any) -> int:
        """Take some."""
        return super().write(data[:7])


def test_a_line_of_which_a_part_is_taken_is_written_to_its_end(server: Server) -> None:
    output = SmallPipe()
    asyncio.run(serve_stdio(server, io.BytesIO(line(message("tools/list"))).read, output))
    assert json.loads(output.getvalue())["result"]["tools"]


@pytest.mark.parametrize(
    "value",
    [
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": -1, "message": "no"}},
        {"jsonrpc": "2.0", "method": "x", "params": []},
        {"jsonrpc": "1.0", "method": "notifications/initialized"},
    ],
)
def test_what_is_no_request_is_not_answered(server: Server, value: object) -> None:
    assert spoken(server, [line(value)]) == []


def test_nothing_read_is_nothing_written(server: Server) -> None:
    assert spoken(server, []) == []


def test_a_revision_that_is_not_spoken_is_told(server: Server) -> None:
    asked = message("tools/list", BOTH[1])
    asked["params"]["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": "1999-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    [answer] = spoken(server, [line(asked)])
    assert answer["error"]["code"] == -32022


def test_what_is_read_once_the_serving_is_over_ends_the_reading_alone() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    late = io.BytesIO(b"late\n")
    LineReader(late.read, loop).run()
    assert late.tell() == len(b"late\n")
