"""Connections are begun to checked addresses alone, whatever a name says and when."""

import json
import os
import subprocess
import sys
from ipaddress import ip_address
from typing import Any

from hostile_addresses import ADDRESSES
from name_servers import dns_server
from repository import ROOT, SUPPORT
from webhook_hosts import (
    addresses,
)

HOSTS = {
    f"h{number}.example.org": address
    for number, address in enumerate(
        address for each in ADDRESSES.values() for address in each if "%" not in address
    )
}


def answer(question: Any, by: str) -> Any:
    """The address of a hostile name; every third one has a public address beside it."""
    host = str(question.q.qname).rstrip(".")
    beside = ["1.1.1.1"] if int(host[1:].partition(".")[0]) % 3 == 0 else []
    return addresses([*beside, HOSTS[host]])(question, by)


def test_no_connection_is_begun_to_a_denied_address_even_with_a_proxy_in_the_environment() -> None:
    path = os.pathsep.join(map(str, (SUPPORT, ROOT)))
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    proxies = dict.fromkeys(names, "http://127.0.0.9:1")
    with dns_server(answer) as served:
        done = subprocess.run(
            [sys.executable, str(SUPPORT / "connection_program.py"), served.address, *HOSTS],
            env={**os.environ, **proxies, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert len(HOSTS) > 80
    assert {str(ip_address(address)) for address in HOSTS.values()} > {"169.254.169.254", "::1"}
    assert json.loads(done.stdout) == {
        "came": {"BlockedTargetError": len(HOSTS)},
        "before": [],
        "after": ["127.0.0.1"],
        "status": 200,
    }
