"""Responses: ETags, when an answer is 304, codings, link headers, problem documents."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response

from rest_bridge.http.compression import MIN_BYTES, choose_encoding, encode
from rest_bridge.http.rate_limit_headers import rate_headers, retry_header
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

_CLOSING = (TooLargeError, TimedOutError, UriTooLongError, HeadersTooLargeError)
PROBLEM_TYPE = "application/problem+json"
HTTP_OK = 200
_TEXTUAL = ("text/markdown", "text/plain")


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
                "vary": "Accept, Accept-Encoding",
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
    body: dict[str, Any] = {
        "ok": False,
        "error": error.code,
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
    }
    if error.status != UnauthorizedError.status:  # its body is always the same, so it leaks nothing
        body["request_id"] = request_id
    if isinstance(error, VerificationFailedError):
        body["reason"] = error.reason
    if isinstance(error, NotFoundError) and error.did_you_mean:
        body["didYouMean"] = [*error.did_you_mean]
    if error.problems:
        body["fields"] = [
            {"path": item.path, "rule": item.rule}
            | ({"allowed": list(item.allowed)} if item.allowed else {})
            for item in error.problems
        ]
    headers = {"content-type": PROBLEM_TYPE, **error_headers(error)}
    return Response(orjson.dumps(body), error.status, headers)


def error_headers(error: ApiError) -> dict[str, str]:
    """Return the headers of an error's response, whatever the form of its body."""
    headers = {**error.headers, "cache-control": "no-store"}
    if isinstance(error, MethodNotAllowedError):
        headers["allow"] = ", ".join(error.problems[0].allowed)
    if isinstance(error, RateLimitedError) and error.limit_status is not None:
        headers |= rate_headers([error.limit_status])
    if error.retry_seconds:
        headers |= retry_header(error.retry_seconds)
    if error.status == UnauthorizedError.status:
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, _CLOSING):
        headers["connection"] = "close"
    return headers
