"""Supervisors of runs in threads of this process, which goes on with other things meanwhile.

A run whose process ends is interrupted, not lost: its journal has all that the next supervisor
needs.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from kadmin.app.moves import LEASE_TIMEOUT_S, site, supervisor_name
from kadmin.errors import KadminError
from kadmin.execute.supervision.carrying_out import Supervision, carry_on
from kadmin.execute.supervision.reading import Clock

if TYPE_CHECKING:
    from kadmin.app.session import Session


class Supervisors:
    """The supervisors of one cluster, whose sessions *new_session* makes; one a run."""

    def __init__(self, new_session: "Callable[[], Session]") -> None:
        self.new_session = new_session
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}

    def supervise(self, run_id: str) -> None:
        """Carry the run on until it has ended; one that is supervised here already follows its
        journal."""
        with self._lock:
            known = self._threads.get(run_id)
            if known is not None and known.is_alive():
                return
            thread = threading.Thread(
                target=self._work, args=(run_id,), name=f"run {run_id}", daemon=True
            )
            self._threads = {name: each for name, each in self._threads.items() if each.is_alive()}
            self._threads[run_id] = thread
            thread.start()

    def is_supervised(self, run_id: str) -> bool:
        """Return whether a thread of this process carries the run on."""
        with self._lock:
            thread = self._threads.get(run_id)
            return thread is not None and thread.is_alive()

    def _work(self, run_id: str) -> None:
        session = self.new_session()
        supervision = Supervision(
            connect=lambda: site(session, run_id),
            run_id=run_id,
            me=supervisor_name(),
            clock=Clock(),
            notice=lambda notice: None,
            outage=session.note,
            lease_timeout_s=LEASE_TIMEOUT_S,
        )
        try:
            carry_on(supervision)
        except KadminError as error:
            # The run is as its journal says, and pages show it as interrupted.
            session.warn(error.message)
