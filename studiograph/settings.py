"""The settings: read once, from `STUDIOGRAPH_*` and a `.env` file, handed on as arguments."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
)

PREFIX = "STUDIOGRAPH_"
MAX_WORKERS = 64

_NAME = r"[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*"
_IPV6 = r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*"
_IPV4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,255}")
_PATH = r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*"


class SettingsError(Exception):
    """The settings cannot be used; the text names each one, what is wrong and what is allowed."""


@dataclass(frozen=True)
class Allowed:
    """What a setting can be: all that a fault says of it, so that no fault repeats a secret."""

    text: str


def _names(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return value


def _address(url: str) -> str:
    parts = urlsplit(url)  # refuses what stands in brackets and is no IPv6 address
    if parts.port == 0:  # reading it refuses a port over 65535
        raise ValueError
    return url


def _resolver(text: str) -> str:
    parts = urlsplit(f"//{text}")
    ip_address(parts.hostname or "")
    if parts.port == 0:
        raise ValueError
    return text


def _token(secret: SecretStr) -> SecretStr:
    if not _TOKEN.fullmatch(secret.get_secret_value()):
        raise ValueError
    return secret


class Settings(BaseModel):
    """Everything that can be set. The description of each field is the README's text of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    host: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:{_NAME}|{_IPV6})$", max_length=253),
        Allowed("a host name or an IP address, for example 127.0.0.1 or ::1"),
    ] = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535), Allowed("a whole number from 0 to 65535")] = 8000
    """The port to listen on; 0 takes a free one."""
    base_url: Annotated[
        str,
        StringConstraints(pattern=rf"^https?://(?:{_NAME}|\[{_IPV6}\])(?::[0-9]{{1,5}})?/?$"),
        AfterValidator(_address),
        Allowed("an http or https address without a path, for example https://studio.example"),
    ] = ""
    """The address that callers use, the root of every absolute one; without it, 127.0.0.1 and the
    port."""
    content: Annotated[Path, Allowed("the path of a folder")] = Path("content")
    """The folder with the studio's words."""
    data: Annotated[Path, Allowed("the path of a folder")] = Path("var")
    """The folder for what the service itself writes: its keys and its journal."""
    workers: Annotated[
        int, Field(ge=1, le=MAX_WORKERS), Allowed(f"a whole number from 1 to {MAX_WORKERS}")
    ] = 1
    """How many server processes to run."""
    allowed_hosts: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=rf"^(?:{_NAME}|\[{_IPV6}\])$")], ...],
        BeforeValidator(_names),
        Allowed("host names without scheme and port, for example studio.example,[2001:db8::1]"),
    ] = ()
    """Host names answered besides those of the base URL, the listening address and the loopback,
    separated by commas."""

    dns_resolver: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:{_IPV4}|\[{_IPV6}\])(?::[0-9]{{1,5}})?$"),
        AfterValidator(_resolver),
        Allowed("an IP address, with a port if it is not 53, for example 9.9.9.9 or [::1]:5353"),
    ] = ""
    """The DNS resolver that identity claims are looked up with; without it none is asked."""
    eth_rpc_url: Annotated[
        str,
        StringConstraints(pattern=rf"^https?://(?:{_NAME}|\[{_IPV6}\])(?::[0-9]{{1,5}})?{_PATH}$"),
        AfterValidator(_address),
        Allowed("an http or https address without a query, for example https://rpc.example/key"),
    ] = ""
    """The Ethereum JSON-RPC endpoint that ENS claims are looked up at; without it none is asked."""

    github_user: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$"),
        Allowed("a GitHub login, for example octocat"),
    ] = ""
    """The GitHub account to show; without it GitHub is not asked."""
    github_token: Annotated[SecretStr, AfterValidator(_token), Allowed("a GitHub access token")] = (
        SecretStr("")
    )
    """A token for GitHub, which raises its limit of requests; it needs no permission."""
    github_api_url: Annotated[
        str,
        StringConstraints(pattern=rf"^https?://(?:{_NAME}|\[{_IPV6}\])(?::[0-9]{{1,5}})?{_PATH}$"),
        AfterValidator(_address),
        Allowed("an http or https address without a query, for example https://api.github.com"),
    ] = "https://api.github.com"
    """Where GitHub's REST API is."""
    github_reading_topic: Annotated[
        str,
        StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,49}$"),
        Allowed("a GitHub topic, for example reading-list"),
    ] = "reading-list"
    """The topic of those starred repositories that make up the reading list."""

    @property
    def public_url(self) -> str:
        """The base URL without a slash at its end."""
        return self.base_url.rstrip("/") or f"http://127.0.0.1:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """Every Host name that is answered."""
        own = urlsplit(self.public_url).hostname or ""
        local = {"localhost", "127.0.0.1", "[::1]"}
        return frozenset({literal(own), literal(self.host), *local, *self.allowed_hosts})


def literal(host: str) -> str:
    """The host as it stands in an address. Source: RFC 3986 section 3.2.2."""
    return f"[{host}]" if ":" in host else host


def read_settings(environment: Mapping[str, str], env_file: Path | None = None) -> Settings:
    """The settings; the environment wins over the file, empty is absent. Raises: SettingsError."""
    given = {**_from_file(env_file), **environment}
    ours = {name: value for name, value in given.items() if name.startswith(PREFIX)}
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    faults = [_unknown(name, known) for name in ours if name not in known]
    values = {name: value for name, value in ours.items() if name in known and value.strip()}
    try:
        settings = Settings.model_validate(
            {name.removeprefix(PREFIX).lower(): value for name, value in values.items()}
        )
    except ValidationError as error:
        wrong = dict.fromkeys(str(detail["loc"][0]) for detail in error.errors())
        faults += [f"{PREFIX}{name.upper()}: must be {_allowed(name)}" for name in wrong]
        raise SettingsError("\n".join(faults)) from None
    if faults:
        raise SettingsError("\n".join(faults))
    return settings


def _from_file(env_file: Path | None) -> dict[str, str]:
    if env_file is None or not env_file.is_file():
        return {}
    from dotenv import dotenv_values  # noqa: PLC0415 - only where there is such a file

    try:
        return {name: value or "" for name, value in dotenv_values(env_file).items()}
    except UnicodeDecodeError:
        raise SettingsError(f"{env_file}: must be text in UTF-8") from None


def _allowed(name: str) -> str:
    marks = Settings.model_fields[name].metadata
    return next(mark.text for mark in marks if isinstance(mark, Allowed))


def _unknown(name: str, known: list[str]) -> str:
    words = [word.removeprefix(PREFIX) for word in known]
    close = difflib.get_close_matches(name.removeprefix(PREFIX), words, n=1)
    return f"{name}: there is no such setting; " + (
        f"did you mean {PREFIX}{close[0]}?" if close else f"there are: {', '.join(known)}"
    )
