"""Settings come from the environment and `.env`; what is wrong with them is told together."""

from ipaddress import ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offenders import offenders
from pydantic import SecretStr

from sdl.types.declare import attribute_docs
from studiograph.settings import (
    PREFIX,
    Allowed,
    Settings,
    SettingsError,
    read_settings,
    state_folder,
)
from studiograph.wiring.services import make_runtime

NAMES = tuple(Settings.model_fields)
FREE = ("content", "data", "ai_embed_query_prefix", "ai_embed_doc_prefix")
"""What may be any text."""
PORT_RULE = "STUDIOGRAPH_PORT: must be a whole number from 0 to 65535"
URL_RULE = (
    "STUDIOGRAPH_BASE_URL: must be an http or https address without a path and without blanks,"
    " for example https://studio.example"
)
HOST_RULE = (
    "STUDIOGRAPH_HOST: must be a host name or an IP address without a port,"
    " for example 127.0.0.1 or ::1"
)
HOSTS_RULE = (
    "STUDIOGRAPH_ALLOWED_HOSTS: must be host names without scheme and port,"
    " for example studio.example,[2001:db8::1]"
)
WORKERS_RULE = "STUDIOGRAPH_WORKERS: must be a whole number from 1 to 64"

PROXIES = (ip_network("127.0.0.1/32"), ip_network("2001:db8::/32"))


def read(**values: str) -> Settings:
    """The settings of an environment in which these are given without their prefix."""
    return read_settings({f"{PREFIX}{name}": value for name, value in values.items()})


def refusal(**values: str) -> list[str]:
    """The lines that refuse these settings."""
    with pytest.raises(SettingsError) as caught:
        read(**values)
    return str(caught.value).split("\n")


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    """Where a `.env` file may stand."""
    return tmp_path / ".env"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("HOST", "::1", "::1"),
        ("PORT", "9001", 9001),
        ("CONTENT", "/srv/words", Path("/srv/words")),
        ("ALLOWED_HOSTS", "a.example, [2001:db8::1],,", ("a.example", "[2001:db8::1]")),
        ("DNS_RESOLVER", "[2001:db8::53]:5353", "[2001:db8::53]:5353"),
        ("GITHUB_TOKEN", "ghp_x", SecretStr("ghp_x")),
        ("GITHUB_API_URL", "http://127.0.0.1:9/api", "http://127.0.0.1:9/api"),
        ("TRUSTED_PROXIES", "127.0.0.1, 2001:db8::/32", PROXIES),
        ("DATABASE_URL", "sqlite:////srv/studio.db", "sqlite:////srv/studio.db"),
        ("DATABASE_URL", "postgresql+psycopg://a:b@db/c", "postgresql+psycopg://a:b@db/c"),
        ("JOBS_URL", "postgresql://db/jobs", "postgresql://db/jobs"),
        ("CONTACT_LIMIT", "5/day", "5/day"),
        ("SUBSCRIBE_LIMIT", "0", "0"),
        ("WEBHOOK_SCHEDULE", "0, 0.5,60", (0, 0.5, 60)),
        ("SMTP_URL", "smtps://a:b@mx.example", SecretStr("smtps://a:b@mx.example")),
        ("SMTP_URL", "smtp://127.0.0.1:2525", SecretStr("smtp://127.0.0.1:2525")),
        ("NOTIFY_URL", "https://ntfy.sh/t?auth=x", SecretStr("https://ntfy.sh/t?auth=x")),
        ("MAIL_TO", "ada@studio.example", "ada@studio.example"),
        ("MAIL_OWN", "studio.example,ada@home.example", ("studio.example", "ada@home.example")),
        ("MAIL_LISTEN", "lmtp://[::1]:8024", "lmtp://[::1]:8024"),
        ("AI_EMBED_BASE_URL", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("AI_EMBED_MODEL", "BAAI/bge-base-en-v1.5", "BAAI/bge-base-en-v1.5"),
        ("AI_EMBED_DIMENSIONS", "768", 768),
        ("AI_EMBED_QUERY_PREFIX", "query: ", "query: "),
        ("AI_LLM", "none", "none"),
        ("AI_LLM_TEMPERATURE", "0.2", 0.2),
    ],
)
def test_each_name_is_read(name: str, text: str, value: object) -> None:
    assert getattr(read(**{name: text}), name.lower()) == value


def test_without_a_word_everything_has_its_default() -> None:
    assert read_settings({}) == Settings()
    assert read_settings({"PATH": "/bin", "PORT": "no"}, Path("no-such-file")) == Settings()


def test_an_empty_setting_is_an_absent_one() -> None:
    def check(name: str, empty: str) -> None:
        assert read(**{name.upper(): empty}) == Settings()

    assert offenders(check, NAMES, ["", " "]) == []


