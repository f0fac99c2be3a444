"""Files in Java's properties format, and command-line arguments in the form of their lines.

Knows no key, and reads no file.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cluster.settings.errors import InvalidSettings


class Given(NamedTuple):
    """A value and its source: a line of a file, or an argument."""

    value: str
    source: str


def parse_properties(text: str, path: str) -> dict[str, Given]:
    """Parse the *text* of the file at *path*; for a repeated key the last value counts.

    Raises:
        InvalidSettings: it is not in the format.
    """
    import javaproperties

    given: dict[str, Given] = {}
    line = 1
    try:
        for element in javaproperties.parse(text):
            if isinstance(element, javaproperties.KeyValue):
                given[element.key] = Given(element.value, f"{path}:{line}")
            line += element.source.count("\n")
    except javaproperties.InvalidUEscapeError as error:
        raise InvalidSettings([f"{path}:{line}: {error}"]) from error
    return given


def read_variable(variables: Mapping[str, str], name: str, key: str) -> dict[str, Given]:
    """The value of *key* in the environment variable *name*; the file and arguments win over it."""
    value = variables.get(name, "")
    return {key: Given(value, name)} if value else {}


def parse_override_options(words: Iterable[str]) -> dict[str, Given]:
    """Parse `key=value` arguments, which win over the file.

    Raises:
        InvalidSettings: with each argument that has no `=`.
    """
    pairs = [word.partition("=") for word in words]
    problems = [
        f"--override {key} is not key=value" for key, equals, _ in pairs if not equals or not key
    ]
    if problems:
        raise InvalidSettings(problems)
    return {key.strip(): Given(value.strip(), "--override") for key, _, value in pairs}
