"""The values of --payload-file."""

from kadmin.errors import UsageError
from kadmin.named_file import read_named
from kadmin.records.lines import unescape


def payloads_of(path: str | None, delimiter: str) -> tuple[bytes, ...]:
    """Return the values in the file at *path*; none without one.

    Raises:
        UsageError: it cannot be read, or has none.
    """
    if path is None:
        return ()
    from kadmin.records.perf.records import split_payloads

    try:
        text = read_named(path)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", hint="--payload-file takes a file of values"
        ) from error
    between = unescape(delimiter).decode()
    if not between:
        raise UsageError("--payload-delimiter is empty", hint=r"--payload-delimiter '\n'")
    found = split_payloads(text, between)
    if not found:
        raise UsageError(f"there is no value in {path}", hint="a line for each value")
    return found