def test_every_setting_is_described_and_says_what_it_can_be() -> None:
    texts = attribute_docs(Settings)

    def check(name: str) -> None:
        field = Settings.model_fields[name]
        assert texts[name].endswith(".")
        assert any(isinstance(mark, Allowed) for mark in field.metadata)

    assert offenders(check, NAMES) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TRUSTED_PROXIES", "proxy.example"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("DATABASE_URL", "sqlite:///relative.db"),
        ("DATABASE_URL", "mysql://secret@db/c"),
        ("CONTACT_LIMIT", "20"),
        ("CONTACT_LIMIT", "20/week"),
        ("CONTACT_LIMIT", "-1/hour"),
        ("SMTP_URL", "smtp://secret:secret@mx.example"),
        ("NOTIFY_URL", "ftp://secret.example/secret"),
        ("NOTIFY_URL", "https://secret.example/secret space"),
        ("MAIL_TO", "secret"),
        ("MAIL_FROM", "a@secret"),
        ("MAIL_OWN", "a b"),
        ("MAIL_AUTO_REPLY", "always"),
        ("MAIL_LISTEN", "127.0.0.1:8024"),
        ("MAIL_LISTEN", "imap://127.0.0.1:8024"),
        ("WEBHOOK_SCHEDULE", "0,-1"),
        ("WEBHOOK_SCHEDULE", "0,soon"),
        ("AI_EMBEDDER", "secret"),
        ("AI_EMBED_BASE_URL", "ftp://secret"),
        ("AI_EMBED_MODEL", "a b"),
        ("AI_EMBED_DIMENSIONS", "512"),
        ("AI_LLM_API_KEY", "sec ret"),
        ("AI_LLM_TIMEOUT_S", "0"),
        ("AI_LLM_TEMPERATURE", "nan"),
    ],
)
def test_a_bad_value_is_told_with_what_is_allowed_and_not_repeated(name: str, text: str) -> None:
    (told,) = refusal(**{name: text})
    assert told.startswith(f"STUDIOGRAPH_{name}: must be ")
    assert "secret" not in told


@pytest.mark.parametrize("text", ["a", "-1", "65536", "80.5", "0x50", "1e3", "80;81"])
def test_a_bad_port_is_told_with_what_is_allowed(text: str) -> None:
    assert refusal(PORT=text) == [PORT_RULE]


@pytest.mark.parametrize("text", ["0", "-1", "65", "two", "1.5"])
def test_a_bad_number_of_workers_is_told_with_what_is_allowed(text: str) -> None:
    assert refusal(WORKERS=text) == [WORKERS_RULE]


@pytest.mark.parametrize(
    "text",
    [
        "studio.example",
        "ftp://studio.example",
        "https://",
        "https://:8000",
        "https://studio..example",
        "https://studio.example:",
        "https://[::1",
        "https://[1:2]",
        "https://::1",
        "https://owner:secret@studio.example",
        "https://studio.example/agents",
        "https://studio.example/?a=b",
        "https://studio.example/#top",
        "https://studio.example/a b",
        "https://studio.example\n",
        "https://stüdio.example",
    ],
)
def test_a_bad_base_url_is_told_with_what_is_allowed(text: str) -> None:
    assert refusal(BASE_URL=text) == [URL_RULE]


@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_a_base_url_of_which_only_the_port_is_wrong_is_told_so(port: int) -> None:
    rule = "STUDIOGRAPH_BASE_URL: its port must be a whole number from 1 to 65535"
    assert refusal(BASE_URL=f"https://studio.example:{port}") == [rule]


@pytest.mark.parametrize(
    "text", ["a b", "http://localhost", "[::1]", "a..b", "x" * 64, "1.1.1.1/8"]
)
def test_a_bad_host_is_told_with_what_is_allowed(text: str) -> None:
    assert refusal(HOST=text) == [HOST_RULE]


@pytest.mark.parametrize("text", ["https://a.example", "a.example:80", "::1", "*", "a b,c d"])
def test_bad_allowed_hosts_are_told_once_with_what_is_allowed(text: str) -> None:
    assert refusal(ALLOWED_HOSTS=text) == [HOSTS_RULE]


def test_all_faults_are_told_together() -> None:
    assert refusal(
        PORT="x", WORKERS="0", BASE_URL="x", HOST="a b", ALLOWED_HOSTS="*", PROT="1"
    ) == [
        "STUDIOGRAPH_PROT: there is no such setting; did you mean STUDIOGRAPH_PORT?",
        HOST_RULE,
        PORT_RULE,
        URL_RULE,
        WORKERS_RULE,
        HOSTS_RULE,
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("PROT", "PORT"), ("BASEURL", "BASE_URL"), ("WORKER", "WORKERS"), ("CONTENTS", "CONTENT")],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(name: str, meant: str) -> None:
    (line,) = refusal(**{name: "1"})
    assert line == f"{PREFIX}{name}: there is no such setting; did you mean {PREFIX}{meant}?"


def test_a_name_that_is_like_none_is_refused_with_all_of_them() -> None:
    (line,) = refusal(XYZZY="1")
    everything = ", ".join(f"{PREFIX}{name.upper()}" for name in NAMES)
    rule = "there is no such setting; remove it, or write one of"
    assert line == f"STUDIOGRAPH_XYZZY: {rule}: {everything}"


