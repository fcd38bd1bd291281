"""The settings, read once from `STUDIOGRAPH_*` variables and a `.env` file."""

import difflib
import os
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
)

from content.reading.sizes import MAX_MEBIBYTES, MEBIBYTE
from resolvers.contact.smtp_url import URL_RULE as RELAY_RULE
from resolvers.db.database import Database
from sdl.errors import StudiographError
from studiograph.ai_settings import AiSettings
from studiograph.setting_types import (
    IPV4,
    IPV6,
    MAILBOX,
    MAILBOX_CHECK,
    NAME,
    PATH,
    RATE_ALLOWED,
    RATE_PATTERN,
    Allowed,
    PortError,
    check_database_url,
    check_host,
    check_resolver,
    check_secret_url,
    check_smtp_url,
    check_token,
    check_url,
    split_names,
)

PREFIX = "STUDIOGRAPH_"
MAX_WORKERS = 64
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
GITHUB_LOGIN = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - the two that stand for every address


class SettingsError(StudiographError):
    """The settings cannot be used; the text names each one, what is wrong and what is allowed."""


class ReadingOptions(TypedDict):
    """What of the settings the reader of the content takes."""

    base_url: str
    max_file_bytes: int


class Settings(AiSettings):
    """Every setting. The description of each field is its text in docs/settings.md."""

    host: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:{NAME}|{IPV6})$", max_length=253),
        AfterValidator(check_host),
        Allowed("a host name or an IP address without a port, for example 127.0.0.1 or ::1"),
    ] = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535), Allowed("a whole number from 0 to 65535")] = 8000
    """The port to listen on; 0 picks a free one."""
    base_url: Annotated[
        str,
        StringConstraints(pattern=rf"^https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?/?$"),
        AfterValidator(check_url),
        Allowed(
            "an http or https address without a path and without blanks, for example https://studio.example"
        ),
    ] = ""
    """The public address of the service, with which every absolute URL begins. Without it, that
    on which it listens; it must be set where the host stands for every address (`0.0.0.0`)."""
    content: Annotated[Path, Allowed("the path of a folder")] = Path("content")
    """The folder of the content: the studio's TOML files."""
    content_file_mib: Annotated[
        int,
        Field(ge=1, le=MAX_MEBIBYTES),
        Allowed(f"a whole number from 1 to {MAX_MEBIBYTES}"),
    ] = 1
    """The most that one file of the content may have, in MiB; all together may have 64 MiB."""
    data: Annotated[Path, Allowed("the path of a folder")] = Path("var")
    """The folder in which the service keeps its own files: keys, database and inbox."""
    workers: Annotated[
        int, Field(ge=1, le=MAX_WORKERS), Allowed(f"a whole number from 1 to {MAX_WORKERS}")
    ] = 1
    """The number of server processes."""
    allowed_hosts: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=rf"^(?:{NAME}|\[{IPV6}\])$")], ...],
        BeforeValidator(split_names),
        Allowed("host names without scheme and port, for example studio.example,[2001:db8::1]"),
    ] = ()
    """Further host names to answer, separated by commas. The host of the base URL, the listening
    address and the loopback are always answered; any other `Host` gets a 421."""
    trusted_proxies: Annotated[
        tuple[IPv4Network | IPv6Network, ...],
        BeforeValidator(split_names),
        Allowed("IP addresses or networks, for example 127.0.0.1,10.0.0.0/8"),
    ] = ()
    """The proxies whose `X-Forwarded-For` header is believed, separated by commas. Behind a proxy
    that is not named here all callers share one rate limit."""

    max_connections: Annotated[
        int, Field(ge=1, le=100_000), Allowed("a whole number from 1 to 100000")
    ] = 1_000
    """The number of connections one process holds open; a further one is answered 503."""
    mirror: Annotated[
        Literal["counts", "questions", "off"],
        Allowed("counts, questions (counts, and what was asked) or off"),
    ] = "counts"
    """What `studiograph mirror` shows: how often each thing was asked for (`counts`), the questions
    too, without what could name their sender (`questions`), or nothing, and then nothing is kept
    (`off`)."""
    metrics_port: Annotated[
        int, Field(ge=0, le=65535), Allowed("a whole number from 0 to 65535")
    ] = 0
    """The port of 127.0.0.1 on which metrics are shown; 0 measures nothing."""

    database_url: Annotated[
        str,
        AfterValidator(check_database_url),
        Allowed(
            "sqlite:////absolute/path or postgresql://user:password@host/database; empty for a"
            " file in the data folder"
        ),
        Field(repr=False),
    ] = ""
    """The database of everything that must survive a restart. Without it, the SQLite file
    `studio.db` in the data folder. Several machines share one PostgreSQL."""
    jobs_url: Annotated[
        str,
        AfterValidator(check_database_url),
        Allowed(
            "sqlite:////absolute/path or postgresql://user:password@host/database; empty for"
            " the default"
        ),
        Field(repr=False),
    ] = ""
    """The database of background jobs: webhook deliveries and incoming mails. Without it, the
    PostgreSQL of `STUDIOGRAPH_DATABASE_URL`, or the SQLite file `jobs.db` in the data folder."""
    contact_limit: Annotated[str, StringConstraints(pattern=RATE_PATTERN), RATE_ALLOWED] = "20/hour"
    """Messages that one caller may send; 0 sets no limit."""
    subscribe_limit: Annotated[str, StringConstraints(pattern=RATE_PATTERN), RATE_ALLOWED] = (
        "20/hour"
    )
    """Subscriptions that one caller may request; 0 sets no limit."""
    webhook_schedule: Annotated[
        tuple[Annotated[float, Field(ge=0, le=7 * 86400, allow_inf_nan=False)], ...],
        BeforeValidator(split_names),
        Field(min_length=1, max_length=20),
        Allowed(
            "1 to 20 numbers of seconds, separated by commas, each at most 604800; for example"
            " 0,300,3600: at once, after 5 minutes, and an hour after that"
        ),
    ] = (0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
    """The seconds before each attempt of a webhook delivery, counted from the attempt before it."""

    smtp_url: Annotated[
        SecretStr,
        AfterValidator(check_smtp_url),
        Allowed(RELAY_RULE),
    ] = SecretStr("")
    """The mail server that sends messages to the human. Without it they stay in the folder `inbox`
    of the data folder, and `studiograph inbox` shows them."""
    mail_to: Annotated[str, MAILBOX_CHECK, MAILBOX] = ""
    """The human's mail address. Without it, `contact.email` of the content."""
    notify_url: Annotated[
        SecretStr,
        AfterValidator(check_secret_url),
        Allowed("an http or https address, for example https://ntfy.example/a-long-name"),
    ] = SecretStr("")
    """Where a notice is posted when somebody has written, without a word of the message; nowhere if
    it is empty."""
    mail_from: Annotated[str, MAILBOX_CHECK, MAILBOX] = ""
    """The address of the agents' mailbox, which is also the sender of every mail. Without it,
    `contact.programmaticEmail` of the content."""
    mail_own: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=rf"^(?:[^\s@]{{1,64}}@)?{NAME}$")], ...],
        BeforeValidator(split_names),
        Allowed("addresses or whole domains, for example studio.example,me@other.example"),
    ] = ()
    """Further addresses and domains of the owner, separated by commas. They never get an automatic
    reply."""
    mail_auto_reply: Annotated[
        Literal["authenticated", "trusted", "off"],
        Allowed(
            "authenticated (senders that passed SPF or DKIM), trusted (all senders: the mail server"
            " rejects forged mail) or off"
        ),
    ] = "authenticated"
    """Which senders of mails to the agents' mailbox get an automatic reply."""
    mail_authserv_id: Annotated[
        str,
        StringConstraints(pattern=rf"^{NAME}$"),
        Allowed("the first word of its Authentication-Results, for example mx.studio.example"),
    ] = ""
    """The `authserv-id` that your mail server writes in `Authentication-Results`. Without it no
    sender counts as authenticated."""
    mail_listen: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:lmtp|smtp)://(?:{NAME}|\[{IPV6}\]):[0-9]{{1,5}}$"),
        AfterValidator(check_url),
        Allowed("lmtp://127.0.0.1:8024 or smtp://127.0.0.1:8025"),
    ] = ""
    """The address on which `serve` accepts mails for the agents' mailbox. Without it, none."""

    agent_signatures: Annotated[Literal["off", "verify"], Allowed("off or verify")] = "off"
    """Whether agents are asked to sign what they send to contact and chat (Web Bot Auth). `verify`
    gets their keys over HTTPS from the hosts that they name; nobody must sign."""
    dns_resolver: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:{IPV4}|\[{IPV6}\])(?::[0-9]{{1,5}})?$"),
        AfterValidator(check_resolver),
        Allowed("an IP address, with a port if it is not 53, for example 9.9.9.9 or [::1]:5353"),
    ] = ""
    """The DNS resolver for identity claims. Without it, DNS claims are not looked up."""
    eth_rpc_url: Annotated[
        str,
        StringConstraints(pattern=rf"^https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?{PATH}$"),
        AfterValidator(check_url),
        Allowed("an http or https address without a query, for example https://rpc.example/key"),
    ] = ""
    """The Ethereum JSON-RPC endpoint for ENS claims. Without it, they are not looked up."""

    github_user: Annotated[
        str,
        StringConstraints(pattern=f"^{GITHUB_LOGIN}$"),
        Allowed("a GitHub login, for example octocat"),
    ] = ""
    """The GitHub account to show. Without it, GitHub is not contacted."""
    github_token: Annotated[
        SecretStr, AfterValidator(check_token), Allowed("a GitHub access token")
    ] = SecretStr("")
    """A GitHub token, which raises GitHub's rate limit; it needs no permissions."""
    github_api_url: Annotated[
        str,
        StringConstraints(pattern=rf"^https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?{PATH}$"),
        AfterValidator(check_url),
        Allowed("an http or https address without a query, for example https://api.github.com"),
    ] = "https://api.github.com"
    """The address of GitHub's REST API."""
    github_reading_topic: Annotated[
        str,
        StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,49}$"),
        Allowed("a GitHub topic, for example reading-list"),
    ] = "reading-list"
    """The topic of the starred repositories that form the reading list."""

    @property
    def public_url(self) -> str:
        """The base URL without a slash at its end."""
        # Port 0 is any free one, which is known only when the server listens.
        port = f":{self.port}" if self.port else ""
        return self.base_url.rstrip("/") or f"http://{literal(self.host)}{port}"

    @property
    def reading(self) -> ReadingOptions:
        """How the content is read."""
        return {"base_url": self.public_url, "max_file_bytes": self.content_file_mib * MEBIBYTE}

    @property
    def hosts(self) -> frozenset[str]:
        """Every Host name that is answered."""
        own = urlsplit(self.public_url).hostname or ""
        return LOCAL_HOSTS.union({literal(own), literal(self.host), *self.allowed_hosts})


