"""A client that fetches an account from GitHub, page by page, with conditional requests.

Requests are sent one at a time, and only to the API's own origin.
Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
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
    activity_of,
    profile_of,
    readme_of,
    repos_of,
    snapshot_of,
    stars_of,
)
from schema.github import GithubSnapshot
from sdl.types.scalar_types import format_instant

SECONDS = 10
"""How long to wait for one response."""
ALL_SECONDS = 60
"""How long to wait for all of them."""
MAX_BYTES = 2 << 20
"""The largest response that is read."""
MAX_PAGES = 5

_JSON = "application/vnd.github+json"
_STARS = "application/vnd.github.star+json"
"""The media type in which a star has its date."""
_NUMBER = re.compile(r"[0-9]{1,12}")
_TRY_LATER = "try again later"
_FIXES = {
    301: "the account has another name now; set STUDIOGRAPH_GITHUB_USER to it",
    401: "set STUDIOGRAPH_GITHUB_TOKEN to a valid token, or leave it empty",
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
    """Return every page of the account by its address; unchanged ones come from `known`.

    Raises: GithubError.
    """
    transport = await asyncio.to_thread(httpx.AsyncHTTPTransport, trust_env=False)  # reads files
    try:
        async with asyncio.timeout(all_seconds), transport:
            return await _Fetch(account, known, clock, seconds, transport).pages()
    except TimeoutError:
        raise GithubError(
            f"GitHub took more than {all_seconds} s for all its responses. Fix: {_TRY_LATER}."
        ) from None


def fetch_snapshot(account: AccountName, clock: Clock) -> GithubSnapshot:
    """Return the account as it is now. Raises: GithubError."""
    now = clock()
    pages = asyncio.run(fetch(account, {}, clock)) if account.user else {}
    snapshot = snapshot_of([page.part for page in pages.values()], now)
    if snapshot is None:
        raise GithubError("STUDIOGRAPH_GITHUB_USER is not set. Fix: set it to a GitHub login.")
    return snapshot


@dataclass
class _Fetch:
    """One fetch of an account."""

    account: AccountName
    known: Mapping[str, ResultPage]
    clock: Clock
    seconds: float
    transport: httpx.AsyncHTTPTransport
    """A bare transport: a client would follow redirects, use proxies and log the address."""
    fetched: dict[str, ResultPage] = field(default_factory=dict)

    async def pages(self) -> dict[str, ResultPage]:
        """Fetch every page. Raises: GithubError."""
        user = self.account.user
        profile = (await self._page(self._url(f"users/{user}"), profile_of)).part.profile
        web = profile.url.rpartition("/")[0] if profile else ""
        # an event can contain a whole issue and a comment, so a page of 100 would be too large
        events = f"users/{user}/events/public?per_page=30"
        await self._list(events, partial(activity_of, web=web))
        stars = partial(stars_of, topic=self.account.topic)
        await self._list(f"users/{user}/starred?per_page=100", stars, _STARS)
        owned = f"users/{user}/repos?sort=pushed&type=owner&per_page=100"
        repos = await self._list(owned, repos_of)
        names = {repo.name.casefold() for part in repos for repo in part.repos}
        if user.casefold() in names:  # else the token could read a private readme
            url = self._url(f"repos/{user}/{user}/readme")
            await self._page(url, partial(readme_of, fetched_at=self.clock()), optional=True)
        return self.fetched

    async def _list(self, path: str, convert: Parser, accept: str = _JSON) -> list[SnapshotPart]:
        """Fetch a list page by page and return its parts."""
        parts: list[SnapshotPart] = []
        url = self._url(path)
        while url and len(parts) < MAX_PAGES:
            page = await self._page(url, convert, accept)
            parts.append(page.part)
            url = page.next
        return parts

    async def _page(
        self, url: str, convert: Parser, accept: str = _JSON, *, optional: bool = False
    ) -> ResultPage:
        """Fetch the page at an address; an optional one may be missing."""
        known = self.known.get(url)
        response, body = await self._get(url, accept, known.etag if known else "")
        if response.status_code == httpx.codes.NOT_MODIFIED and known is not None:
            page = known
        elif response.status_code == httpx.codes.NOT_FOUND and optional:
            page = ResultPage(part=SnapshotPart())
        elif response.status_code == httpx.codes.OK:
            part = await asyncio.to_thread(_parse, body, convert)
            page = ResultPage(part=part, etag=_etag(response), next=_next(response, url))
        else:
            raise _error_of(response, self.clock())
        self.fetched[url] = page
        return page

    async def _get(self, url: str, accept: str, etag: str) -> tuple[httpx.Response, bytes]:
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
                f"GitHub did not respond within {self.seconds} s. Fix: {_TRY_LATER}."
            ) from None
        except (httpx.ConnectError, httpx.InvalidURL, ValueError):  # no connection, or no host name
            raise GithubError(
                "GitHub cannot be reached. Fix: check that STUDIOGRAPH_GITHUB_API_URL is right and"
                " that this machine can connect to it."
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
            raise GithubError(
                f"GitHub's response has more than {MAX_BYTES} bytes. Fix: {_TRY_LATER}."
            )
    return bytes(body)


def _parse(body: bytes, convert: Parser) -> SnapshotPart:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise GithubError(UNREADABLE) from None
    return convert(document)


def _error_of(response: httpx.Response, now: datetime) -> GithubError:
    status, until = response.status_code, _until(response, now)
    if until is None:
        fix = _FIXES.get(status, _TRY_LATER)
        return GithubError(f"GitHub answered with HTTP {status}. Fix: {fix}.")
    return GithubError(
        f"GitHub accepts no more requests until {format_instant(until)}."
        " Fix: wait, or set STUDIOGRAPH_GITHUB_TOKEN, which raises the limit.",
        until,
    )


def _until(response: httpx.Response, now: datetime) -> datetime | None:
    """Return when GitHub accepts requests again, if it has told us to wait."""
    headers = response.headers
    wait, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if response.status_code not in (httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS):
        return None
    if _NUMBER.fullmatch(wait):
        until = now + min(timedelta(seconds=int(wait)), MAX_WAIT)
    elif headers.get("x-ratelimit-remaining") == "0" and _NUMBER.fullmatch(reset):
        latest = now + MAX_WAIT
        until = datetime.fromtimestamp(min(int(reset), int(latest.timestamp())), UTC)
    else:
        return None
    return max(until, now)


def _etag(response: httpx.Response) -> str:
    """Return the validator, if it can be sent in a request."""
    etag = response.headers.get("etag", "")
    return etag if etag.isascii() and etag.isprintable() else ""


def _next(response: httpx.Response, url: str) -> str:
    """Return the address of the next page, if there is one on the same origin."""
    link = response.links.get("next", {}).get("url")
    if not link:
        return ""
    current = httpx.URL(url)
    try:
        following = current.join(link)
    except (httpx.InvalidURL, ValueError):
        return ""
    if (following.scheme, following.netloc) != (current.scheme, current.netloc):
        log.warning("the next page is not fetched: it is on another origin")
        return ""
    return str(following)
