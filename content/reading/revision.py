"""A revision of the content: its digest, when it changed, and the lists that lost their entries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from content.reading.files import files_of
from content.reading.reader import Reading, read
from content.reading.sizes import MAX_FILE_BYTES
from schema.site import Site
from sdl.tools.canonical_json import canonical_json, digest_of
from sdl.types.scalar_types import Digest


@dataclass(frozen=True)
class Revision:
    """The content folder as it was read once."""

    site: Site
    digest: Digest
    """`sha256:<hex>` over the RFC 8785 bytes of the whole parsed content."""
    modified: datetime
    """When the content last changed; always later than in the revision before."""
    reading: Reading
    """The files, by which findings have their lines."""


def read_revision(
    folder: Path,
    before: Revision | None = None,
    *,
    drafts: bool = False,
    base_url: str = "",
    max_file_bytes: int = MAX_FILE_BYTES,
) -> Revision:
    """Return the revision of the folder, or `before` if nothing changed; raise ContentError.

    Entries with `draft = true` are part of it if `drafts` asks for them. Own paths in links become
    addresses below the base URL.
    """
    reading = read(folder, drafts=drafts, base_url=base_url, max_file_bytes=max_file_bytes)
    site = reading.site
    digest = digest_of(canonical_json(site.to_json()))
    if before is not None and before.digest == digest:
        return before
    newest = max(path.stat().st_mtime for path in files_of(folder))
    modified = datetime.fromtimestamp(int(newest), UTC)
    if site.status.as_of is not None:
        modified = max(site.status.as_of, modified)
    if before is not None:
        modified = max(modified, before.modified + timedelta(seconds=1))
    return Revision(site, digest, modified, reading)


def losses(before: Mapping[str, Any], after: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Yield each list that lost more than half of its entries, such as `faq (3 of 24)`.

    `before` and `after` are the JSON of sites or manifests. Lists within entries are not compared;
    an object that is gone counts as a list of one.
    """
    for name, old in before.items():
        path, new = f"{place}{name}", after.get(name)
        if isinstance(old, list):
            left = len(new) if isinstance(new, list) else 0
            if 2 * left < len(old):
                yield f"{path} ({left} of {len(old)})"
        elif isinstance(old, Mapping):
            if new is None:
                yield f"{path} (0 of 1)"
            else:
                yield from losses(old, new, f"{path}.")
