"""Files that are not what their names promise."""

import os
from pathlib import Path

from content_breakage import faults_in

from content.reading.reader import load


def test_a_pipe_is_no_file_and_does_not_hold_the_reader(folder: Path) -> None:
    (folder / "faq.toml").unlink()
    os.mkfifo(folder / "faq.toml")
    (fault,) = faults_in(folder)
    assert (fault.file, fault.rule) == ("content/faq.toml", "not a readable file")


def test_a_byte_order_mark_is_passed_over(folder: Path) -> None:
    path = folder / "faq.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(folder).faq
