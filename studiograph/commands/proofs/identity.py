"""`studiograph identity`: print the records to publish for the identity claims."""

import json
from dataclasses import asdict

import click

from content.reading.revision import read_revision
from resolvers.identity.claims import Record, dns_records
from studiograph.cli import json_option, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs

TTL_SECONDS = 3600


@click.command()
@json_option
@pass_settings
def command(settings: Settings, *, as_json: bool) -> int:
    """Print the DNS and ENS records to publish, by which others can verify your keys."""
    site = read_revision(settings.content, **settings.reading).site
    records = dns_records(site, Proofs(settings, site).key_ring)
    if as_json:
        print(json.dumps({"records": [asdict(record) for record in records]}))
    else:
        for record in records:
            print(_zone_line(record))
    return 0


def _zone_line(record: Record) -> str:
    """Return the record as a line of a zone file; an ENS record becomes a comment."""
    if record.where == "DNS":
        return f'{record.name}. {TTL_SECONDS} IN {record.type} "{record.value}"'
    return f"; ENS: {record.name} {record.type} = {record.value}"
