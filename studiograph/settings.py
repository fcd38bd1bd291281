"""The settings, read once from `STUDIOGRAPH_*` variables and a `.env` file."""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict
from urllib.parse import urlsplit

from dotenv import dotenv_values
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
from pydantic.fields import FieldInfo

from content.reading.sizes import MAX_MEBIBYTES, MEBIBYTE
from resolvers.contact.transport import URL_RULE as RELAY_RULE
from resolvers.contact.transport import SmtpUrl
from resolvers.db.database import Database
from sdl.errors import StudiographError
from sdl.types.scalar_types import Email

PREFIX = "STUDIOGRAPH_"
MAX_WORKERS = 64
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
GITHUB_LOGIN = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - the two that stand for every address
NAME = r"[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*"
IPV6 = r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*"
IPV4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
_ORIGIN = rf"https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?"
_PATH = r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*"


class SettingsError(StudiographError):
    """The settings cannot be used; the text names each one, what is wrong and what is allowed."""


class PortError(ValueError):
    """The port of an address is no port; the text says what one is, and has no part of it."""

    def __init__(self) -> None:
        super().__init__("its port must be a whole number from 1 to 65535")


class ReadingOptions(TypedDict):
    """What of the settings the reader of the content takes."""

    base_url: str
    max_file_bytes: int


@dataclass(frozen=True)
class Allowed:
    """The allowed values in words; an error shows only this, since the value may be a secret."""

    text: str


def _split_names(value: Any) -> Any:
    """Split a list with commas."""
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return value


def _check_url(url: str) -> str:
    """Return the URL if it is valid. Raises: ValueError."""
    parts = urlsplit(url)  # refuses what stands in brackets and is no IPv6 address
    try:
        port = parts.port
    except ValueError:  # it is over 65535
        port = 0
    if port == 0:
        raise PortError
    return url


def _check_host(host: str) -> str:
    """Return the host if what has colons is an IPv6 address. Raises: ValueError."""
    if ":" in host:
        ip_address(host)
    return host


def _check_resolver(text: str) -> str:
    """Return the IP address, with or without a port, if it is valid. Raises: ValueError."""
    parts = urlsplit(f"//{text}")
    ip_address(parts.hostname or "")
    if parts.port == 0:
        raise ValueError
    return text


def _check_database_url(url: str) -> str:
    """Return the URL if it names a SQLite file or PostgreSQL. Raises: ValueError."""
    parts = urlsplit(url)
    kind = parts.scheme.partition("+")[0]
    if kind == "sqlite" and parts.path.startswith("//") and not parts.netloc:
        return url
    if kind != "postgresql" or not parts.hostname or parts.port == 0:
        raise ValueError
    return url


def _inside(check: Callable[[str], object]) -> AfterValidator:
    """Return a validator that lets `check` read a secret; it raises `ValueError`."""

    def checked(secret: SecretStr) -> SecretStr:
        check(secret.get_secret_value())
        return secret

    return AfterValidator(checked)


def _matching(pattern: str) -> Callable[[str], object]:
    """Return a check that raises `ValueError` for what the pattern is not all of."""

    def check(text: str) -> None:
        if not re.fullmatch(pattern, text):
            raise ValueError

    return check


def _web(example: str) -> tuple[StringConstraints, AfterValidator, Allowed]:
    """Return the rule of an address that may have a path."""
    rule = f"an http or https address without a query, for example {example}"
    pattern = StringConstraints(pattern=rf"^{_ORIGIN}{_PATH}$")
    return pattern, AfterValidator(_check_url), Allowed(rule)


def _whole(least: int, most: int) -> tuple[FieldInfo, Allowed]:
    """Return the rule of a whole number."""
    return Field(ge=least, le=most), Allowed(f"a whole number from {least} to {most}")


