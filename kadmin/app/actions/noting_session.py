"""A session that keeps what is noted and warned of, for who looks at it later."""

from typing import TYPE_CHECKING, Final

from kadmin.app.hint_target import with_cluster
from kadmin.app.session import Session

if TYPE_CHECKING:
    from kadmin.settings.keys import Value

COUNT_MAX: Final = 100


class NotingSession(Session):
    """*notes* are the latest, each once; commands in them name the cluster of *flags*."""

    def __init__(self, flags: "dict[str, Value]") -> None:
        super().__init__(flags)
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        found = with_cluster(text, self.flags)
        if found not in self.notes:
            self.notes.append(found)
            del self.notes[:-COUNT_MAX]

    def warn(self, text: str) -> None:
        self.note(text)
