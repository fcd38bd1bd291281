"""`studiograph preview`: the content as agents would read it, on this machine alone.

It has keys, a log and an inbox of its own, in a folder that is removed at its end. So what is shown
is neither signed with the studio's key nor published in its log.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import click
from pydantic import SecretStr

from studiograph.cli import note, pass_settings, quiet_option
from studiograph.commands.serve import serve
from studiograph.settings import Settings

HERE = "127.0.0.1"
_REUSED = ("models", "vectors")
"""Folders of the data folder that say nothing to others, and take long to make."""
_NOWHERE = {
    "database_url": "",
    "jobs_url": "",
    "smtp_url": SecretStr(""),
    "mail_listen": "",
    "metrics_port": 0,
    "workers": 1,
}
"""Settings without which a preview reaches no store, no mail server and no port but its own."""


@click.command(epilog="Example: studiograph preview --port 8001")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; that of the settings else.")
@quiet_option
@pass_settings
def command(settings: Settings, *, port: int | None, quiet: bool) -> int:
    """Serve the content on this machine until Ctrl-C, and show what is saved at once.

    Nothing is published: keys, log and messages are made anew and removed at the end.
    """
    with TemporaryDirectory(prefix="studiograph-preview-") as folder:
        data = Path(folder) / "var"
        share(settings.data, data)
        here = {"host": HERE, "base_url": "", "allowed_hosts": (), "data": data}
        if port is not None:
            here["port"] = port
        if not quiet:
            note("This is a preview: saved changes show at once, and nothing is published.")
        return serve(settings.model_copy(update={**_NOWHERE, **here}), watch=True, quiet=quiet)


def share(data: Path, preview: Path) -> None:
    """Let a preview use the models and vectors of the data folder."""
    preview.mkdir(mode=0o700)
    for name in _REUSED:
        if (data / name).is_dir():
            (preview / name).symlink_to((data / name).absolute())
