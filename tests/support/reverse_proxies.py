"""A real nginx or Caddy with the files of `deploy/`, on a port of the loopback."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from certificates import Authority
from repository import ROOT
from running_server import eventually

PROGRAMS = ("nginx", "caddy")
NAME = "agents.studio.example"
"""The name that stands for the owner's in the files."""
_NGINX = """\
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events {{}}
http {{
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
{site}
}}
"""


def missing(program: str) -> str:
    """Why a program cannot be started, or an empty text."""
    return "" if shutil.which(program) else f"there is no {program}"


def free_port() -> int:
    """A port of the loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


@dataclass(frozen=True)
class Proxy:
    """A proxy of a service: its program, an empty folder, who vouches for it, and its ports."""

    program: str
    folder: Path
    authority: Authority
    upstream: int
    port: int = field(default_factory=free_port)
    wait: str = "75s"
    """The longest time that it waits for the service."""

    @property
    def address(self) -> str:
        """Where it is called."""
        return f"https://localhost:{self.port}"

    @contextmanager
    def started(self) -> Iterator[None]:
        """Run it with the file of `deploy/`, but for names, ports, certificate and wait."""
        self.folder.mkdir()
        words = {"nginx": self._nginx, "caddy": self._caddy}[self.program]()
        environment = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                words, cwd=self.folder, env=environment, stdout=log, stderr=log
            )
            try:
                eventually(lambda: process.poll() is not None or _listens(self.port))
                assert process.poll() is None, (self.folder / "log").read_text()
                yield
            finally:
                process.kill()  # a graceful end would wait for streams that are open
                process.wait(10)

    def _nginx(self) -> list[str]:
        certificate = self._certificate()
        site = self._changed(
            "one-server.nginx.conf",
            {
                "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
                "listen 80;": f"listen 127.0.0.1:{free_port()};",
                f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(certificate),
                f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(certificate),
                NAME: "localhost",
            },
        )
        (self.folder / "nginx.conf").write_text(_NGINX.format(site=site))
        return ["nginx", "-p", str(self.folder), "-c", "nginx.conf", "-e", "stderr"]

    def _caddy(self) -> list[str]:
        certificate = self._certificate()
        own = f"localhost:{self.port} {{\n\tbind 127.0.0.1\n\ttls {certificate} {certificate}\n"
        site = self._changed("Caddyfile", {f"{NAME} {{\n": own})
        text = f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}"
        (self.folder / "Caddyfile").write_text(text)
        return ["caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"]

    def _certificate(self) -> Path:
        self.authority.serving("localhost")
        return self.authority.folder / f"{self.authority.name}-localhost.pem"

    def _changed(self, file: str, changes: dict[str, str]) -> str:
        """Return a file of `deploy/` with these changes, each of what is there."""
        text = (ROOT / "deploy" / file).read_text(encoding="utf-8")
        changes |= {"127.0.0.1:8000": f"127.0.0.1:{self.upstream}", "75s": self.wait}
        for old, new in changes.items():
            assert old in text, (file, old)
            text = text.replace(old, new)
        return text


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
