"""`studiograph identity`: the records to publish so that the identity claims can be verified."""

import argparse
import json
from dataclasses import asdict

from content.revision import read_revision
from resolvers.proofs.identity import Record, records
from studiograph.proofs import Proofs
from studiograph.settings import Settings

TTL_SECONDS = 3600


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("identity", help="print the DNS and ENS records to publish")
    parser.add_argument("--json", action="store_true", help="print the records as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0. Raises: ContentError, ProofFault."""
    site = read_revision(settings.content).site
    found = records(site, Proofs(settings, site).standing)
    if arguments.json:
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