def _database(default: str) -> tuple[AfterValidator, Allowed, FieldInfo]:
    """Return the rule of a database's address, which is not shown; it may have a password."""
    addresses = "sqlite:////absolute/path or postgresql://user:password@host/database"
    allowed = Allowed(f"{addresses}; empty for {default}")
    return AfterValidator(_check_database_url), allowed, Field(repr=False)


Rate = Annotated[
    str,
    StringConstraints(pattern=r"^(?:0|[1-9][0-9]{0,5}/(?:second|minute|hour|day))$"),
    Allowed("a number and second, minute, hour or day, for example 20/hour; or 0"),
]
Mailbox = Annotated[
    str,
    AfterValidator(Email.check),
    Allowed("an e-mail address, for example agents@studio.example"),
]
ModelAddress = Annotated[str, *_web("http://127.0.0.1:11434/v1")]
ModelName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,199}$"),
    Allowed("a model's name of at most 200 letters, digits and . _ : / + -"),
]
_TOKEN = _inside(_matching(r"[A-Za-z0-9._-]{1,255}"))
ModelKey = Annotated[SecretStr, _TOKEN, Allowed("a key of letters, digits, . _ and -")]
TextPrefix = Annotated[
    str,
    StringConstraints(max_length=200, strip_whitespace=False),
    Allowed("a text of at most 200 characters"),
]


