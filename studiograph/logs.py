"""Where log lines go: requests to standard output as JSON, everything else to standard error."""

import logging
import sys


def set_up_logs() -> None:
    """Give our loggers their handlers."""
    requests = logging.StreamHandler(sys.stdout)
    requests.setFormatter(logging.Formatter("%(message)s"))
    access = logging.getLogger("studiograph.access")
    access.handlers, access.propagate = [requests], False
    access.setLevel(logging.INFO)
    rest = logging.StreamHandler(sys.stderr)
    rest.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[rest], force=True)
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    for library in ("httpx", "openai"):  # they would log addresses and prompts
        logging.getLogger(library).setLevel(logging.WARNING)
