"""What is left of a caller's budgets, as header fields. Decides nothing.

Source: draft-ietf-httpapi-ratelimit-headers-11; lists of RFC 9651.
"""

from collections.abc import Sequence

from sdl.caller import RateLimitStatus


def rate_headers(spent: Sequence[RateLimitStatus]) -> dict[str, str]:
    """The fields that name each budget and what is left of it; none where nothing was counted."""
    latest = {each.limit_name: each for each in spent}.values()  # one run may spend a budget twice
    if not latest:
        return {}
    return {
        "RateLimit-Policy": ", ".join(
            f'"{each.limit_name}";q={each.limit};w={each.window_seconds}' for each in latest
        ),
        "RateLimit": ", ".join(
            f'"{each.limit_name}";r={each.remaining};t={each.reset_seconds}' for each in latest
        ),
    }


def retry_header(seconds: int) -> dict[str, str]:
    """The field that says when a refused call may be made again.

    Source: RFC 9110, section 10.2.3.
    """
    return {"Retry-After": str(seconds)}