class Settings(BaseModel):
    """Every setting. The description of each field is its text in docs/settings.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:{NAME}|{IPV6})$", max_length=253),
        AfterValidator(_check_host),
        Allowed("a host name or an IP address without a port, for example 127.0.0.1 or ::1"),
    ] = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, *_whole(0, 65535)] = 8000
    """The port to listen on; 0 picks a free one."""
    base_url: Annotated[
        str,
        StringConstraints(pattern=rf"^{_ORIGIN}/?$"),
        AfterValidator(_check_url),
        Allowed(
            "an http or https address without a path and without blanks, for example https://studio.example"
        ),
    ] = ""
    """The public address of the service, with which every absolute URL begins. Without it, that
    on which it listens; it must be set where the host stands for every address (`0.0.0.0`)."""
    content: Annotated[Path, Allowed("the path of a folder")] = Path("content")
    """The folder of the content: the studio's TOML files."""
    content_file_mib: Annotated[int, *_whole(1, MAX_MEBIBYTES)] = 1
    """The most that one file of the content may have, in MiB."""
    data: Annotated[Path, Allowed("the path of a folder")] = Path("var")
    """The folder in which the service keeps its own files: keys, database and inbox."""
    workers: Annotated[int, *_whole(1, MAX_WORKERS)] = 1
    """The number of server processes."""
    allowed_hosts: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=rf"^(?:{NAME}|\[{IPV6}\])$")], ...],
        BeforeValidator(_split_names),
        Allowed("host names without scheme and port, for example studio.example,[2001:db8::1]"),
    ] = ()
    """Further host names to answer, separated by commas. The host of the base URL, the listening
    address and the loopback are always answered; any other `Host` gets a 421."""
    trusted_proxies: Annotated[
        tuple[IPv4Network | IPv6Network, ...],
        BeforeValidator(_split_names),
        Allowed("IP addresses or networks, for example 127.0.0.1,10.0.0.0/8"),
    ] = ()
    """The proxies whose `X-Forwarded-For` header is believed, separated by commas. Behind a proxy
    that is not named here all callers share one rate limit."""

    max_connections: Annotated[int, *_whole(1, 100_000)] = 1_000
    """The number of connections one process holds open; a further one is answered 503."""
    mirror: Annotated[
        Literal["counts", "questions", "off"],
        Allowed("counts, questions (counts, and what was asked) or off"),
    ] = "counts"
    """What `studiograph mirror` shows: how often each thing was asked for (`counts`), the questions
    too, without what could name their sender (`questions`), or nothing, and then nothing is kept
    (`off`)."""
    metrics_port: Annotated[int, *_whole(0, 65535)] = 0
    """The port of 127.0.0.1 on which metrics are shown; 0 measures nothing."""

    database_url: Annotated[str, *_database("a file in the data folder")] = ""
    """The database of everything that must survive a restart. Without it, the SQLite file
    `studio.db` in the data folder. Several machines share one PostgreSQL."""
    jobs_url: Annotated[str, *_database("the default")] = ""
    """The database of background jobs: webhook deliveries and incoming mails. Without it, the
    PostgreSQL of `STUDIOGRAPH_DATABASE_URL`, or the SQLite file `jobs.db` in the data folder."""
    contact_limit: Rate = "20/hour"
    """Messages that one caller may send; 0 sets no limit."""
    subscribe_limit: Rate = "20/hour"
    """Subscriptions that one caller may request; 0 sets no limit."""
    webhook_schedule: Annotated[
        tuple[Annotated[float, Field(ge=0, le=7 * 86400, allow_inf_nan=False)], ...],
        BeforeValidator(_split_names),
        Field(min_length=1, max_length=20),
        Allowed(
            "1 to 20 numbers of seconds, separated by commas, each at most 604800; for example"
            " 0,300,3600: at once, after 5 minutes, and an hour after that"
        ),
    ] = (0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
    """The seconds before each attempt of a webhook delivery, counted from the attempt before it."""

    smtp_url: Annotated[
        SecretStr,
        _inside(SmtpUrl.parse),
        Allowed(RELAY_RULE),
    ] = SecretStr("")
    """The mail server that sends messages to the human. Without it they stay in the folder `inbox`
    of the data folder, and `studiograph inbox` shows them."""
    mail_to: Mailbox = ""
    """The human's mail address. Without it, `contact.email` of the content."""
    notify_url: Annotated[
        SecretStr,
        _inside(_check_url),
        _inside(_matching(rf"{_ORIGIN}{_PATH}(?:\?[!-~]*)?")),
        Allowed("an http or https address, for example https://ntfy.example/a-long-name"),
    ] = SecretStr("")
    """Where a notice is posted when somebody has written, without a word of the message; nowhere if
    it is empty."""
    mail_from: Mailbox = ""
    """The address of the agents' mailbox, which is also the sender of every mail. Without it,
    `contact.programmaticEmail` of the content."""
    mail_own: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=rf"^(?:[^\s@]{{1,64}}@)?{NAME}$")], ...],
        BeforeValidator(_split_names),
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
        AfterValidator(_check_url),
        Allowed("lmtp://127.0.0.1:8024 or smtp://127.0.0.1:8025"),
    ] = ""
    """The address on which `serve` accepts mails for the agents' mailbox. Without it, none."""

    agent_signatures: Annotated[Literal["off", "verify"], Allowed("off or verify")] = "off"
    """Whether agents are asked to sign what they send to contact and chat (Web Bot Auth). `verify`
    gets their keys over HTTPS from the hosts that they name; nobody must sign."""
    dns_resolver: Annotated[
        str,
        StringConstraints(pattern=rf"^(?:{IPV4}|\[{IPV6}\])(?::[0-9]{{1,5}})?$"),
        AfterValidator(_check_resolver),
        Allowed("an IP address, with a port if it is not 53, for example 9.9.9.9 or [::1]:5353"),
    ] = ""
    """The DNS resolver for identity claims. Without it, DNS claims are not looked up."""
    eth_rpc_url: Annotated[str, *_web("https://rpc.example/key")] = ""
    """The Ethereum JSON-RPC endpoint for ENS claims. Without it, they are not looked up."""

    github_user: Annotated[
        str,
        StringConstraints(pattern=f"^{GITHUB_LOGIN}$"),
        Allowed("a GitHub login, for example octocat"),
    ] = ""
    """The GitHub account to show. Without it, GitHub is not contacted."""
    github_token: Annotated[SecretStr, _TOKEN, Allowed("a GitHub access token")] = SecretStr("")
    """A GitHub token, which raises GitHub's rate limit; it needs no permissions."""
    github_api_url: Annotated[str, *_web("https://api.github.com")] = "https://api.github.com"
    """The address of GitHub's REST API."""
    github_reading_topic: Annotated[
        str,
        StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,49}$"),
        Allowed("a GitHub topic, for example reading-list"),
    ] = "reading-list"
    """The topic of the starred repositories that form the reading list."""

    chat_limit: Rate = "30/hour"
    """Questions that one caller may ask in chat; 0 sets no limit."""
    embed_limit: Rate = "60/minute"
    """Calls to the embeddings endpoint that one caller may make; each 2,000 characters of texts
    count as one. 0 sets no limit."""

    ai_embedder: Annotated[
        Literal["auto", "minilm", "multilingual", "hash", "openai-like", "huggingface"],
        Allowed(
            "auto (minilm if its weights are there, else hash; multilingual for content in another"
            " language than English, if it is installed), minilm, multilingual, hash, openai-like"
            " or huggingface"
        ),
    ] = "auto"
    """The embedding model."""
    ai_embed_base_url: ModelAddress = ""
    """The base URL of an OpenAI-compatible embedding API."""
    ai_embed_api_key: ModelKey = SecretStr("")
    """The API key of the embedding service, if it needs one."""
    ai_embed_model: ModelName = ""
    """The model of the embedding service, or the name or folder of a HuggingFace model."""
    ai_embed_dimensions: Annotated[
        int, Field(ge=0, le=768, multiple_of=768), Allowed("768, or 0 to ask for no number")
    ] = 0
    """The vector length to request from the embedding service: vectors must have 768 numbers."""
    ai_embed_query_prefix: TextPrefix = ""
    """The prefix that the embedding model expects before a question."""
    ai_embed_doc_prefix: TextPrefix = ""
    """The prefix that the embedding model expects before a document."""

    ai_llm: Annotated[
        Literal["extractive", "openai-like", "none"],
        Allowed("extractive (quotes, without a model), openai-like or none (chat answers 503)"),
    ] = "extractive"
    """How chat answers questions."""
    ai_llm_base_url: ModelAddress = ""
    """The base URL of an OpenAI-compatible chat API."""
    ai_llm_api_key: ModelKey = SecretStr("")
    """The API key of the language model, if it needs one."""
    ai_llm_model: ModelName = ""
    """The name of the language model."""
    ai_llm_timeout_s: Annotated[int, *_whole(1, 300)] = 20
    """Seconds until the first word of an answer; a whole one may take 60 more. A small model on two
    cores needs more than 20 for its first word."""
    ai_llm_max_tokens: Annotated[int, *_whole(16, 8192)] = 600
    """The greatest length of an answer, in tokens."""
    ai_llm_temperature: Annotated[
        float, Field(ge=0, le=2, allow_inf_nan=False), Allowed("a number from 0 to 2")
    ] = 0
    """The sampling temperature."""
    ai_llm_fallback: Annotated[
        Literal["error", "extractive"],
        Allowed("error (chat answers 503) or extractive (quotes instead)"),
    ] = "extractive"
    """What chat does while the language model is not available, or is too slow."""

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
    "AI_LLM_CONCURRENCY": "8 answers are generated at the same time. Fix: delete the setting.",
    "AI_MODEL_URL": "nothing downloads the model. Fix: delete the setting, and copy its files to"
    " the folder that `studiograph models list` names.",
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


def jobs_url(settings: Settings) -> str:
    """Return where jobs are stored: in the data folder, or in a shared PostgreSQL."""
    url = settings.jobs_url or settings.database_url
    if settings.jobs_url or url.startswith("postgresql"):
        return Database(url).url
    return f"sqlite:///{(settings.data / 'jobs.db').absolute()}"


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
