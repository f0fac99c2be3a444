"""Runs of moves, as pages show them: all that are kept, and how far the latest is."""

from dataclasses import dataclass

from kadmin.app.evidence import now_ms
from kadmin.app.moves import site
from kadmin.app.session import Session
from kadmin.execute.supervision.reading import Clock, listed_runs, progress_at
from kadmin.plan.supervision.procedure import Memory
from kadmin.plan.supervision.progress import RunProgress
from kadmin.plan.supervision.run import MoveRun, RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The runs at *at_ms*, the latest first, with their states; *latest* is how far that one is,
    None where there is none.  *damaged* is what is wrong with journals that cannot be read."""

    at_ms: int
    runs: tuple[tuple[MoveRun, RunState], ...]
    latest: RunProgress | None
    damaged: tuple[str, ...]

    @property
    def is_under_way(self) -> bool:
        return self.latest is not None and not self.latest.state.is_final


class RunReader:
    """Reads the runs of a cluster by *session*; remembers the look before, for the rate."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.memory = Memory()
        self.run_id = ""

    def read(self) -> Runs:
        """Read all runs.

        Raises:
            KadminError: they cannot be read.
        """
        at_ms = now_ms()
        with site(self.session) as opened:
            runs, damaged = listed_runs(opened.store)
            latest = None
            if runs:
                run_id = runs[-1][0].run_id
                if run_id != self.run_id:
                    self.memory, self.run_id = Memory(), run_id
                latest = progress_at(opened.admin, opened.store, run_id, self.memory, Clock())
        return Runs(at_ms=at_ms, runs=tuple(reversed(runs)), latest=latest, damaged=tuple(damaged))
