"""Does a shell get from a pasted line the words that were meant?"""

import os
import subprocess

import pytest

from kadmin.quoting import quoted
from tests.support.waiting import OUTER_LIMIT_S


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (b"plan.json", "plan.json"),
        (b"--zookeeper", "'--zookeeper'"),
        (b"-2h", "-2h"),
        (b"my plan's.json", "'my plan'\"'\"'s.json'"),
        ("plän.json".encode(), "'plän.json'"),
        (b"bad\xff.json", "$'bad\\377.json'"),
        (b"a'b\\c\xfe1 $x", "$'a\\'b\\\\c\\3761 $x'"),
        (b"two\nlines\x1b[1m", "$'two\\012lines\\033[1m'"),
        (b"", "''"),
    ],
)
def test_bash_reads_back_what_was_quoted(word: bytes, text: str) -> None:
    line = quoted(os.fsdecode(word))
    shell = subprocess.run(
        ["bash", "-c", f"printf %s {line}"], capture_output=True, check=True, timeout=OUTER_LIMIT_S
    )

    assert text == line
    assert word == shell.stdout
