"""`kadmin reassign status` and `list`: how far a run is, and which runs there are."""

import time
from typing import TYPE_CHECKING

from kadmin.cli.frame import command
from kadmin.cli.reassign.runs.options import run_argument
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode, InProgressError, KadminError
from kadmin.plan.supervision.run import RunState

if TYPE_CHECKING:
    from kadmin.plan.supervision.progress import RunProgress

LOOK_AGAIN_S = 1.0
"""Two looks show the rate."""


class RunUnfinished(InProgressError):
    def __init__(self, run_id: str, state: RunState) -> None:
        hint = "'kadmin reassign status --watch' follows it"
        if state is RunState.INTERRUPTED:
            hint = f"nothing supervises it: 'kadmin reassign resume {run_id}' goes on, 'kadmin"
            hint += f" reassign rollback {run_id}' undoes it"
        super().__init__(f"the run {run_id} has not ended: {state}", hint=hint)


class RunFailed(KadminError):
    exit_code = ExitCode.FOUND

    def __init__(self, run_id: str, reason: str) -> None:
        super().__init__(
            f"the run {run_id} failed: {reason}",
            hint=f"'kadmin reassign resume {run_id}' tries the rest, 'kadmin reassign rollback"
            f" {run_id}' undoes it",
        )


@command("status", short_help="See how far a run is.", speaks_to_brokers=True)
@run_argument
@watch_option()
def status(session: Session, run_id: str | None, watch: float | None) -> None:
    """Show how far RUN, or the latest run, is: by the cluster, whatever became of its supervisor.

    It names what each move waits for. Exits with 0 if the run is done or rolled back, 3 while it
    is not, 4 if it failed.

    \b
    Examples:
      kadmin reassign status
      kadmin reassign status --watch
      kadmin reassign status --output json
    """
    show_status(session, run_id, watch)


def show_status(session: Session, run_id: str | None, seconds: float | None) -> None:
    from kadmin.app.moves import site
    from kadmin.execute.supervision.reading import Clock, progress_at
    from kadmin.plan.supervision.procedure import Memory
    from kadmin.render.reassign.run import status_document

    memory, clock = Memory(), Clock()
    latest: list[RunProgress] = []

    def show() -> None:
        with site(session, run_id) as opened:
            found = progress_at(opened.admin, opened.store, run_id, memory, clock)
            if opened.store.unseen and not latest:
                session.warn(opened.store.unseen)
            if seconds is None and found.rate is None and found.state is RunState.RUNNING:
                time.sleep(LOOK_AGAIN_S)
                found = progress_at(opened.admin, opened.store, run_id, memory, clock)
        session.output.show(status_document(found))
        latest[:] = [found]

    watch(session, seconds, show)
    (found,) = latest
    if found.state is RunState.FAILED:
        raise RunFailed(found.run.run_id, found.run.reason)
    if not found.state.is_final:
        raise RunUnfinished(found.run.run_id, found.state)


@command("list", short_help="See all runs.", speaks_to_brokers=True)
def list_(session: Session) -> None:
    """List the runs of this cluster, the oldest first, with the state of each.

    \b
    Examples:
      kadmin reassign list
      kadmin reassign list --output csv
    """
    from kadmin.app.moves import site
    from kadmin.execute.supervision.reading import listed_runs
    from kadmin.render.reassign.run import runs_document

    with site(session) as opened:
        runs, damaged = listed_runs(opened.store)
        place = opened.store.place
    session.output.show(runs_document(runs))
    for error in damaged:
        session.warn(error)
    if not runs:
        session.note(f"there is no run in {place}")
