"""What a GitHub account says of its owner: a snapshot, and the founder's handle."""

from content.importing.imported import FOUNDER, Imported
from content.importing.toml_writer import toml_text
from schema.github import GithubSnapshot


def read_account(snapshot: GithubSnapshot) -> Imported:
    """Return what a snapshot of an account says of its owner."""
    found = Imported()
    profile = snapshot.profile
    if profile.name != profile.login:
        found.answers["founder"] = profile.name
    handle = {"platform": "GitHub", "handle": profile.login, "url": profile.url}
    found.add("the account", (*FOUNDER, "handles"), handle)
    found.files["github.toml"] = toml_text(snapshot)
    return found
