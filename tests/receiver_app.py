"""The service for receivers on this machine: the one way in to try webhooks.

The product sends webhooks to public hosts over https alone, and has no switch that changes it.
What is started here is the product with another policy handed in: receivers at
`http://127.0.0.1:PORT/...` and `https://127.0.0.1:PORT/...`, the host by its number, are sent to
on any port, each port being a host of its own for every cap. All other URLs are refused, looked
up and checked as ever. Settings come from `STUDIOGRAPH_*` and `.env`, as for the product.

Any command of the product, with its options, from the project's folder or any other one:

    python tests/receiver_app.py serve --workers 4
    python -m tests.receiver_app webhook test http://127.0.0.1:9000/hook

Or the application alone, under a server of your own:

    uvicorn tests.receiver_app:app --factory --workers 4

Useful for trials: `STUDIOGRAPH_WEBHOOK_SCHEDULE=0,1,2` (seconds before each attempt) and
`STUDIOGRAPH_SUBSCRIBE_LIMIT=0` (no limit of subscriptions for one caller).
"""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "support"))  # what tests share has no package

from loopback import Loopback

from rest_bridge.http.middleware import RequestGuard
from studiograph.__main__ import main
from studiograph.asgi import build
from studiograph.settings import Settings, read_settings
from studiograph.wiring.services import public_targets


def policy(settings: Settings) -> Loopback:
    """The policy: receivers on this machine, and for all others the product's own."""
    return Loopback(public_targets(settings))


def app() -> RequestGuard:
    """The application, for a server that calls a factory."""
    settings = read_settings(os.environ, Path(".env"))
    return build(settings, destinations=policy(settings))


if __name__ == "__main__":
    sys.exit(main(destinations=policy))
