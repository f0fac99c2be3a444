"""An action: what it does in words, the command that does the same, and its change."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kadmin.app.session import Session
    from kadmin.execute.change import Change


class Action:
    """One thing to be done, as it was understood; each kind is a subclass, a frozen dataclass."""

    @property
    def verb(self) -> str:
        """What it does, in the words of a button: `Delete topic orders`."""
        raise NotImplementedError

    @property
    def command(self) -> str:
        """The command that does the same, without the options that name the cluster."""
        raise NotImplementedError

    @property
    def to_be_typed(self) -> str:
        """What the operator types to confirm what cannot be taken back; empty where a button
        does."""
        return ""

    @property
    def rollback_suffix(self) -> str:
        """How the name of its rollback file ends; empty where it has none."""
        return ""

    def change(
        self, session: "Session", rollback_path: str
    ) -> "AbstractContextManager[Change[Any]]":
        """Connect to the cluster, and yield the change; the connections are closed at the end.

        *rollback_path* is a new file, which the change writes before anything else if it has one.
        """
        raise NotImplementedError

    def lines(self, plan: Any) -> Iterable[str]:
        """Return what *plan* changes, as the command shows it before it asks."""
        raise NotImplementedError

    def changes(self, plan: Any) -> bool:
        """Return whether *plan* would write anything."""
        return True

    def key(self, plan: Any) -> object:
        """Return what of *plan* must be as it was shown when it is confirmed."""
        return plan

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        """Wait until what was written is done, and see that all of it is.

        Raises:
            InProgressError: it is written, and not done yet.
            KadminError: some of it was not done.
        """
