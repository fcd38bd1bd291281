"""docs/verify.py and docs/verify.mjs: what a stranger can check of us with one small file."""

import json
import re
import sys
from pathlib import Path
from socket import socket
from typing import Any

import pytest
from changelog_edits import Changelog
from hypothesis import given, settings
from hypothesis import strategies as st
from outside_reader import ENVELOPES, KEY_SET, canonical, studio_in
from running_server import running
from verifier_scripts import (
    JAVASCRIPT,
    NODE,
    PYTHON,
    apart,
    both,
    needs_node,
    read,
    wrong,
)


@needs_node
def test_there_is_a_node_to_run_the_second_verifier() -> None:
    assert NODE is not None


@pytest.mark.parametrize("path", [PYTHON, JAVASCRIPT], ids=lambda path: path.suffix)
def test_a_verifier_is_one_small_file_with_nothing_of_ours_in_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 250
    assert max(map(len, text.splitlines())) <= 100
    taken = re.findall(r"^(?:from|import) (\w+)|import\(\"(\w+)", text, re.MULTILINE)
    assert {python or node for python, node in taken} <= {
        *("cryptography", "node"),
        *sys.stdlib_module_names,
    }


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=VALUES, escaped=st.booleans(), indent=st.none() | st.integers(0, 2))
@settings(deadline=None)
def test_canonical_text_is_that_of_two_libraries(
    *, value: Any, escaped: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    assert read(text) == (canonical(value).decode(), "")


WRITTEN = {
    r'{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",'
    r'"1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",'
    r'"\u00f6":"Latin Small Letter O With Diaeresis"}': (
        '{"\\r":"Carriage Return","1":"One","\x80":"Control",'
        '"\xf6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign",'
        '"\U0001f600":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
    ),
    r'"\u20ac$\u000F\u000aA' + "'" + r'\u0042\u0022\u005c\\\"\/"': (
        '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'
    ),
    "[null,true,false]": "[null,true,false]",
    "[ -0, 0,9007199254740991 , -9007199254740991]\n": "[0,0,9007199254740991,-9007199254740991]",
    '{"__proto__":1,"constructor":{},"10":2,"9":3}': (
        '{"10":2,"9":3,"__proto__":1,"constructor":{}}'
    ),
    '"\x7f\u2028\\u0000\\u001F"': '"\x7f\u2028\\u0000\\u001f"',
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items())
def test_the_examples_of_rfc_8785_are_written_as_there(text: str, expected: str) -> None:
    assert read(text) == (expected, "")
    assert canonical(json.loads(text)).decode() == expected


REFUSED = {
    "a number is no safe integer": (
        *("1.0", "[333333333.33333329,1E30,4.50,2e-3]", "1e2", "1e400", "-0.0"),
        *("9007199254740992", "[-9007199254740993]"),
    ),
    "a repeated key": ('{"a":1,"a":1}', '[{"a":{"b":1,"\\u0062":2}}]', '{"a":{"b":1},"a":2}'),
    "a lone surrogate": ('"\\ud800"', '{"\\udc00":1}', '"\\ude00\\ud83d"', '{"a":["\\udbff"]}'),
    "malformed": (
        *("", " ", "NaN", "-Infinity", "[1,]", '{"a":1,}', "01", "+1", ".5", "1.", "'a'", "1 2"),
        *('"\t"', "\ufeff1", '"\\x"', "nul", "[", '"a', "{1:2}", "[" * 100_000, "//\n1", "\xa01"),
    ),
}


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in REFUSED.items() for text in texts]
)
def test_json_that_has_no_canonical_form_is_refused(reason: str, text: str) -> None:
    assert read(text) == ("", reason)


def test_the_sample_service_holds(tmp_path: Path) -> None:
    with running(studio_in(tmp_path)) as web:
        code, lines = both(web.address)
        kid = web.get(KEY_SET).json()["keys"][0]["kid"]
        assert both(f"{web.address}/") == (code, lines)
        programs = apart(web.address)
    assert set(programs) == {(0, "".join(f"{line}\n" for line in lines), "")}
    assert code == 0
    assert all(line.startswith("ok  ") for line in lines)
    expected = [f"ok  {path.removeprefix('/api/')}  {kid}" for path in ENVELOPES]
    assert {line for line in lines if line.endswith(kid)} == {*expected}
    assert lines[-3:] == ["ok  checkpoint", "ok  proof?index=0", "ok  proof?index=39"]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_log_of_any_size_holds(tmp_path: Path, count: int) -> None:
    log = Changelog(studio_in(tmp_path) / "changelog.toml")
    log.write(log.entries[-count:] if count else ["changelog = []\n"])
    with running(log.file.parent) as web:
        code, lines = both(web.address)
    assert code == 0
    proofs = [line for line in lines if "proof" in line]
    assert proofs == [f"ok  proof?index={index}" for index in sorted({0, count - 1}) if count]


def test_nobody_there_is_no_answer() -> None:
    with socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        assert wrong(address) == f"WRONG  {KEY_SET}: no response"


@pytest.mark.parametrize(
    "words",
    [
        *([], ["{0}", "{0}", "{0}"], ["{0}.none"], ["{1}"], ["--help"], [""]),
        *(["https://"], ["https:///api"], ["ftp://localhost"]),
        *(["http://localhost", "{0}"], ["{0}", "http://localhost"]),
    ],
)
def test_a_wrong_call_is_told_how_to_call(tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "envelope.json"
    file.write_text("{{}}")
    assert both(*(word.format(file, tmp_path) for word in words)) == (2, [])


def test_the_programs_say_how_to_call_them_and_end_with_2() -> None:
    usage = "usage: verify.py BASE_URL | FILE [JWKS_FILE]\n"
    assert set(apart()) == {(2, "", usage)}
