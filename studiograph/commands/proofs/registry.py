"""`studiograph registry`: what the MCP registry asks for, to list this service."""

import json
from urllib.parse import urlsplit

import click

from mcp_bridge.listing import Registry
from mcp_bridge.registry_entry import registry_entry
from mcp_bridge.tools.all_tools import ToolOptions
from studiograph.application import make_application
from studiograph.cli import failed, note, pass_settings
from studiograph.settings import Settings
from studiograph.wiring.mcp_registry import PATH, key_file, make_key, proof_record


@click.command()
@click.option(
    "--make-key", "make", is_flag=True, help="Make the key of the proof if there is none."
)
@pass_settings
def command(settings: Settings, *, make: bool) -> int:
    """Print server.json for the MCP registry, and the line that proves whose domain this is."""
    file = key_file(settings)
    try:
        if make and make_key(settings):
            note(f"The key is in {file}. Restart the server, which then serves {PATH}.")
    except OSError as error:
        return failed(f"{file}: {error.strerror}. Fix: make its folder writable.")
    record = proof_record(settings)
    app = make_application(settings, preview=True)
    entry = registry_entry(app.current(), Registry(app.operations, ToolOptions()))
    print(json.dumps(entry, indent=2, ensure_ascii=False), flush=True)
    note(f"{PATH}: {record}" if record else f"{PATH}: no key yet. Fix: call this with --make-key.")
    host = urlsplit(settings.public_url)
    if host.scheme != "https":
        note(f"The registry lists public https addresses alone, and this is {settings.public_url}.")
    elif record:
        command = f'mcp-publisher login http --domain {host.hostname} --private-key "$(cat {file})"'
        note(f"To publish: {command}, then mcp-publisher publish")
    return 0
