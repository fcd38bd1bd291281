"""The sections of the content, whose names the files have."""

from collections.abc import Iterator
from functools import lru_cache

from pydantic.fields import FieldInfo

from content.checking.findings import field_in, is_list
from schema.sections import StudioStatus
from schema.site import Site
from sdl.types.declare import Output, model_in

Section = tuple[str, ...]
"""The path of a section in the content, which the name of its file has."""


def section_of(name: str) -> Section:
    """Return the section that a file's name stands for."""
    return tuple(name.rpartition("/")[2].removesuffix(".toml").split("."))


@lru_cache(1_000)
def field_of(section: Section) -> FieldInfo | None:
    """Return the field that a section fills; None if there is no such section."""
    if section == ("status",):
        return FieldInfo(annotation=StudioStatus)
    model: type[Output] | None = Site
    info = None
    for part in section:
        info = field_in(model, part) if model is not None else None
        if info is None:
            return None
        model = None if is_list(info) else model_in(info.annotation)
    return info if info is not None and model_in(info.annotation) is not None else None


def holds_list(section: Section) -> bool:
    """Return whether a section is a list of entries."""
    info = field_of(section)
    return info is not None and is_list(info)


def section_names(model: type[Output] = Site, prefix: str = "") -> Iterator[str]:
    """Yield the names of all sections."""
    for name, info in model.model_fields.items():
        inner = model_in(info.annotation)
        section = f"{prefix}{info.alias or name}"
        if inner is not None and field_of(tuple(section.split("."))) is not None:
            yield section
            if not prefix and not is_list(info) and section != "status":
                yield from section_names(inner, f"{section}.")
