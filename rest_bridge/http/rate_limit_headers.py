"""Rate limits as response headers.

Source: draft-ietf-httpapi-ratelimit-headers-11; lists of RFC 9651.
"""

from collections.abc import Sequence

from sdl.caller import RateLimitStatus


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


def retry_header(seconds: int) -> dict[str, str]:
    """Return the header that says when to try again. Source: RFC 9110 section 10.2.3."""
    return {"Retry-After": str(seconds)}
