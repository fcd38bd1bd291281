"""Slugs that an importer writes, each distinct."""

from itertools import chain, count

from sdl.types.declare import MAX_SLUG, slug_of


def distinct_slug(name: str, taken: set[str]) -> str:
    """Return a slug for a name that none of these is, and add it to them."""
    slug = slug_of(name) or "entry"
    ends = (f"-{number}" for number in count(2))
    numbered = (f"{slug[: MAX_SLUG - len(end)].rstrip('-')}{end}" for end in ends)
    slug = next(own for own in chain([slug], numbered) if own not in taken)
    taken.add(slug)
    return slug
