"""Ctrl-C while moves go on: the next steps that are printed for the operator."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from kadmin.cli.reassign.next_steps import after_interrupt
from kadmin.cli.session import Session


class Interruption:
    """A block which, interrupted once *is_begun*, warns of what goes on without it."""

    def __init__(self, session: Session, options: Mapping[str, Any], *, is_begun: bool) -> None:
        self.session = session
        self.options = options
        self.is_begun = is_begun

    def __enter__(self) -> "Interruption":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self.is_begun and isinstance(error, KeyboardInterrupt):
            self.session.warn(after_interrupt(self.options))
