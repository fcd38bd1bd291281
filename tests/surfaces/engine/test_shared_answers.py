"""What caches may share, who may write from where, and what needs a token."""
# mypy: disable-error-code="untyped-decorator"

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest
import strawberry
from asgi_call import asking
from mcp_messages import result
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from sdl.operations.rules import OperationError
from surfaces import Bearer, Surfaces

TEXT = "x" * 20_000


@strawberry.type
class Item:
    slug: str
    title: str


@strawberry.type
class Query:
    @strawberry.field
    def hello(self, language: str | None = None) -> str:
        return f"hello {language}"

    @strawberry.field
    def cookie(self, info: strawberry.Info) -> str:
        info.context["response"].set_cookie("session", "1")
        info.context["response"].headers["transfer-encoding"] = "chunked"
        return "kept"

    @strawberry.field
    def big(self, key: str) -> str:
        return key + TEXT

    @strawberry.field
    def items(self) -> list[Item]:
        return [Item(slug="one", title="One")]

    @strawberry.field
    def item(self, slug: str) -> Item | None:
        return Item(slug=slug, title="One") if slug == "one" else None

    @strawberry.field
    def bad(self) -> int | None:
        raise ValueError("a store is slow")

    @strawberry.field
    def who(self, info: strawberry.Info) -> str:
        claims = info.context["request"].state.claims
        return claims["sub"] if claims else "nobody"


@strawberry.type
class Mutation:
    @strawberry.mutation
    def hit(self) -> int:
        return 1


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def greetings(self, language: str) -> AsyncGenerator[str, None]:
        yield f"hello {language}"


SCHEMA = strawberry.Schema(Query, Mutation, Subscription)
HELLO = """
query Hello($l: String @from(header: "accept-language")) @rest(path: "/hello") %s {
  hello(language: $l)
}
mutation Hit @rest(path: "/hit") { hit }
"""
LIST = 'query Items @rest(path: "/items") { items { slug title } }\n'
ITEMS = """
query Items @rest(path: "/items") { items { slug title } }
query Item($slug: String!) @rest(path: "/items/{slug}", each: "Items") {
  item(slug: $slug) { slug title }
}
query Big($key: String!) @rest(path: "/big/{key}") { big(key: $key) }
query Pick($slug: String!) @prompt(each: "Items") { item(slug: $slug) { title } }
"""
PUBLIC = "@cache(scope: PUBLIC)"
TOKEN = {"authorization": "Bearer good"}


def service(folder: Path, text: str, **options: Any) -> Surfaces:
    """A service of one file."""
    (folder / "all.graphql").write_text(text)
    return Surfaces(SCHEMA, folder, **{"url": "http://localhost", **options})


def verify(token: str) -> dict[str, str] | None:
    """The claims of a good token."""
    return {"good": {"sub": "ada"}}.get(token)


@pytest.mark.parametrize(("scope", "revision"), [(PUBLIC, None), ("", lambda: "1")])
def test_a_header_that_decides_an_answer_is_in_vary(
    tmp_path: Path, scope: str, revision: Any
) -> None:
    ask = asking(service(tmp_path, HELLO % scope, revision=revision))
    for language in ("de", "fr"):
        answer = ask("/hello", headers={"accept-language": language})
        assert answer.json() == f"hello {language}"
        assert answer.headers["cache-control"].startswith("public")
        assert answer.headers["vary"] == "Accept, Accept-Encoding, Accept-Language"
    text = (HELLO % scope).replace("accept-language", "Cookie")
    with pytest.raises(OperationError, match=r"the header Cookie is of one caller: leave out"):
        service(tmp_path, text, revision=revision)


@pytest.mark.parametrize("revision", [None, lambda: "1"])
def test_pages_of_another_origin_write_nothing(tmp_path: Path, revision: Any) -> None:
    ask = asking(service(tmp_path, HELLO % "", revision=revision))
    assert ask("/hit", "POST").json() == 1
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert ask("/hit", "POST", headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("url", "origin", "status"),
    [
        ("https://bees.example", "http://localhost:3000", 403),
        ("https://bees.example", "https://bees.example", 200),
        ("http://localhost", "http://localhost:3000", 200),
    ],
)
def test_a_page_on_a_developers_machine_asks_what_is_there(
    tmp_path: Path, url: str, origin: str, status: int
) -> None:
    ask = asking(service(tmp_path, HELLO % "", url=url))
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert ask("/mcp", "POST", json=message, headers={"origin": origin}).status_code == status


def test_a_part_that_failed_is_not_kept(tmp_path: Path) -> None:
    text = f'query P @rest(path: "/p", partial: true) {PUBLIC} {{ hello bad }}'
    answer = asking(service(tmp_path, text))("/p")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, no-cache")


def test_headers_fill_variables_of_events_too(tmp_path: Path) -> None:
    text = """
    subscription G($l: String! @from(header: "accept-language")) @rest(path: "/g", method: GET) {
      greetings(language: $l)
    }"""
    assert (
        'data: "hello de"'
        in asking(service(tmp_path, text))(
            "/g", headers={"accept-language": "de", "accept": "text/event-stream"}
        ).text
    )


