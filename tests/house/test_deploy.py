"""What the files for deployment name is there, and what they promise of the image is so."""

import configparser
import re
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # it brings no types
from repository import ROOT

from studiograph.__main__ import main
from studiograph.settings import PREFIX, Settings, read_settings

DEPLOY = ROOT / "deploy"
COMPOSE = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
SERVICES: dict[str, Any] = yaml.safe_load(COMPOSE)["services"]
OURS = {name: each for name, each in SERVICES.items() if each["image"] == "studiograph"}
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
PROXY = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
GROWING = (ROOT / "docs" / "growing.md").read_text(encoding="utf-8")
PAGES = (DEPLOY / "github-pages.yml").read_text(encoding="utf-8")
ONE = (DEPLOY / "one-studio.compose.yaml").read_text(encoding="utf-8")
UNIT = (DEPLOY / "studiograph.service").read_text(encoding="utf-8")
PAPERS = {
    "compose": COMPOSE,
    "image": DOCKERFILE,
    "proxy": PROXY,
    "growing": GROWING,
    "unit": UNIT,
    "pages": PAGES,
    "one": ONE,
    "deploy": (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_setting_that_is_named_is_there(paper: str) -> None:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(rf"{PREFIX}[A-Z]\w*", PAPERS[paper])) <= known


@pytest.mark.parametrize("name", OURS)
def test_the_settings_of_a_process_can_be_used(name: str) -> None:
    filled = {
        key: re.sub(r"\$\{\w+:[-?]([^}]*)\}", lambda found: found[1].replace(" ", ""), value)
        for key, value in OURS[name]["environment"].items()
    }
    settings = read_settings(filled)
    assert settings.database_url.startswith("postgresql://")


def test_two_processes_have_the_same_keys() -> None:
    assert sorted(OURS) == ["web-1", "web-2"]
    assert len({str(each["volumes"]) for each in OURS.values()}) == 1  # the same keys


def test_a_process_of_ours_can_change_nothing_but_its_data() -> None:
    for each in OURS.values():
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
        assert each["security_opt"] == ["no-new-privileges:true"]
        mounts = [mount.split(":")[1:] for mount in each["volumes"]]
        assert mounts == [["/studio/content", "ro"], ["/studio/var"]]
        assert "ports" not in each


def test_one_container_has_the_content_a_volume_and_ten_lines() -> None:
    assert len([line for line in ONE.splitlines() if line and not line.startswith("#")]) == 10
    (studio,) = yaml.safe_load(ONE)["services"].values()
    assert studio["image"] == "studiograph"
    assert studio["read_only"] is True
    assert [port.partition(":")[0] for port in studio["ports"]] == ["127.0.0.1"]
    assert [mount.split(":")[1:] for mount in studio["volumes"]] == [
        ["/studio/content", "ro"],
        ["/studio/var"],
    ]
    assert read_settings(studio["environment"]).base_url


def test_the_workflow_pins_its_actions_and_shows_the_keys_to_one_step() -> None:
    (job,) = yaml.safe_load(PAGES)["jobs"].values()
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [each for each in used if not re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", each)] == []
    shown = [step["name"] for step in job["steps"] if "secrets." in str(step)]
    assert shown == ["Export"]
    assert yaml.safe_load(PAGES)["permissions"] == {}
    (upload,) = (s["with"] for s in job["steps"] if "upload-pages" in s.get("uses", ""))
    assert upload["include-hidden-files"] is True  # or /.well-known would be missing


def test_the_proxy_that_is_trusted_is_the_one_that_stands_there() -> None:
    address = SERVICES["proxy"]["networks"]["front"]["ipv4_address"]
    for each in OURS.values():
        assert each["environment"][f"{PREFIX}TRUSTED_PROXIES"] == address


def test_the_store_is_reached_by_nobody_else() -> None:
    assert yaml.safe_load(COMPOSE)["networks"]["stores"] == {"internal": True}
    assert SERVICES["postgres"]["networks"] == ["stores"]
    assert "ports" not in SERVICES["postgres"]


def test_the_proxy_leads_to_every_process_that_answers() -> None:
    assert re.findall(r"server (web-\d):8000", PROXY) == ["web-1", "web-2"]
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in PROXY
    assert "proxy_buffering off;" in PROXY


def test_no_secret_stands_in_a_file() -> None:
    for text in PAPERS.values():
        said = re.findall(r"(?m)^ *\w*(?:PASSWORD|TOKEN|SECRET|KEY)\w*[:=] *(\S+)", text)
        said += re.findall(r"://\w+:([^@\s]+)@", text)
        assert [each for each in said if not each.startswith(("${", "lettersAndDigits"))] == []


def test_the_image_copies_files_that_are_there() -> None:
    copied = re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", DOCKERFILE)
    names = [name for each in copied for name in each.split()]
    assert [name for name in names if not (ROOT / name).exists()] == []
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    kept = re.findall(r"(?m)^!([^/\n]+)", ignored)
    assert set(names) == set(kept)


def test_the_image_is_installed_by_hashes_and_is_nobody() -> None:
    installs = re.findall(r"pip (?:install|sync) (?:[^&\n]|\\\n)+", DOCKERFILE)
    assert len(installs) == 3
    assert [
        each for each in installs if "--require-hashes" not in each and "*.whl" not in each
    ] == []
    assert "--build-constraints requirements/dev.txt --require-hashes" in DOCKERFILE
    assert re.findall(r"(?m)^USER (.+)$", DOCKERFILE) == ["10001:10001"]
    assert "/readyz" in DOCKERFILE


def test_every_file_that_is_mounted_or_built_from_is_there() -> None:
    mounts = [m for each in SERVICES.values() for m in each.get("volumes", []) if m.startswith(".")]
    named = [DEPLOY / mount.partition(":")[0] for mount in mounts]
    assert len(named) == 3
    built = [ROOT / each["build"]["dockerfile"] for each in OURS.values()]
    assert [path for path in (*named, *built) if not path.exists()] == []


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"studiograph ([a-z]+ [a-z]+)", GROWING)))
)
def test_every_command_that_is_named_is_there(command: str) -> None:
    assert main([*command.split(), "--help"]) == 0


def test_the_unit_starts_the_service_and_lets_it_write_to_its_state_alone() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign] # keys keep their case
    unit.read_string(UNIT)
    service = unit["Service"]
    program, command = service["ExecStart"].split()
    assert (program, main([command, "--help"])) == ("/opt/studiograph/bin/studiograph", 0)
    assert service["ExecReload"].endswith("-HUP $MAINPID")
    assert (service["ProtectSystem"], service["NoNewPrivileges"]) == ("strict", "yes")
    assert f"{PREFIX}DATA=/var/lib/{service['StateDirectory']}" in service["Environment"]
    assert service["CapabilityBoundingSet"] == ""


def test_no_start_compiles_what_the_installation_could_have_compiled() -> None:
    _, build, run = DOCKERFILE.split("\nFROM ")
    assert "PYTHONDONTWRITEBYTECODE=1" in run
    assert "UV_COMPILE_BYTECODE=1" in build
    assert "ProtectSystem=strict" in UNIT  # so nothing is written below /opt
    installs = re.findall(r"uv pip .*--python /opt/studiograph.*", PAPERS["deploy"])
    assert installs
    assert all("--compile-bytecode" in line for line in installs)
