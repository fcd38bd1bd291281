"""`studiograph identity`: the records to publish so that the identity claims can be verified."""

import json
from dataclasses import asdict

import click

from content.revision import read_revision
from resolvers.identity.claims import Record, dns_records
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs

TTL_SECONDS = 3600


@click.command()
@json_option
@pass_settings
def command(settings: Settings, *, as_json: bool) -> int:
    """Print the DNS and ENS records to publish, so that others can tell whose key it is."""
    site = read_revision(settings.content).site
    found = dns_records(site, Proofs(settings, site).standing)
    if as_json:
        print(json.dumps({"records": [asdict(record) for record in found]}))
    else:
        for record in found:
            print(_written(record))
    return 0


def _written(record: Record) -> str:
    """A line of a zone file, in which an ENS record is a comment."""
    if record.where == "DNS":
        return f'{record.name}. {TTL_SECONDS} IN {record.type} "{record.value}"'
    return f"; ENS: {record.name} {record.type} = {record.value}"