_IN_PROCESS = "vectors are compared in this process, without a store. Fix: delete the setting."
REMOVED = {
    "VECTOR_STORE": _IN_PROCESS,
    "CHROMA_URL": _IN_PROCESS,
    "CHROMA_TOKEN": _IN_PROCESS,
    "RATELIMIT_URL": "calls are counted in the state database, which all processes share. Fix:"
    " delete the setting.",
    "JOBS_ROLE": "every process runs background jobs. Fix: delete the setting.",
}
"""Settings of earlier versions, and what to do."""


def literal(host: str) -> str:
    """Write a host as it stands in an address. Source: RFC 3986 section 3.2.2."""
    return f"[{host}]" if ":" in host else host


def read_settings(environment: Mapping[str, str], env_file: Path | None = None) -> Settings:
    """Read the settings: the environment before the file, empty as unset. Raises: SettingsError."""
    all_variables = {**_from_file(env_file), **environment}
    ours = {name: value for name, value in all_variables.items() if name.startswith(PREFIX)}
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    faults = [_unknown(name, known) for name in ours if name not in known]
    values = {name: value for name, value in ours.items() if name in known and value.strip()}
    try:
        settings = Settings.model_validate(
            {name.removeprefix(PREFIX).lower(): value for name, value in values.items()}
        )
    except ValidationError as error:
        wrong = {str(detail["loc"][0]): detail.get("ctx", {}) for detail in error.errors()}
        faults += [f"{PREFIX}{name.upper()}: {_rule(name, wrong[name])}" for name in wrong]
        raise SettingsError("\n".join(faults)) from None
    if settings.host in EVERY_ADDRESS and not settings.base_url:
        faults.append(
            f"{PREFIX}BASE_URL: must be set where {PREFIX}HOST is {settings.host}, since nobody can"
            " ask for that address; for example https://studio.example"
        )
    if faults:
        raise SettingsError("\n".join(faults))
    return settings