@given(
    name=st.sampled_from([*(n.upper() for n in NAMES if n not in FREE), "TOKEN"]),
    secret=st.text(st.characters(codec="utf-8"), max_size=20),
)
def test_no_fault_repeats_what_was_given(name: str, secret: str) -> None:
    assert "s3cr!t" not in "".join(refusal(**{name: f"s3cr!t {secret}"}))


def test_the_file_gives_what_the_environment_does_not(env_file: Path) -> None:
    env_file.write_text("STUDIOGRAPH_PORT=9001\nSTUDIOGRAPH_WORKERS=3\n")
    read_together = read_settings({"STUDIOGRAPH_PORT": "9002"}, env_file)
    assert (read_together.port, read_together.workers) == (9002, 3)


def test_an_empty_word_in_the_environment_takes_the_file_s_away(env_file: Path) -> None:
    env_file.write_text("STUDIOGRAPH_PORT=9001\n")
    assert read_settings({"STUDIOGRAPH_PORT": ""}, env_file).port == Settings().port


def test_the_file_may_hold_comments_quotes_and_other_names(env_file: Path) -> None:
    env_file.write_text(
        "# the studio\n\nexport STUDIOGRAPH_HOST='::1'\nSTUDIOGRAPH_PORT = 9001  # free\n"
        'STUDIOGRAPH_BASE_URL="https://studio.example"\nOTHER=1\nSTUDIOGRAPH_WORKERS=\n'
    )
    assert read_settings({}, env_file) == Settings(
        host="::1", port=9001, base_url="https://studio.example"
    )


def test_the_file_is_held_to_the_same_rules(env_file: Path) -> None:
    env_file.write_text("STUDIOGRAPH_PORT=x\nSTUDIOGRAPH_PROT=1\n")
    with pytest.raises(SettingsError) as caught:
        read_settings({}, env_file)
    assert len(str(caught.value).split("\n")) == 2


def test_a_file_that_is_no_text_is_told(env_file: Path) -> None:
    env_file.write_bytes(b"STUDIOGRAPH_PORT=\xff\n")
    with pytest.raises(SettingsError, match=r"\.env: must be text in UTF-8"):
        read_settings({}, env_file)


@pytest.mark.parametrize(
    ("base_url", "public_url"),
    [
        ("", "http://127.0.0.1:8000"),
        ("https://studio.example", "https://studio.example"),
        ("https://studio.example/", "https://studio.example"),
        ("https://studio.example:8443/", "https://studio.example:8443"),
    ],
)
def test_the_public_url_ends_without_a_slash(base_url: str, public_url: str) -> None:
    assert read(BASE_URL=base_url).public_url == public_url


def test_without_a_base_url_the_public_url_is_where_it_listens() -> None:
    assert read(HOST="::1").public_url == "http://[::1]:8000"
    assert read(HOST="192.0.2.7", PORT="9001").public_url == "http://192.0.2.7:9001"
    assert read(PORT="9001").public_url == "http://127.0.0.1:9001"
    assert read(PORT="0").public_url == "http://127.0.0.1"


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ({}, set[str]()),
        ({"BASE_URL": "https://Studio.Example:8443"}, {"studio.example"}),
        ({"BASE_URL": "https://[2001:DB8::1]:8443"}, {"[2001:db8::1]"}),
        ({"ALLOWED_HOSTS": "a.example,b.example"}, {"a.example", "b.example"}),
        ({"HOST": "192.0.2.7"}, {"192.0.2.7"}),
        ({"HOST": "2001:db8::7"}, {"[2001:db8::7]"}),
    ],
)
def test_the_loopback_the_address_and_the_base_url_are_answered(
    values: dict[str, str], more: set[str]
) -> None:
    assert read(**values).hosts == {"localhost", "127.0.0.1", "[::1]"} | more


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - it is what is refused
def test_every_address_is_none_that_can_be_asked_so_a_base_url_is_needed(host: str) -> None:
    (line,) = refusal(HOST=host)
    assert "STUDIOGRAPH_BASE_URL" in line
    assert f"STUDIOGRAPH_HOST is {host}" in line
    assert len(refusal(HOST=host, PORT="many")) == 1  # the rest is looked at when it is mended
    assert read(HOST=host, BASE_URL="https://studio.example").host == host


def test_the_folder_of_state_is_the_user_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "studiograph"
    for unusable in ("", "not/absolute"):
        monkeypatch.setenv("XDG_STATE_HOME", unusable)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert state_folder() == tmp_path / ".local" / "state" / "studiograph"


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"AI_LLM": "openai-like"}, ["AI_LLM_BASE_URL", "AI_LLM_MODEL"]),
        ({"AI_LLM": "openai-like", "AI_LLM_MODEL": "m"}, ["AI_LLM_BASE_URL"]),
        ({"AI_EMBEDDER": "openai-like"}, ["AI_EMBED_BASE_URL", "AI_EMBED_MODEL"]),
        ({"AI_EMBEDDER": "huggingface"}, ["AI_EMBED_MODEL"]),
    ],
)
def test_what_needs_another_setting_names_it(
    given: dict[str, str], missing: list[str], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as caught:
        make_runtime(read(**given, DATA=str(tmp_path)), "en")
    told = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in told] == [f"{PREFIX}{name}" for name in missing]
