"""Names that an operator wants and leaves out, while things come and go."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kadmin.errors import UsageError
from kadmin.plan.topic_refusals import is_glob


@dataclass(frozen=True, slots=True)
class NameFilter:
    """The names that are *wanted*, all where there are none, but for those that are *excluded*.

    Each is a name or a glob. One that matches nothing may come to be later: callers decide
    whether that is a mistake.
    """

    wanted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def takes(self, name: str) -> bool:
        return (not self.wanted or any_matches(self.wanted, name)) and not any_matches(
            self.excluded, name
        )

    def missing(self, names: Container[str]) -> list[str]:
        """Return those of *wanted* that are names, and none of *names*."""
        return [text for text in self.wanted if not is_glob(text) and text not in names]


def any_matches(texts: Sequence[str], name: str) -> bool:
    return any(text == name or (is_glob(text) and fnmatchcase(name, text)) for text in texts)


def parse_name_filter(wanted: Sequence[str], excluded: Sequence[str], noun: str) -> NameFilter:
    """Understand what `--NOUN` and `--exclude-NOUN` were given.

    Raises:
        UsageError: an empty name.
    """
    for option, texts in ((f"--{noun}", wanted), (f"--exclude-{noun}", excluded)):
        if "" in texts:
            raise UsageError(
                f"{option} was given an empty name", hint=f"a name or a glob: {option} 'orders-*'"
            )
    return NameFilter(tuple(wanted), tuple(excluded))
