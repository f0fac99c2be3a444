"""Files that options name: read whole, from standard input as well, or refused in words."""

import io
from pathlib import Path

import pytest

from kadmin.cli.files import name_of, read_text
from kadmin.errors import UsageError


def test_a_file_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    text = "ä\n\r\nb\n"
    path.write_bytes(text.encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    assert text == read_text(str(path), "hint") == read_text("-", "hint")


def test_a_byte_order_mark_is_no_part_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbf{}")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))

    assert "{}" == read_text(str(path), "hint") == read_text("-", "hint")


def test_what_cannot_be_read_is_refused_with_what_it_is_to_hold(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff")

    with pytest.raises(UsageError, match=r"cannot read .*: it is no text in UTF-8") as raised:
        read_text(str(path), "write it so")
    with pytest.raises(UsageError, match=r"cannot read .*none: No such file or directory"):
        read_text(str(tmp_path / "none"), "write it so")

    assert "write it so" == raised.value.hint
    assert ("f", "standard input") == (name_of("f"), name_of("-"))
