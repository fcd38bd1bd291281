"""Asking GitHub for an account: page after page, each only if it has changed. Converts nothing.

Requests follow one after the other and go to the API's own origin alone.
Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import httpx

from resolvers.github.convert import (
    MAX_WAIT,
    UNREADABLE,
    AccountName,
    GithubError,
    ResultPage,
    SnapshotPart,
    profile_of,
    readme_of,
    repos_of,
    stars_of,
)
from resolvers.github.events import activity_of
from sdl.scalar_types import format_instant

SECONDS = 10
"""How long GitHub has for one answer."""
ALL_SECONDS = 60
"""How long it has for all of them."""
MAX_BYTES = 2 << 20
"""The largest answer that is read."""
MAX_PAGES = 5

_JSON = "application/vnd.github+json"
_STARS = "application/vnd.github.star+json"
"""The form in which a star says when it was given."""
_NUMBER = re.compile(r"[0-9]{1,12}")
_LATER = "try again later"
_FIXES = {
    301: "the account has another name now; set STUDIOGRAPH_GITHUB_USER to it",
    401: "set STUDIOGRAPH_GITHUB_TOKEN to a token that is good, or to none",
    404: "set STUDIOGRAPH_GITHUB_USER to the login of an account",
}

Parser = Callable[[Any], SnapshotPart]
Clock = Callable[[], datetime]

log = logging.getLogger("studiograph.github")


async def fetch(
    account: AccountName,
    known: Mapping[str, ResultPage],
    clock: Clock,
    seconds: float = SECONDS,
    all_seconds: float = ALL_SECONDS,
) -> dict[str, ResultPage]:
    """Every page of the account by its address; a known one is kept where it has not changed.

    Raises: GithubFault.
    """
    transport = await asyncio.to_thread(httpx.AsyncHTTPTransport, trust_env=False)  # reads files
    try:
        async with asyncio.timeout(all_seconds), transport:
            return await _Fetch(account, known, clock, seconds, transport).pages()
    except TimeoutError:
        raise GithubError(
            f"GitHub took more than {all_seconds} s for all its answers. Fix: {_LATER}."
        ) from None


@dataclass
class _Fetch:
    """One look at an account."""

    account: AccountName
    known: Mapping[str, ResultPage]
    clock: Clock
    seconds: float
    transport: httpx.AsyncHTTPTransport
    """Without what a client adds: redirects, proxies, cookies, the address in a log line."""
    seen: dict[str, ResultPage] = field(default_factory=dict)

    async def pages(self) -> dict[str, ResultPage]:
        """Every page. Raises: GithubFault."""
        user = self.account.user
        profile = (await self._page(self._url(f"users/{user}"), profile_of)).part.profile
        web = profile.url.rpartition("/")[0] if profile else ""
        # an event may hold a whole issue with a comment, so fewer of them fit a page
        events = f"users/{user}/events/public?per_page=30"
        await self._listing(events, partial(activity_of, web=web))
        stars = partial(stars_of, topic=self.account.topic)
        await self._listing(f"users/{user}/starred?per_page=100", stars, _STARS)
        owned = f"users/{user}/repos?sort=pushed&type=owner&per_page=100"
        repos = await self._listing(owned, repos_of)
        names = {repo.name.casefold() for part in repos for repo in part.repos}
        if user.casefold() in names:  # what a private one of this name says is nobody's business
            url = self._url(f"repos/{user}/{user}/readme")
            await self._page(url, partial(readme_of, fetched_at=self.clock()), absent=True)
        return self.seen

    async def _listing(self, path: str, convert: Parser, accept: str = _JSON) -> list[SnapshotPart]:
        """The parts of a list, page after page."""
        parts: list[SnapshotPart] = []
        url = self._url(path)
        while url and len(parts) < MAX_PAGES:
            page = await self._page(url, convert, accept)
            parts.append(page.part)
            url = page.next
        return parts

    async def _page(
        self, url: str, convert: Parser, accept: str = _JSON, *, absent: bool = False
    ) -> ResultPage:
        """The page at an address, which may be absent where that is said."""
        known = self.known.get(url)
        response, body = await self._ask(url, accept, known.etag if known else "")
        if response.status_code == httpx.codes.NOT_MODIFIED and known is not None:
            page = known
        elif response.status_code == httpx.codes.NOT_FOUND and absent:
            page = ResultPage(part=SnapshotPart())
        elif response.status_code == httpx.codes.OK:
            part = await asyncio.to_thread(_converted, body, convert)
            page = ResultPage(part=part, etag=_etag(response), next=_next(response, url))
        else:
            raise _refusal(response, self.clock())
        self.seen[url] = page
        return page

    async def _ask(self, url: str, accept: str, etag: str) -> tuple[httpx.Response, bytes]:
        headers = {
            "accept": accept,
            "accept-encoding": "identity",
            "user-agent": "studiograph",
            "x-github-api-version": "2022-11-28",
        }
        if self.account.token:
            headers["authorization"] = f"Bearer {self.account.token}"
        if etag:
            headers["if-none-match"] = etag
        try:
            request = httpx.Request("GET", url, headers=headers)
            async with asyncio.timeout(self.seconds):
                response = await self.transport.handle_async_request(request)
                async with aclosing(response):
                    return response, await _body(response)
        except TimeoutError:
            raise GithubError(
                f"GitHub gave no answer within {self.seconds} s. Fix: {_LATER}."
            ) from None
        except (httpx.ConnectError, httpx.InvalidURL, ValueError):  # no connection, or no host name
            raise GithubError(
                "GitHub cannot be reached. Fix: see that STUDIOGRAPH_GITHUB_API_URL is right and"
                " that this machine may connect to it."
            ) from None
        except httpx.HTTPError:
            raise GithubError(UNREADABLE) from None

    def _url(self, path: str) -> str:
        return f"{self.account.api_url}/{path}"


async def _body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MAX_BYTES:
            raise GithubError(f"GitHub's answer has more than {MAX_BYTES} bytes. Fix: {_LATER}.")
    return bytes(body)


def _converted(body: bytes, convert: Parser) -> SnapshotPart:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise GithubError(UNREADABLE) from None
    return convert(answer)


def _refusal(response: httpx.Response, now: datetime) -> GithubError:
    status, until = response.status_code, _until(response, now)
    if until is None:
        fix = _FIXES.get(status, _LATER)
        return GithubError(f"GitHub answered with HTTP {status}. Fix: {fix}.")
    return GithubError(
        f"GitHub takes no more questions until {format_instant(until)}."
        " Fix: wait, or set STUDIOGRAPH_GITHUB_TOKEN, with which it takes more.",
        until,
    )


def _until(response: httpx.Response, now: datetime) -> datetime | None:
    """When GitHub takes questions again, where it says that it takes none."""
    headers = response.headers
    wait, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if response.status_code not in (httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS):
        return None
    if _NUMBER.fullmatch(wait):
        patience = timedelta(seconds=int(wait))
    elif headers.get("x-ratelimit-remaining") == "0" and _NUMBER.fullmatch(reset):
        patience = timedelta(seconds=int(reset) - now.timestamp())
    else:
        return None
    return now + min(max(patience, timedelta()), MAX_WAIT)


def _etag(response: httpx.Response) -> str:
    """The validator, if it can be sent back."""
    etag = response.headers.get("etag", "")
    return etag if etag.isascii() and etag.isprintable() else ""


def _next(response: httpx.Response, url: str) -> str:
    """The address of the next page, if there is one and it is of the same origin."""
    link = response.links.get("next", {}).get("url")
    if not link:
        return ""
    here = httpx.URL(url)
    try:
        there = here.join(link)
    except (httpx.InvalidURL, ValueError):
        return ""
    if (there.scheme, there.netloc) != (here.scheme, here.netloc):
        log.warning("the next page is not asked for: it is of another origin")
        return ""
    return str(there)
