"""The image, built by the instructions of its Dockerfile without Docker, and run as Docker would.

Not shown here: the base image itself, and what only the daemon does (layers, networks, volumes).
"""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from image_steps import Stage, built, health_check, in_root, may_build, read_only, started
from minimal_studio import write_minimal_studio
from repository import ROOT
from running_server import eventually

DEPLOY = ROOT / "deploy"
LOOPBACK = "ip link set lo up"
pytestmark = pytest.mark.skipif(not may_build(), reason="needs root and namespaces of its own")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    try:
        return built(dockerfile, ignored, ROOT, tmp_path_factory.mktemp("image"))
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error.cmd[-1]}\n{error.stdout}\n{error.stderr}")


def test_the_image_has_no_content_no_source_and_no_keys(image: Stage) -> None:
    names = {path.name for path in image.root.rglob("*") if "site-packages" not in path.parts}
    assert not names & {"projects.toml", "run.txt", "pyproject.toml", "keys", ".env"}
    packages = image.root / "opt" / "studiograph" / "lib"
    assert not list(packages.rglob("content/*.toml"))
    assert list(packages.rglob("studiograph/__main__.py"))


def test_it_serves_as_nobody_with_a_root_that_it_cannot_change(
    image: Stage, tmp_path: Path
) -> None:
    content, data = write_minimal_studio(tmp_path / "content"), tmp_path / "data"
    data.mkdir()
    os.chown(data, 10001, 10001)
    (image.root / "studio" / "content").mkdir()
    assert image.user == "10001:10001"
    words = in_root(
        image,
        f"exec {started(image)}",
        user=image.user,
        mounts=(LOOPBACK, *read_only(image, content, data)),
        settings={
            "STUDIOGRAPH_BASE_URL": "https://agents.studio.example",
            "STUDIOGRAPH_AI_EMBEDDER": "hash",
        },
    )
    with subprocess.Popen(["unshare", "--net", *words], stderr=-1, stdout=-1, text=True) as server:

        def inside(command: str) -> "subprocess.CompletedProcess[str]":
            enter = ["nsenter", f"--target={server.pid}", "--mount", "--net", "--root", "--wd"]
            shell = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups", "sh", "-c"]
            env = {**image.environment, "LD_LIBRARY_PATH": "/usr/local/lib"}
            env["PATH"] = env["PATH"].replace("$PATH", "/usr/local/bin:/usr/bin")
            return subprocess.run(
                [*enter, *shell, command], env=env, capture_output=True, text=True, check=False
            )

        try:
            eventually(
                lambda: server.poll() is not None or not inside(health_check(image)).returncode
            )
            assert server.poll() is None, server.communicate()
            status = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
            assert "\nUid:\t10001\t10001\t10001\t10001\n" in status
            assert "\nCapBnd:\t0000000000000000\n" in status
            asked = "r.urlopen('http://127.0.0.1:8000/llms.txt').read()"
            reply = inside(f'python -c "import urllib.request as r; print({asked})"')
            assert "# Saltmarsh" in reply.stdout
            for place in ("/opt/studiograph/x", "/studio/x", "/studio/content/x", "/etc/x", "/x"):
                assert "Read-only file system" in inside(f"touch {place}").stderr, place
            assert inside("cd /tmp; touch x /studio/var/x").returncode == 0
        finally:
            server.send_signal(signal.SIGTERM)
            out, errors = server.communicate(timeout=60)
    assert server.returncode == 0, errors
    assert (data / "keys").is_dir()
    assert "/llms.txt" in out
