"""How the files are written: short, described, and the same on every machine."""

import ast
import re
import subprocess
from pathlib import Path

import pytest
from offenders import offenders
from repository import ROOT

FOLDERS = (
    *("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "surfaces"),
    "studiograph",
)

REGISTRIES = [
    r"py\x70i\.(?:org|python)",
    r"python\x68osted",
    r"npm\x6as\.(?:org|com)",
    r"crates\x2eio",
    r"ana\x63onda\.org",
    r"(?i:arti\x66actory|dev\x70i|sona\x74ype)",
    r"--(?:extra-)?inde\x78-url|--find-l\x69nks|PIP_INDE\x58|UV_INDE\x58",
]
MACHINES = [
    r"(?<![\w.>}\])*-])/(?:home|Users|root|work|private|var/folders|tmp)/\w",
    r"\b[A-Z]:\\{1,2}(?:Users|Documents)",
]


def repository() -> list[Path]:
    """Every file of the repository, those included that are not yet committed."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    paths = [ROOT / name for name in done.stdout.split("\0") if name]
    return sorted({path for path in paths if path.is_file()})


FILES = repository()
SOURCES = [path for path in FILES if path.suffix == ".py"]
PRODUCT = [path for path in SOURCES if path.relative_to(ROOT).parts[0] in FOLDERS]


def named(path: Path) -> str:
    """The file as a test's name shows it."""
    return path.relative_to(ROOT).as_posix()


def found_in(files: list[Path], patterns: list[str]) -> list[str]:
    """Where a pattern stands, with the line."""
    pattern = re.compile("|".join(f"(?:{one})" for one in patterns))
    return [
        f"{named(path)}:{number}: {line.strip()[:100]}"
        for path in files
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_every_folder_is_looked_at() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in PRODUCT} == set(FOLDERS)
    assert Path(__file__) in SOURCES


def test_a_file_says_what_it_holds() -> None:
    def check(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        docstring = ast.get_docstring(ast.parse(text))
        assert docstring is not None
        assert docstring.splitlines()[0].endswith((".", ":"))

    assert offenders(check, SOURCES) == []


def test_the_faces_of_folders_hold_nothing_but_their_docstring() -> None:
    faces = [path for path in PRODUCT if path.name == "__init__.py"]
    assert len(faces) >= len(FOLDERS)
    more = [named(path) for path in faces if len(ast.parse(path.read_text()).body) != 1]
    assert more == ["surfaces/__init__.py"]  # what strangers import


def test_files_are_named_after_what_they_hold() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
    assert [named(path) for path in PRODUCT if path.stem in vague] == []


def test_an_exception_from_a_rule_says_why() -> None:
    bare = r"#\s*noqa(?!: [A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)* - \w)"
    assert found_in([path for path in SOURCES if path != Path(__file__)], [bare]) == []


def test_only_the_assembly_reads_the_environment() -> None:
    names = ("studiograph/", "surfaces/cli.py")
    below = [path for path in PRODUCT if not named(path).startswith(names)]
    assert found_in(below, [r"os\.environ|getenv|dotenv"]) == []
    readers = found_in(PRODUCT, [r"os\.environ|getenv"])
    assert {line.split(":")[0] for line in readers} == {
        "studiograph/__main__.py",
        "studiograph/settings.py",
        "studiograph/wiring/metrics.py",  # which tells a library where to write
        "surfaces/cli.py",  # only whether Django's settings are named
    }


def test_no_file_names_a_registry() -> None:
    assert found_in(FILES, REGISTRIES) == []


def test_no_file_names_a_path_of_some_machine() -> None:
    assert found_in(FILES, MACHINES) == []


@pytest.mark.parametrize(
    "line",
    [
        *(f"https://{'.'.join(host)}/simple" for host in (("py" + "pi", "org"), ("crates", "io"))),
        "--index" + "-url x",
        *(f'see "/{top}/me/code"' for top in ("home", "Users", "root", "work", "tmp")),
    ],
)
def test_what_may_not_be_named_would_be_found(line: str) -> None:
    assert re.search("|".join([*REGISTRIES, *MACHINES]), line)
