"""The session of one command, with its output."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

from kadmin.app import session
from kadmin.settings.keys import Value

if TYPE_CHECKING:
    from kadmin.render.output import Output

OLD_S: Final = 3.0
"""What is shown is older than it seems where servers were waited for for so long."""


class Session(session.Session):
    """One run of a command: what it notes and warns of goes to standard error."""

    def __init__(self, flags: dict[str, Value]) -> None:
        super().__init__(flags)
        self.is_mute = False

    @cached_property
    def output(self) -> "Output":
        from kadmin.render.output import Output

        output = Output.of_settings(self.settings)
        if self.is_mute:
            output.mute()
        return output

    def with_cluster(self, text: str) -> str:
        """Add the options that name this run's cluster to the commands in *text*."""
        from kadmin.app.hint_target import with_cluster

        return with_cluster(text, self.flags)

    def note(self, text: str) -> None:
        """Note *text*, unless that is not wanted; its commands name the cluster of this run."""
        self.output.note(self.with_cluster(text))

    def warn(self, text: str) -> None:
        """Warn of *text*; its commands name the cluster of this run."""
        self.output.warn(self.with_cluster(text))

    def note_age(self) -> None:
        if "budget" in self.__dict__ and self.budget.spent_s >= OLD_S and self.output.has_shown:
            age_s = round(self.budget.spent_s)
            self.note(f"servers were waited for: what is shown may be {age_s} s old")
            self.output.has_shown = False
