"""Responses: ETags, when an answer is 304, codings, link headers, problem documents."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response

from rest_bridge.http.compression import MIN_BYTES, encode
from rest_bridge.http.negotiation import DECIDING, choose_encoding, vary_of
from sdl.caller import RateLimitStatus
from sdl.errors import (
    ApiError,
    FieldProblem,
    HeadersTooLargeError,
    MethodNotAllowedError,
    NotFoundError,
    PreconditionFailedError,
    RateLimitedError,
    TimedOutError,
    TooLargeError,
    UnauthorizedError,
    UriTooLongError,
    VerificationFailedError,
)
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.types.directives import MEDIA_TYPES

_CLOSING = (TooLargeError, TimedOutError, UriTooLongError, HeadersTooLargeError)
PROBLEM_TYPE = "application/problem+json"
HTTP_OK = 200
_TEXTUAL = ("text/markdown", "text/plain")
MAX_DETAIL = 500
"""The most characters of the header that says what is wrong."""
_UNITS = {86400: "d", 3600: "h", 60: "m", 1: "s"}
_SIGNALS = {"search": "crawling", "ai-input": "summarization", "ai-train": "training"}
"""The field of the licensing policy behind each signal to crawlers. Source: contentsignals.org."""


@dataclass(frozen=True)
class Representation:
    """The body of a resource in one media type, ready to send."""

    body: bytes
    media_type: str
    headers: Mapping[str, str]
    encoded: dict[str, "Representation"] = field(default_factory=dict, compare=False)
    """The same body in content codings, each with its own ETag; built at the first request."""
    status: int = HTTP_OK

    @classmethod
    def build(
        cls, body: bytes, media_type: str, headers: Mapping[str, str], status: int = HTTP_OK
    ) -> "Representation":
        """Return the body with its media type and a strong ETag over both."""
        digest = hashlib.sha256(media_type.encode() + b"\0" + body).digest()[:18]
        is_text = media_type in _TEXTUAL
        return cls(
            body,
            media_type,
            {
                "content-type": f"{media_type}; charset=utf-8" if is_text else media_type,
                "etag": f'"{urlsafe_b64encode(digest).decode()}"',
                "vary": ", ".join(DECIDING),
                **headers,
            },
            status=status,
        )

    def response(self, request_headers: Headers, *, head: bool) -> Response:
        """Return the body (without it for HEAD), or 304 if the caller has it and it is no failure.

        Raises: PreconditionFailedError.
        """
        coding = choose_encoding(", ".join(request_headers.getlist("accept-encoding")))
        if coding is not None and len(self.body) >= MIN_BYTES and not self.encoding:
            return self._encoded(coding).response(request_headers, head=head)
        if self.status == HTTP_OK:
            self._check_preconditions(request_headers)
            if self._is_not_modified(request_headers):
                return Response(status_code=304, headers=dict(self.headers))
        headers = {**self.headers, "content-length": str(len(self.body))}
        return Response(b"" if head else self.body, self.status, headers)

    @property
    def encoding(self) -> str | None:
        """The content coding of the body; None if it is not encoded."""
        return self.headers.get("content-encoding")

    def _encoded(self, coding: str) -> "Representation":
        if coding not in self.encoded:
            tag = f'{self.headers["etag"][:-1]}-{coding}"'
            headers = {**self.headers, "content-encoding": coding, "etag": tag}
            body = encode(self.body, coding)
            # A mapping of its own: in this one it would hold itself, until garbage is collected.
            self.encoded[coding] = replace(self, body=body, headers=headers, encoded={})
        return self.encoded[coding]

    def _check_preconditions(self, request_headers: Headers) -> None:
        """Raise `PreconditionFailedError` for another body or a newer one.

        Source: RFC 9110 section 13.2.2; a weak tag matches nothing here.
        """
        if conditions := request_headers.getlist("if-match"):
            tags = [tag.strip() for tag in ",".join(conditions).split(",")]
            holds, name = "*" in tags or self.headers["etag"] in tags, "If-Match"
        else:
            since, name = request_headers.get("if-unmodified-since"), "If-Unmodified-Since"
            holds = since is None or not self._is_newer(since)
        if not holds:
            problem = FieldProblem(name, "does not hold for what is published now")
            raise PreconditionFailedError("This has changed since you read it.", [problem])

    def _is_newer(self, date: str) -> bool:
        """Whether the body has changed since a date; a text that is none says nothing."""
        try:
            return _instant(self.headers.get("last-modified", "")) > _instant(date)
        except (ValueError, TypeError):
            return False

    def _is_not_modified(self, request_headers: Headers) -> bool:
        if conditions := request_headers.getlist("if-none-match"):
            tags = [tag.strip().removeprefix("W/") for tag in ",".join(conditions).split(",")]
            return "*" in tags or self.headers["etag"] in tags
        since, modified = (
            request_headers.get("if-modified-since"),
            self.headers.get("last-modified"),
        )
        if since is not None and modified is not None:
            try:
                return _instant(since) >= _instant(modified)
            except (ValueError, TypeError):
                return False
        return False


@dataclass(frozen=True)
class LinkTarget:
    """The path of a link's target and its media type."""

    path: str
    media_type: str
    prefix: str = ""

    @property
    def href(self) -> str:
        """The path as callers use it: below that of the service's address."""
        return self.prefix + self.path


