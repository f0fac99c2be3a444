"""A file in Java's format of properties, written by an operator: its keys and values by line.

The one reader of such files in kadmin, for the keys of any program.  Knows no key.
"""

from shlex import quote

from cluster.settings.errors import InvalidSettings
from cluster.settings.properties_file import Given as Given
from cluster.settings.properties_file import parse_properties
from kadmin.errors import UsageError
from kadmin.named_file import read_named

HINT = "one NAME=VALUE a line, as in the files of Kafka's own tools"


def read_properties(path: str) -> dict[str, Given]:
    """Return the values of the file at *path*, each with `path:line`; the last one of a key counts.

    Raises:
        UsageError: it cannot be read, or a line is none of such a file.
    """
    try:
        # As Java reads it; bytes of zero come from a key store, not from an editor.
        text = read_named(path).decode("latin-1")
    except OSError as error:
        raise UsageError(
            f"cannot read the property file {path or repr(path)}:"
            f" {(error.strerror or str(error)).lower()}",
            hint=f"ls -l {quote(path)}",
        ) from error
    if "\0" in text:
        raise UsageError(f"cannot read the property file {path}: it is no text", hint=HINT)
    try:
        return {key: given for key, given in parse_properties(text, path).items() if key}
    except InvalidSettings as error:
        raise UsageError(
            f"cannot read the property file {path}: {error.problems[0]}", hint=HINT
        ) from error
