"""What do bytes that others wrote do to a terminal?"""

import io

from kadmin.render.visible_stream import VisibleStream


def shown(*pieces: bytes) -> bytes:
    terminal = io.BytesIO()
    stream = VisibleStream(terminal)
    for piece in pieces:
        assert len(piece) == stream.write(piece)
    stream.flush()
    return terminal.getvalue()


def test_nothing_but_lines_and_tabs_has_an_effect() -> None:
    assert b"a\\x1b[31mred\\x07\tb\n" == shown(b"a\x1b[31mred\x07\tb\n")
    assert b"\\x9b31m \\u202e\n" == shown("\x9b31m \u202e\n".encode())


def test_text_in_any_language_stays_however_it_is_cut() -> None:
    text = "Grüße, 世界 🎉\n".encode()

    assert text == shown(text) == shown(*(bytes([byte]) for byte in text))


def test_bytes_that_are_no_text_are_shown_and_none_is_lost() -> None:
    assert b"\\xff\\x00\\xe4\\xb8" == shown(b"\xff\x00\xe4", b"\xb8")