Relations = Mapping[str, LinkTarget]
"""The targets that every response links to, by link relation."""


def links(relations: Relations) -> list[str]:
    """Return the elements of a Link header. Source: RFC 8288."""
    return [
        f'<{target.href}>; rel="{relation}"; type="{target.media_type}"'
        for relation, target in relations.items()
    ]


def index_path(relations: Relations) -> str:
    """Return the path of the index."""
    return relations["service-doc"].href if "service-doc" in relations else "/"


def http_date(seconds: float) -> str:
    """Return an HTTP-date. Units: seconds since 1970. Source: RFC 9110 section 5.6.7."""
    return formatdate(seconds, usegmt=True)


def _instant(date: str) -> datetime:
    parsed = parsedate_to_datetime(date)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)  # the asctime form has no zone


def problem(error: ApiError, request_id: str) -> Response:
    """Return the error as a problem document. Source: RFC 9457."""
    # The body of our own 401 is always the same, so it leaks nothing.
    named = "" if isinstance(error, UnauthorizedError) else request_id
    headers = {"content-type": PROBLEM_TYPE, **error_headers(error)}
    body = {"ok": False, **problem_members(error, named)}
    return Response(orjson.dumps(body), error.status, headers)


def problem_members(
    error: ApiError, request_id: str = "", names: Callable[[Sequence[str]], list[str]] = list
) -> dict[str, Any]:
    """Return what is said of an error: its code, its text, and every problem of the input.

    `names` makes the list of what is allowed.
    """
    members: dict[str, Any] = {
        "error": error.code,
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        **({"request_id": request_id} if request_id else {}),
    }
    if isinstance(error, VerificationFailedError):
        members["reason"] = error.reason
    if isinstance(error, NotFoundError) and error.did_you_mean:
        members["didYouMean"] = [*error.did_you_mean]
    if error.problems:
        members["fields"] = [
            {"path": item.path, "rule": item.rule}
            | ({"allowed": names(item.allowed)} if item.allowed else {})
            for item in error.problems
        ]
    return members


def error_headers(error: ApiError) -> dict[str, str]:
    """Return the headers of an error's response, whatever the form of its body."""
    headers = {**error.headers, "cache-control": "no-store"}
    if isinstance(error, MethodNotAllowedError):
        headers["allow"] = ", ".join(error.problems[0].allowed)
    if isinstance(error, RateLimitedError) and error.limit_status is not None:
        headers |= rate_headers([error.limit_status])
    if error.retry_seconds:
        headers["Retry-After"] = str(error.retry_seconds)
    if error.status == UnauthorizedError.status:
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, _CLOSING):
        headers["connection"] = "close"
    return headers


