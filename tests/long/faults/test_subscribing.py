"""Who proves that a host is theirs is subscribed, nobody else, and nobody else ends it."""

import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from databases import KINDS
from standardwebhooks import Webhook, WebhookVerificationError
from webhook_server import Served, Studio, studio, until
from webhook_sinks import OK, RIGHT, Sink, sink


@dataclass
class Scene:
    """A service and receivers."""

    studio: Studio
    served: Served
    sink: Sink

    def stored(self) -> int:
        """How many subscriptions there are."""
        return int(self.studio.rows("SELECT count(*) FROM subscription")[0][0])


@pytest.fixture(scope="module", params=KINDS)
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """A service on a store of a kind."""
    folder = tmp_path_factory.mktemp(request.param)
    with sink(8) as receivers, studio(request.param, folder, WEBHOOK_SCHEDULE="0,3600") as made:
        receivers.take(4)  # whose hooks are named by the tests themselves
        yield Scene(made, made.start(), receivers)


@pytest.mark.parametrize("manner", RIGHT)
def test_who_echoes_the_challenge_is_subscribed(manner: str, scene: Scene) -> None:
    scene.sink.rule(f"right-{manner}", echo=manner)
    before = scene.stored()
    answer = scene.served.subscribe(scene.sink.url(f"right-{manner}"), kinds=["added"])
    told = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"].endswith(f"/api/subscribe/{told['id']}")
    assert answer.headers["cache-control"] == "no-store"
    assert (told["ok"], told["kinds"]) == (True, ["added"])
    assert told["secret"].startswith("whsec_")
    assert scene.stored() == before + 1
    assert scene.served.unsubscribe(told["id"], told["secret"]).status_code == 200


def test_a_model_ends_over_mcp_what_it_began(scene: Scene) -> None:
    (mine,) = scene.served.follow(scene.sink, ["model"])

    def end(secret: str) -> bool:
        words = {"id": mine.id, "secret": secret}
        params = {"name": "unsubscribe", "arguments": words}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = {"accept": "application/json, text/event-stream"}
        answer = httpx.post(f"{scene.served.address}/mcp", json=call, headers=accept, timeout=20)
        return answer.json()["result"]["isError"] is False

    assert [end("whsec_AAAA"), end(mine.secret), end(mine.secret)] == [False, True, False]
    assert scene.served.unsubscribe(mine.id, mine.secret).status_code == 401


def test_both_signatures_are_checked_by_other_libraries(scene: Scene) -> None:
    scene.sink.rule("signed", answers=[OK])
    (mine,) = scene.served.follow(scene.sink, ["signed"], kinds=["changed"])
    scene.studio.publish(kind="changed")
    until(lambda: scene.sink.ledger("signed"))
    (entry,) = scene.sink.ledger("signed")
    headers = {
        "webhook-id": entry.id,
        "webhook-timestamp": entry.timestamp,
        "webhook-signature": entry.signature,
    }
    flipped = entry.body.replace("Trial", "Trail", 1)
    assert Webhook(mine.secret).verify(entry.body, headers) == json.loads(entry.body)
    with pytest.raises(WebhookVerificationError):
        Webhook(mine.secret).verify(flipped, headers)
    published = httpx.get(f"{scene.served.address}/api/subscribe", timeout=20).text
    assert mine.public_key in published
    key = Ed25519PublicKey.from_public_bytes(b64decode(mine.public_key.removeprefix("whpk_")))
    (signature,) = [s[4:] for s in entry.signature.split() if s.startswith("v1a,")]
    signed = f"{entry.id}.{entry.timestamp}.".encode()
    key.verify(b64decode(signature), signed + entry.body.encode())
    with pytest.raises(InvalidSignature):
        key.verify(b64decode(signature), signed + flipped.encode())
    body = json.loads(entry.body)
    assert (body["type"], body["data"]["kind"]) == ("changelog.changed", "changed")
    assert scene.served.unsubscribe(mine.id, mine.secret).status_code == 200
