"""Signed envelopes over the real server: each verifies, says what its read says, and is one."""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest
from outside_reader import (
    ENVELOPES,
    KEY_SET,
    SECTIONS,
    SNAPSHOT,
    SNAPSHOTS,
    canonical,
    good,
    named,
    plain,
    raw,
    studio_in,
    verifies,
)
from running_server import Raw, Running, eventually, running

MEMBERS = [
    *("payload", "signature", "publicJwk", "thumbprint", "canonicalizationProfile"),
    *("signedAt", "verificationHint"),
]
READS = {
    "studio.practice": "/api/practice",
    "studio.convictions": "/api/convictions",
    "studio.lookingFor": "/api/looking-for",
    "studio.scheduling": "/api/scheduling",
    "studio.journey": "/api/journey",
    "studio.certifications": "/api/certifications",
    "studio.onChain": "/api/onchain",
    "projects": "/api/projects",
    "domains": "/api/domains",
    "engagement": "/api/engagement",
    "faq": "/api/faq",
    "glossary": "/api/glossary",
}
IDENTITY = [
    *("name", "url", "tagline", "oneLiner", "description", "founded", "ens", "contact", "social"),
    *("languages", "thesis"),
]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return studio_in(tmp_path_factory.mktemp("envelopes"))


@pytest.fixture(scope="module")
def web(content: Path) -> Iterator[Running]:
    with running(content) as started:
        yield started