def rate_headers(statuses: Sequence[RateLimitStatus]) -> dict[str, str]:
    """Return the headers with each limit and what remains of it; none without a limit."""
    # One run may count against a limit twice; the last status is the current one.
    latest = {status.limit_name: status for status in statuses}.values()
    if not latest:
        return {}
    return {
        "RateLimit-Policy": ", ".join(
            f'"{status.limit_name}";q={status.limit};w={status.window_seconds}' for status in latest
        ),
        "RateLimit": ", ".join(
            f'"{status.limit_name}";r={status.remaining};t={status.reset_seconds}'
            for status in latest
        ),
    }


def compact_error(error: ApiError, path: str, relations: Relations) -> Response:
    """Return the error as its code; a rate limit error also has the limit and its window.

    Why it happened stands in the header `Detail`; `Link` leads to the description of the path.
    """
    body: dict[str, Any] = {"ok": False, "error": error.code}
    if isinstance(error, RateLimitedError) and error.limit_status is not None:
        body["limit"] = error.limit_status.limit
        body["window"] = window_text(error.limit_status.window_seconds)
    headers = {
        "content-type": MEDIA_TYPES["JSON"],
        "detail": _detail(error),
        "link": ", ".join([f'<{path}>; rel="help"', *links(relations)]),
        **error_headers(error),
    }
    return Response(orjson.dumps(body), error.status, headers)


def _detail(error: ApiError) -> str:
    """Return what is wrong as the value of a header: ASCII without control characters."""
    texts = [problem.text for problem in error.problems] or [error.detail]
    return "; ".join(texts).encode("unicode_escape").decode()[:MAX_DETAIL]


def window_text(seconds: int) -> str:
    """Return the length of a window in its largest unit: 3600 is `1h`."""
    unit = next(unit for unit in _UNITS if seconds % unit == 0)
    return f"{seconds // unit}{_UNITS[unit]}"


def static_headers(relations: Relations) -> dict[str, str]:
    """Return the headers of a response that any cache may store for five minutes."""
    return {
        "cache-control": "public, max-age=300, stale-while-revalidate=86400",
        "link": ", ".join(links(relations)),
    }


def cache_headers(snapshot: Snapshot, operation: Operation, links: Iterable[str]) -> dict[str, str]:
    """Return the headers of a response by which caches and crawlers go, with these `links`."""
    language = snapshot.directory.get("language")
    headers = {"link": ", ".join(links), **({"content-language": language} if language else {})}
    cache = operation.cache
    stale = "must-revalidate" if cache.must_revalidate else "stale-while-revalidate=86400"
    signal = snapshot.cached(
        "content signal", lambda: content_signal(snapshot.directory.get("licensing"))
    )
    return {
        **({"content-signal": signal} if signal else {}),
        "cache-control": f"public, max-age={cache.max_age}, {stale}",
        "vary": vary_of(operation),
        **({"last-modified": http_date(snapshot.modified)} if snapshot.modified else {}),
        **headers,
    }


def content_signal(licensing: Mapping[str, Any] | None) -> str:
    """Return the signals, such as `search=yes, ai-train=no`; empty if there are none."""
    return ", ".join(yes_or_no(licensing, _SIGNALS, ("yes", "no")))


def yes_or_no(
    licensing: Mapping[str, Any] | None, fields: Mapping[str, str], answers: tuple[str, str]
) -> list[str]:
    """Return `signal=answer` for each signal whose permission has no condition.

    None says nothing about any use.
    """
    if licensing is None:
        return []
    words = {"allowed": answers[0], "not-allowed": answers[1]}
    return [
        f"{signal}={words[licensing[field]]}"
        for signal, field in fields.items()
        if licensing[field] in words
    ]
