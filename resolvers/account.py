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

from resolvers.events import activity_of
from resolvers.github import (
    LONGEST_WAIT,
    UNREADABLE,
    Account,
    GithubFault,
    Page,
    Part,
    profile_of,
    readme_of,
    repos_of,
    stars_of,
)
from schema.words import instant_text

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

Convert = Callable[[Any], Part]
Clock = Callable[[], datetime]

log = logging.getLogger("studiograph.github")


async def look(
    account: Account,
    known: Mapping[str, Page],
    clock: Clock,
    seconds: float = SECONDS,
    all_seconds: float = ALL_SECONDS,
) -> dict[str, Page]:
    """Every page of the account by its address; a known one is kept where it has not changed.

    Raises: GithubFault.
    """
    transport = await asyncio.to_thread(httpx.AsyncHTTPTransport, trust_env=False)  # reads files
    try:
        async with asyncio.timeout(all_seconds), transport:
            return await _Look(account, known, clock, seconds, transport).pages()
    except TimeoutError:
        raise GithubFault(
            f"GitHub took more than {all_seconds} s for all its answers. Fix: {_LATER}."
        ) from None


@dataclass
class _Look:
    """One look at an account."""

    account: Account
    known: Mapping[str, Page]
    clock: Clock
    seconds: float
    transport: httpx.AsyncHTTPTransport
    """Without what a client adds: redirects, proxies, cookies, the address in a log line."""
    seen: dict[str, Page] = field(default_factory=dict)

    async def pages(self) -> dict[str, Page]:
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

    async def _listing(self, path: str, convert: Convert, accept: str = _JSON) -> list[Part]:
        """The parts of a list, page after page."""
        parts: list[Part] = []
        url = self._url(path)
        while url and len(parts) < MAX_PAGES:
            page = await self._page(url, convert, accept)
            parts.append(page.part)
            url = page.next
        return parts

    async def _page(
        self, url: str, convert: Convert, accept: str = _JSON, *, absent: bool = False
    ) -> Page:
        """The page at an address, which may be absent where that is said."""
        known = self.known.get(url)
        response, body = await self._ask(url, accept, known.etag if known else "")
        if response.status_code == httpx.codes.NOT_MODIFIED and known is not None:
            page = known
        elif response.status_code == httpx.codes.NOT_FOUND and absent:
            page = Page(part=Part())
        elif response.status_code == httpx.codes.OK:
            part = await asyncio.to_thread(_converted, body, convert)
            page = Page(part=part, etag=_etag(response), next=_next(response, url))
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
            raise GithubFault(
                f"GitHub gave no answer within {self.seconds} s. Fix: {_LATER}."
            ) from None
        except (httpx.ConnectError, httpx.InvalidURL, ValueError):  # no connection, or no host name
            raise GithubFault(
                "GitHub cannot be reached. Fix: see that STUDIOGRAPH_GITHUB_API_URL is right and"
                " that this machine may connect to it."
            ) from None
        except httpx.HTTPError:
            raise GithubFault(UNREADABLE) from None

    def _url(self, path: str) -> str:
        return f"{self.account.api_url}/{path}"


async def _body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MAX_BYTES:
            raise GithubFault(f"GitHub's answer has more than {MAX_BYTES} bytes. Fix: {_LATER}.")
    return bytes(body)


def _converted(body: bytes, convert: Convert) -> Part:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise GithubFault(UNREADABLE) from None
    return convert(answer)


def _refusal(response: httpx.Response, now: datetime) -> GithubFault:
    status, until = response.status_code, _until(response, now)
    if until is None:
        fix = _FIXES.get(status, _LATER)
        return GithubFault(f"GitHub answered with HTTP {status}. Fix: {fix}.")
    return GithubFault(
        f"GitHub takes no more questions until {instant_text(until)}."
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
    return now + min(max(patience, timedelta()), LONGEST_WAIT)


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
