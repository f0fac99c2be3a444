"""A file of settings that kadmin writes at each start and people edit: what of it stays?

In Java's format of properties.  A copy of what kadmin wrote is kept beside it: what else stands in
the file was added by hand, also a line whose value was changed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kadmin.errors import KadminError, RefusedError
from kadmin.named_file import read_named

if TYPE_CHECKING:
    from javaproperties.reading import PropertiesElement


@dataclass(frozen=True, slots=True)
class EditedFile:
    """The file at *path*; *owned* has the keys that must not be changed by hand, with
    the reason."""

    path: Path
    owned: Mapping[str, str]

    @property
    def copy(self) -> Path:
        return self.path.with_name(f"{self.path.name}.written")

    def was_written_as(self, text: str) -> bool:
        """Return whether *text* was written last; true of a file that was never written."""
        written = read(self.copy) or read(self.path)
        return written is None or written == text

    def keys_by_hand(self) -> tuple[str, ...]:
        """Return the keys of the lines that were added or changed by hand, each once.

        Raises:
            KadminError: the file is no properties file.
        """
        return tuple(dict.fromkeys(key for key in map(key_of, self._by_hand()) if key is not None))

    def write(self, text: str) -> None:
        """Write *text*, and after it the lines that were added by hand, which therefore win.

        A kill between the two writes leaves lines of *text* that look added: they are dropped by
        the next write, since *text* has them.

        Raises:
            RefusedError: such a line has a key that is *owned*; nothing is written.
            KadminError: the file is no properties file.
        """
        added = [source_of(element) for element in self._by_hand()]
        own = {source_of(element) for element in elements(text, self.path)} if added else set()
        write(self.path, text + "".join(line for line in added if line not in own))
        write(self.copy, text)

    def _by_hand(self) -> "list[PropertiesElement]":
        """Return what stands in the file beside what kadmin wrote there; raises as `write` does."""
        found, written = read(self.path), read(self.copy)
        if found is None or written is None or found == written:
            return []
        own = Counter(source_of(element) for element in elements(written, self.copy))
        added = []
        line = 1
        for element in elements(found, self.path):
            source = source_of(element)
            if own[source]:
                own[source] -= 1
            elif source.strip():
                key = key_of(element)
                if key is not None and (reason := self._reason_against(key)):
                    raise RefusedError(
                        f"{self.path}:{line}: {key} cannot be changed by hand: {reason}",
                        hint=f"remove that line: sed -i {line}d {self.path}",
                    )
                added.append(element)
            line += element.source.count("\n")
        return added

    def _reason_against(self, key: str) -> str | None:
        """Return why *key* must not be set by hand; a key of *owned* that ends in a dot is a
        prefix."""
        return self.owned.get(key) or self.owned.get(key.partition(".")[0] + ".")


def elements(text: str, path: Path) -> "Iterator[PropertiesElement]":
    import javaproperties

    line = 1
    try:
        for element in javaproperties.parse(text):
            yield element
            line += element.source.count("\n")
    except javaproperties.InvalidUEscapeError as error:
        raise KadminError(
            f"{path}:{line}: {error}", hint="correct that line, or remove it"
        ) from error


def source_of(element: "PropertiesElement") -> str:
    return element.source.rstrip("\r\n") + "\n"


def key_of(element: "PropertiesElement") -> str | None:
    import javaproperties

    return element.key if isinstance(element, javaproperties.KeyValue) else None


def read(path: Path) -> str | None:
    """Return the text of *path*, byte for byte as Java reads it; None where there is no such
    file."""
    try:
        return read_named(path).decode("latin-1")
    except FileNotFoundError:
        return None


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("latin-1"))