def settings_here() -> Settings:
    """Read the settings from the environment and the working directory. Raises: SettingsError."""
    return read_settings(os.environ, Path(".env"))


def state_folder() -> Path:
    """Return the user's own folder of state. Source: XDG Base Directory Specification 0.8."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".local" / "state") / "studiograph"


def database_of(settings: Settings) -> Database:
    """Return the configured state database, or the file in the data folder."""
    file = (settings.data / "studio.db").absolute()
    return Database(settings.database_url or f"sqlite:///{file}")


def _from_file(env_file: Path | None) -> dict[str, str]:
    if env_file is None or not env_file.is_file():
        return {}
    try:
        return {name: value or "" for name, value in dotenv_values(env_file).items()}
    except UnicodeDecodeError:
        raise SettingsError(f"{env_file}: must be text in UTF-8") from None


def _rule(name: str, context: Mapping[str, Any]) -> str:
    """Return the rule that a setting breaks: that of its port, or else of the whole value."""
    if isinstance(error := context.get("error"), PortError):
        return str(error)
    marks = Settings.model_fields[name].metadata
    return f"must be {next(mark.text for mark in marks if isinstance(mark, Allowed))}"


def _unknown(name: str, known: list[str]) -> str:
    short_names = [word.removeprefix(PREFIX) for word in known]
    short = name.removeprefix(PREFIX)
    if short in REMOVED:
        return f"{name}: removed in 0.3.0: {REMOVED[short]}"
    close = difflib.get_close_matches(short, short_names, n=1)
    close = close or [word for word in short_names if word == f"BASE_{short}"]
    if close:
        return f"{name}: there is no such setting; did you mean {PREFIX}{close[0]}?"
    return f"{name}: there is no such setting; remove it, or write one of: {', '.join(known)}"
