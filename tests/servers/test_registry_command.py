"""`studiograph registry`: the entry for the MCP registry, and the key that proves the domain."""

import base64
import json
import os
from pathlib import Path

import jsonschema
import pytest
from local_service import asking
from nacl.signing import SigningKey
from repository import VECTORS

from resolvers.signing.keys import ProofError
from studiograph.__main__ import main
from studiograph.asgi import build
from studiograph.settings import Settings
from studiograph.wiring.documents import REGISTRY_PATH

KEY = Path("var", "keys", "mcp-registry.key")
ADDRESS = "https://agents.quillmere.example"


@pytest.fixture(autouse=True)
def owner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory of a studio that callers know by its domain."""
    monkeypatch.chdir(folder.parent)
    for name in [name for name in os.environ if name.startswith("STUDIOGRAPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("STUDIOGRAPH_CONTENT", str(folder))
    monkeypatch.setenv("STUDIOGRAPH_BASE_URL", ADDRESS)


def served(path: str) -> tuple[int, str]:
    """Status and body at a path."""
    answer = asking(build(Settings(content=Path("content"), data=Path("var"))))(path)
    return answer.status_code, answer.text


def test_it_prints_an_entry_that_the_registry_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["registry"]) == 0
    entry = json.loads(capsys.readouterr().out)
    jsonschema.validate(
        entry, json.loads((VECTORS / "mcp-server-2025-12-11.schema.json").read_text())
    )
    assert entry["name"] == "example.quillmere.agents/quillmere"
    assert entry["remotes"] == [{"type": "streamable-http", "url": f"{ADDRESS}/mcp"}]


def test_without_a_key_nothing_is_served_and_the_fix_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["registry"]) == 0
    assert "--make-key" in capsys.readouterr().err
    assert not KEY.exists()
    assert served(REGISTRY_PATH)[0] == 404
    assert REGISTRY_PATH not in json.loads(served("/openapi.json")[1])["paths"]


def test_the_proof_names_the_public_half_of_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["registry", "--make-key"]) == 0
    said = capsys.readouterr().err
    assert KEY.stat().st_mode & 0o777 == 0o600
    seed = bytes.fromhex(KEY.read_text())
    public = base64.b64encode(bytes(SigningKey(seed).verify_key)).decode()
    record = f"v=MCPv1; k=ed25519; p={public}"
    assert record in said
    assert seed.hex() not in said
    assert served(REGISTRY_PATH) == (200, f"{record}\n")
    assert REGISTRY_PATH in json.loads(served("/openapi.json")[1])["paths"]


def test_a_damaged_key_stops_the_start_and_says_the_fix() -> None:
    main(["registry", "--make-key"])
    KEY.write_text("damaged\n")
    with pytest.raises(ProofError, match="--make-key"):
        served(REGISTRY_PATH)