@pytest.fixture(scope="module")
def http(web: Running) -> Iterator[httpx.Client]:
    headers = {"accept": "*/*", "accept-encoding": "identity"}
    with httpx.Client(base_url=web.address, headers=headers, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def bodies(web: Running) -> dict[str, bytes]:
    """Every envelope as it came over the wire."""
    return {path: web.get(path).body for path in ENVELOPES}


@pytest.fixture(scope="module")
def envelopes(bodies: dict[str, bytes]) -> dict[str, Any]:
    return {path: plain(body) for path, body in bodies.items()}


@pytest.fixture(scope="module")
def jwks(http: httpx.Client) -> Any:
    return http.get(KEY_SET).json()


@pytest.fixture(scope="module")
def manifest(http: httpx.Client) -> Any:
    return http.get("/api/manifest").json()


@pytest.fixture(scope="module")
def elsewhere(
    content: Path, bodies: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What another machine says, which has copies of the files and an address of its own."""
    assert bodies
    copy = studio_in(tmp_path_factory.mktemp("machine"), BASE_URL="https://other.example")
    copytree(content.parent / "var" / "keys", copy.parent / "var" / "keys")
    with running(copy) as started:
        return {path: plain(started.get(path).body) for path in ENVELOPES}


@pytest.mark.parametrize("path", ENVELOPES)
def test_an_envelope_verifies_in_two_libraries_and_with_its_own_key(
    path: str, envelopes: dict[str, Any], jwks: Any
) -> None:
    envelope = envelopes[path]
    assert verifies(envelope, jwks)
    data, signature = canonical(envelope["payload"]), raw(envelope["signature"])
    assert (len(signature), good(raw(envelope["publicJwk"]["x"]), signature, data)) == (64, True)
    assert not good(raw(envelope["publicJwk"]["x"]), signature, data + b" ")


@pytest.mark.parametrize("path", ENVELOPES)
def test_an_envelope_has_the_seven_members_and_only_a_snapshot_has_the_rollup_beside_them(
    path: str, envelopes: dict[str, Any]
) -> None:
    envelope = envelopes[path]
    beside = ["rollupHash"] if path in SNAPSHOTS else []
    assert list(envelope) == [*MEMBERS, *beside]
    assert envelope["canonicalizationProfile"] == "jcs-rfc8785-subset"
    assert all(envelope[name] == envelope["payload"][name] for name in beside)
    assert KEY_SET in envelope["verificationHint"]
    signed_at = datetime.fromisoformat(envelope["signedAt"])
    assert envelope["signedAt"] == signed_at.strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("path", ENVELOPES)
def test_the_key_of_an_envelope_is_the_published_one_and_its_thumbprint_is_rfc_7638_s(
    path: str, envelopes: dict[str, Any], jwks: Any
) -> None:
    jwk = envelopes[path]["publicJwk"]
    fixed = {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA"}
    assert jwk == {**fixed, "x": jwk["x"], "kid": jwk["kid"]} == jwks["keys"][0]
    key = named(jwks, jwk["kid"])
    assert key is not None
    thumbprint = envelopes[path]["thumbprint"]
    assert thumbprint == key.thumbprint()
    digits = urlsafe_b64decode(f"{thumbprint}=").hex()[:8]
    assert re.fullmatch(rf"quillmere-{digits}-20\d\d-(0[1-9]|1[0-2])", jwk["kid"])


def test_the_key_set_has_one_key_none_revoked_and_no_secret(jwks: Any) -> None:
    assert list(jwks) == ["keys", "revoked"]
    assert jwks["revoked"] == []
    assert [set(key) for key in jwks["keys"]] == [{"kty", "crv", "x", "use", "alg", "kid"}]


def test_the_manifest_and_the_payload_of_its_envelope_are_one(
    envelopes: dict[str, Any], manifest: Any
) -> None:
    assert envelopes["/api/manifest.sig"]["payload"] == manifest
    assert canonical(envelopes["/api/manifest.sig"]["payload"]) == canonical(manifest)


def test_the_changelog_s_envelope_holds_the_whole_changelog_and_its_tree_head(
    envelopes: dict[str, Any], http: httpx.Client, manifest: Any
) -> None:
    entries = http.get("/api/changelog").json()
    assert envelopes["/api/changelog.sig"]["payload"] == {
        "entries": entries,
        "rollupHash": manifest["rollupHash"],
        "treeSize": len(entries),
    }


@pytest.mark.parametrize("path", SNAPSHOTS)
def test_a_snapshot_names_its_section_and_what_it_is_bound_to(
    path: str, envelopes: dict[str, Any], manifest: Any
) -> None:
    payload = envelopes[path]["payload"]
    assert payload == {
        "section": SNAPSHOTS[path],
        "data": payload["data"],
        "revision": manifest["revision"],
        "rollupHash": manifest["rollupHash"],
        "treeSize": len(manifest["changelog"]),
    }


@pytest.mark.parametrize(("section", "path"), READS.items())
def test_a_snapshot_s_data_is_the_body_of_the_section_s_read(
    section: str, path: str, envelopes: dict[str, Any], http: httpx.Client
) -> None:
    data = envelopes[f"{SNAPSHOT}?section={section}"]["payload"]["data"]
    assert canonical(data) == canonical(http.get(path).json())


def test_the_snapshots_without_a_read_are_the_profile_s_parts(
    envelopes: dict[str, Any], http: httpx.Client
) -> None:
    assert set(SECTIONS) - set(READS) == {
        *("studio.identity", "studio.founder", "studio.currentlyStudying"),
    }
    studio = http.get("/api/about").json()["studio"]
    parts = {
        section: envelopes[f"{SNAPSHOT}?section={section}"]["payload"]["data"]
        for section in set(SECTIONS) - set(READS)
    }
    assert list(parts["studio.identity"]) == IDENTITY
    assert parts["studio.identity"] == {name: studio[name] for name in IDENTITY}
    assert parts["studio.founder"] == studio["founder"]
    assert parts["studio.currentlyStudying"] == studio["currentlyStudying"]


@pytest.mark.parametrize("path", ENVELOPES)
def test_a_machine_with_copies_of_content_and_keys_signs_the_same_bytes(
    path: str, envelopes: dict[str, Any], elsewhere: dict[str, Any]
) -> None:
    here, there = envelopes[path], elsewhere[path]
    assert canonical(there["payload"]) == canonical(here["payload"])
    assert there["signature"] == here["signature"]
    assert there["publicJwk"] == here["publicJwk"]


def test_on_one_data_folder_every_process_says_the_same_bytes_after_every_start(
    content: Path, bodies: dict[str, bytes]
) -> None:
    with running(content, "--workers", "2") as started, ThreadPoolExecutor(4) as pool:
        asked: list[tuple[str, Raw]] = []

        def heard_from_both() -> bool:
            asked.extend(zip(ENVELOPES, pool.map(started.get, ENVELOPES), strict=True))
            processes = signatories(started)
            heard = {(path, processes.get(said.headers["x-request-id"])) for path, said in asked}
            return len({pair for pair in heard if pair[1]}) == 2 * len(ENVELOPES)

        eventually(heard_from_both)
    assert [path for path, said in asked if said.body != bodies[path]] == []
    assert len({(path, said.headers["etag"]) for path, said in asked}) == len(ENVELOPES)


def signatories(started: Running) -> dict[str, str]:
    """The process behind each request: each has a pseudonym of its own for one address."""
    lines = [json.loads(line) for line in list(started.output)]
    return {line["request_id"]: line["address"] for line in lines}