def test_an_answer_with_a_cookie_is_of_one_caller(tmp_path: Path) -> None:
    text = f'query Cookie @rest(path: "/cookie") {PUBLIC} {{ cookie }}'
    answer = asking(service(tmp_path, text))("/cookie")
    assert answer.headers["set-cookie"].startswith("session=1")
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "transfer-encoding" not in answer.headers


@pytest.mark.parametrize("revision", [None, lambda: "1"])
def test_what_needs_a_token_is_in_no_shared_cache(tmp_path: Path, revision: Any) -> None:
    text = HELLO % PUBLIC if revision is None else HELLO % "" + ITEMS
    auth = Bearer(verify=verify, required=True)
    ask = asking(service(tmp_path, text, revision=revision, auth=auth))
    paths = ["/hello", "/hit", *(("/items", "/items/one", "/sitemap.xml") if revision else ())]
    for path in paths:
        assert ask(path).status_code == 401
        answer = ask(path, headers=TOKEN)
        assert answer.status_code == 200
        assert "public" not in answer.headers["cache-control"]
        assert "Authorization" in answer.headers["vary"]
    assert ask("/robots.txt").status_code == 200


def test_claims_are_none_without_a_token(tmp_path: Path) -> None:
    text = 'query Who @rest(path: "/who") { who }'
    ask = asking(service(tmp_path, text, auth=Bearer(verify=verify)))
    assert [ask("/who").json(), ask("/who", headers=TOKEN).json()] == ["nobody", "ada"]


def test_paths_that_callers_make_up_are_not_kept_for_ever(tmp_path: Path) -> None:
    own = service(tmp_path, ITEMS, revision=lambda: "1")
    ask = asking(own)
    for number in range(1_000):
        assert ask(f"/big/{number}", headers={"accept-encoding": "identity"}).status_code == 200
    kept = own.current().cached("narrowed reads", lambda: None)
    assert kept is not None
    assert len(own.current()._cache) < 100  # noqa: SLF001 - what is kept for ever


def test_a_prompt_completes_the_slugs_of_its_list(tmp_path: Path) -> None:
    ask = asking(service(tmp_path, ITEMS, revision=lambda: "1"))
    ref, argument = {"type": "ref/prompt", "name": "pick"}, {"name": "slug", "value": "o"}
    found = result(ask, "completion/complete", ref=ref, argument=argument)
    assert found["completion"]["values"] == ["one"]


def test_a_site_keeps_what_it_has_at_its_root(tmp_path: Path) -> None:
    own = service(tmp_path, ITEMS, revision=lambda: "1", url="http://localhost/agents")
    site = Starlette(
        routes=[
            Route("/robots.txt", lambda _: PlainTextResponse("mine")),
            Mount(
                "/.well-known",
                routes=[Route("/acme-challenge/x", lambda _: PlainTextResponse("token"))],
            ),
        ]
    )

    async def answers() -> list[tuple[int, str]]:
        transport = httpx.ASGITransport(own.beside(site))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            paths = ["/robots.txt", "/.well-known/acme-challenge/x", "/llms.txt", "/agents/items"]
            paths.append("/.well-known/agent.json")  # where the site has a folder without it
            found = [await client.get(path) for path in paths]
            return [(one.status_code, one.text[:5]) for one in found]

    mine, token, index, items, agent = asyncio.run(answers())
    assert (mine, token) == ((200, "mine"), (200, "token"))
    assert (index[0], items[0], agent[0]) == (200, 200, 200)


def test_a_revision_that_fails_is_an_error_of_the_service(tmp_path: Path) -> None:
    answers = ["1"]
    ask = asking(service(tmp_path, ITEMS, revision=lambda: answers[0]))
    answers.clear()
    refused = ask("/items")
    assert (refused.status_code, refused.json()["error"]) == (500, "internal")


async def later() -> str:
    """A function that must be awaited."""
    return "1"


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"revision": later}, "revision: give a function that is called"),
        ({"revision": lambda: "1", "sign": later}, "sign: give a function that is called"),
        ({"url": "https://e.example/?x"}, "write the whole address"),
        ({"url": "https://u:p@e.example"}, "write the whole address"),
        ({"hosts": ["https://e.example"]}, "hosts: give a list of names"),
    ],
)
def test_arguments_that_only_fail_later_are_refused(
    tmp_path: Path, options: dict[str, Any], fault: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=fault):
        service(
            tmp_path,
            LIST,
            **options,
        )


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"authorization_servers": "https://login.example"}, r"give a list, such as \['https://"),
        ({"scopes": "read"}, r"scopes: give a list, such as \['read'\]"),
        ({"verify": "x"}, "verify: give a function"),
    ],
)
def test_arguments_of_a_token_are_checked(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(TypeError, match=fault):
        Bearer(**options)


def test_frozen_data_has_no_parts(tmp_path: Path) -> None:
    text = 'query P @rest(path: "/p", partial: true) { items { slug } hello }'
    with pytest.raises(OperationError, match="partial: frozen data has no parts that fail"):
        service(tmp_path, text, revision=lambda: "1")
