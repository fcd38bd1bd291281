"""The settings: read once, from `STUDIOGRAPH_*` and a `.env` file, handed on as arguments."""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

PREFIX = "STUDIOGRAPH_"


class SettingsError(Exception):
    """The settings cannot be used; the text names each one, what is wrong and what is allowed."""


def _names(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return value


class Settings(BaseModel):
    """Everything that can be set. The description of each field is the README's text of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The port to listen on; 0 takes a free one."""
    base_url: Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9.\[\]:-]+(/[!-~]*)?$")] = ""
    """The address that callers use, the root of every absolute one; else 127.0.0.1 and the port."""
    content: Path = Path("content")
    """The folder with the studio's words."""
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    """How many server processes to run."""
    allowed_hosts: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """Host names answered besides the base URL's and the loopback's, separated by commas."""

    @property
    def public_url(self) -> str:
        """The base URL without a slash at its end."""
        return self.base_url.rstrip("/") or f"http://127.0.0.1:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """Every Host name that is answered."""
        own = urlsplit(self.public_url).hostname or ""
        literal = f"[{own}]" if ":" in own else own
        return frozenset({literal, "localhost", "127.0.0.1", "[::1]", *self.allowed_hosts})


def read_settings(environment: Mapping[str, str], env_file: Path | None = None) -> Settings:
    """The settings; the environment wins over the file. Raises: SettingsError."""
    given = {**_from_file(env_file), **environment}
    ours = {name: value for name, value in given.items() if name.startswith(PREFIX)}
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    faults = [_unknown(name, known) for name in ours if name not in known]
    try:
        values = {name.removeprefix(PREFIX).lower(): ours[name] for name in ours if name in known}
        settings = Settings.model_validate(values)
    except ValidationError as error:
        for detail in error.errors():
            name = f"{PREFIX}{str(detail['loc'][0]).upper()}"
            faults.append(f"{name}: {detail['msg']}")
        raise SettingsError("\n".join(faults)) from None
    if faults:
        raise SettingsError("\n".join(faults))
    return settings


def _from_file(env_file: Path | None) -> dict[str, str]:
    if env_file is None or not env_file.is_file():
        return {}
    from dotenv import dotenv_values  # noqa: PLC0415 - only where there is such a file

    return {name: value or "" for name, value in dotenv_values(env_file).items()}


def _unknown(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"{name}: there is no such setting; " + (
        f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
    )
