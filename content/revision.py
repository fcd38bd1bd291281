"""A revision of the content: its digest, equal for equal content, and when it changed."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import rfc8785

from content.reader import files_of, load
from schema.site import Site
from sdl.scalar_types import Digest


@dataclass(frozen=True)
class Revision:
    """The content folder as it was read once."""

    site: Site
    digest: Digest
    """`sha256:<hex>` over the RFC 8785 bytes of the whole parsed content."""
    modified: datetime
    """When the content last changed; always later than in the revision before."""


def read_revision(
    folder: Path, before: Revision | None = None, *, drafts: bool = False
) -> Revision:
    """Return the revision of the folder, or `before` if nothing changed; raise ContentError.

    Entries with `draft = true` are part of it if `drafts` asks for them.
    """
    site = load(folder, drafts=drafts)
    digest = Digest(f"sha256:{hashlib.sha256(rfc8785.dumps(site.to_json())).hexdigest()}")
    if before is not None and before.digest == digest:
        return before
    newest = max(path.stat().st_mtime for path in files_of(folder))
    modified = datetime.fromtimestamp(int(newest), UTC)
    if site.status.as_of is not None:
        modified = max(site.status.as_of, modified)
    if before is not None:
        modified = max(modified, before.modified + timedelta(seconds=1))
    return Revision(site, digest, modified)
