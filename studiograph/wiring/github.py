"""The GitHub account of the settings and its mirror."""

from resolvers.github.convert import AccountName
from resolvers.github.mirror import Clock, GithubMirror
from studiograph.settings import Settings


def account_of(settings: Settings) -> AccountName:
    """Return the configured account; its `user` is empty if none is configured."""
    return AccountName(
        api_url=settings.github_api_url.rstrip("/"),
        user=settings.github_user,
        topic=settings.github_reading_topic,
        token=settings.github_token.get_secret_value(),
    )


def make_mirror(settings: Settings, clock: Clock) -> GithubMirror:
    """Return the mirror of the configured account, kept in the data folder."""
    return GithubMirror(account_of(settings), settings.data / "github.json", clock)
