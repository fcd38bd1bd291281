"""What a Dockerfile does, done without Docker: each stage is a root folder of its own.

This machine's `/usr` stands in for the base image, with the Python that runs the tests as
`/usr/local`; everything else is as in the image. It needs root, and namespaces of its own.
"""

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PYTHON = Path(sys.base_prefix)
LINKS = ("bin", "sbin", "lib", "lib64")
FOLDERS = ("usr", "dev", "proc", "tmp", "root", "etc")
NOT_PASSED = ("STUDIOGRAPH_", "PYTHON", "VIRTUAL_ENV", "COV", "PIP_FIND_LINKS", "UV_PYTHON")


@dataclass
class Stage:
    """One stage: its root folder, and what later instructions have set."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0:0"
    words: dict[str, str] = field(default_factory=dict)
    """The arguments of the instructions that say how the image is started."""

    def path(self, inside: str) -> Path:
        """Where a path inside stands on this machine."""
        return self.root / str(Path(self.folder) / inside).lstrip("/")


def may_build() -> bool:
    """Whether this process may mount and change roots."""
    command = ["unshare", "--mount", "--net", "chroot", "/", "true"]
    try:
        return os.geteuid() == 0 and subprocess.run(command, check=False).returncode == 0
    except FileNotFoundError:
        return False


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """The instructions in order, each with its arguments on one line."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    found = (line.partition(" ") for line in joined.splitlines() if line.strip())
    return [(word.upper(), rest.strip()) for word, _, rest in found]


def built(dockerfile: str, ignored: str, context: Path, folder: Path) -> Stage:
    """The last stage, after every instruction was done."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    for word, rest in instructions(dockerfile):
        if word == "FROM":
            name = rest.partition(" AS ")[2] or "last"
            stage = stages[name] = Stage(_new_root(folder / name))
        elif word == "ENV":
            stage.environment |= dict(pair.split("=", 1) for pair in rest.split())
        elif word == "WORKDIR":
            stage.folder = rest
            stage.path(".").mkdir(parents=True, exist_ok=True)
        elif word == "USER":
            stage.user = rest
        elif word == "COPY":
            *sources, target = rest.split()
            if sources[0].startswith("--from="):
                origin = stages[sources.pop(0).removeprefix("--from=")]
                _copy(origin.path(sources[0]), stage.path(target), lambda _: False)
            else:
                _copy_context(context, sources, stage, target, ignored)
        elif word == "RUN":
            subprocess.run(in_root(stage, rest), check=True, capture_output=True, text=True)
        else:
            stage.words[word] = rest
    return stage


def in_root(
    stage: Stage,
    command: str,
    *,
    user: str = "0:0",
    mounts: tuple[str, ...] = (),
    settings: dict[str, str] | None = None,
) -> list[str]:
    """The words that run a shell command inside, with its own mounts, which end with it."""
    root = stage.root
    fixed = [
        f"mount --bind {root} {root}",
        f"mount --rbind /usr {root}/usr",
        f"mount --bind {PYTHON} {root}/usr/local",
        f"mount --rbind /dev {root}/dev",
        f"mount --rbind /proc {root}/proc",
        *mounts,
    ]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(NOT_PASSED)}
    path = "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin"
    inside = {"HOME": "/root", "LD_LIBRARY_PATH": "/usr/local/lib", "PATH": path}
    own = stage.environment | (settings or {})
    values = kept | inside | {key: value.replace("$PATH", path) for key, value in own.items()}
    env = ["env", "-i", *(f"{key}={value}" for key, value in values.items())]
    uid, _, gid = user.partition(":")
    limits = ["--clear-groups", "--no-new-privs", "--bounding-set=-all"]
    drop = ["setpriv", f"--reuid={uid}", f"--regid={gid}", *limits] if user != "0:0" else []
    shell = ["/bin/sh", "-c", f"cd {stage.folder} && {command}"]
    words = ["chroot", str(root), *drop, *env, *shell]
    script = " && ".join([*fixed, 'exec "$@"'])
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *words]


def read_only(stage: Stage, content: Path, data: Path) -> tuple[str, ...]:
    """The mounts of a container with a read-only root, its content, and a volume for its data."""
    root = stage.root
    return (
        f"mount --bind {content} {root}/studio/content",
        f"mount -o remount,ro,bind {root}/studio/content",
        f"mount -o remount,ro,bind {root}",
        f"mount -o remount,ro,bind {root}/usr/local",
        f"mount -t tmpfs tmpfs {root}/tmp",  # noqa: S108 - of the container, and new each time
        f"mount --bind {data} {root}/studio/var",
    )


def _new_root(root: Path) -> Path:
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    for name in LINKS:
        (root / name).symlink_to(f"usr/{name}")
    shutil.copytree("/etc", root / "etc", symlinks=True, dirs_exist_ok=True)
    (root / "tmp").chmod(0o1777)
    return root


def _copy_context(
    context: Path, sources: list[str], stage: Stage, target: str, ignored: str
) -> None:
    patterns = [line for line in ignored.splitlines() if line and not line.startswith("#")]

    def is_ignored(path: Path) -> bool:
        return _ignored(str(path.relative_to(context)), patterns)

    for name in sources:
        into = stage.path(target)
        is_file = (context / name).is_file()
        place = into / name if is_file or target.endswith("/") or into.is_file() else into
        _copy(context / name, place, is_ignored)


def _ignored(path: str, patterns: list[str]) -> bool:
    """Whether the last pattern that matches a path or a folder above it leaves it out."""
    parts = path.split("/")
    above = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    result = False
    for pattern in patterns:
        plain = pattern.removeprefix("!").removeprefix("**/")
        names = parts if pattern.startswith("**/") else above
        level = plain.count("/")
        if any(fnmatch.fnmatch(name, plain) and name.count("/") == level for name in names):
            result = not pattern.startswith("!")
    return result


def _copy(source: Path, target: Path, is_ignored: Callable[[Path], bool]) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        return
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if is_ignored(path):
            continue
        if path.is_symlink():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(path.readlink())
        elif path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)


def started(stage: Stage) -> str:
    """The command that the image starts."""
    words = json.loads(stage.words["ENTRYPOINT"]) + json.loads(stage.words["CMD"])
    return " ".join(words)


def health_check(stage: Stage) -> str:
    """The command that says whether it is healthy, quoted for a shell."""
    words = json.loads(stage.words["HEALTHCHECK"].partition(" CMD ")[2])
    return " ".join(f"'{word.replace(chr(39), chr(34))}'" for word in words)
