"""A run that is carried on by this command, and shown meanwhile."""

from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.app.moves import LEASE_TIMEOUT_S, site
from kadmin.cli.session import Session
from kadmin.errors import KadminError
from kadmin.execute.supervision.carrying_out import Supervision, carry_on
from kadmin.execute.supervision.reading import Clock
from kadmin.plan.supervision.events import Ended, Notice
from kadmin.plan.supervision.run import Goal, MoveRun, RunState
from kadmin.render.output import Output
from kadmin.render.reassign.run import election_text, notice_json, notice_text
from kadmin.settings.keys import OutputFormat
from kadmin.wording import span


class RunFailed(KadminError):
    """A run has ended, and not all partitions are where its goal wanted them."""

    def __init__(self, run: MoveRun) -> None:
        super().__init__(
            f"the run {run.run_id} failed: {run.reason}",
            hint=f"'kadmin reassign status {run.run_id}' shows each partition; 'kadmin reassign"
            f" resume {run.run_id}' tries the rest, 'kadmin reassign rollback {run.run_id}' takes"
            " it back",
        )


class RunRedirected(KadminError):
    """A run has ended with another goal than that of this command."""

    def __init__(self, run: MoveRun) -> None:
        super().__init__(
            f"the run {run.run_id} has not ended as this command was to end it: another one"
            f" {REDIRECTIONS[run.goal]}",
            hint=f"'kadmin reassign status {run.run_id}' shows each partition",
        )


REDIRECTIONS: Final = {
    Goal.FORWARD: "has gone on with it",
    Goal.CANCEL: "has cancelled it",
    Goal.ROLLBACK: "has rolled it back",
}


class Events:
    """The events of a run, written as they come: lines on a terminal, JSON elsewhere."""

    def __init__(self, output: Output, clock: Clock) -> None:
        self._output = output
        self._clock = clock
        self._in_lines = output.is_terminal and output.form is OutputFormat.TEXT
        self.to_elect: tuple[TopicPartition, ...] = ()
        """Partitions that their preferred leaders do not lead at the end."""
        self.failure: OSError | None = None
        """Why no more are written: a reader that is gone, or a full disk, must not stop a run
        halfway."""
        output.pager = None

    def notice(self, notice: Notice) -> None:
        if isinstance(notice, Ended):
            self.to_elect = notice.to_elect
        if self.failure is None:
            try:
                self._write(notice)
            except OSError as error:
                self.failure = error

    def _write(self, notice: Notice) -> None:
        output = self._output
        if self._in_lines:
            show = output.line if isinstance(notice, Ended) else output.note
            show(notice_text(notice))
        else:
            output.line(notice_json(notice, self._clock.time_ms()), is_json=True)
            output.flush()


def follow(
    session: Session,
    run_id: str,
    me: str,
    goal: Goal,
    *,
    is_patient: bool,
    stands_by: bool = False,
) -> MoveRun:
    """Carry the run on until it has ended, and return it as it is then; see `Supervision`.

    Raises:
        RunRedirected: it has ended with another *goal*: what this command was to do is not done.
        RunFailed: some is not where it was to go.
        OSError: the run has ended, and its events could not be written.
        AlreadySupervised, TakenOver: another process carries it on.
    """
    clock = Clock()
    events = Events(session.output, clock)
    supervision = Supervision(
        connect=lambda: site(session, run_id),
        run_id=run_id,
        me=me,
        clock=clock,
        notice=events.notice,
        outage=session.note,
        lease_timeout_s=LEASE_TIMEOUT_S,
        is_patient=is_patient,
        stands_by=stands_by,
    )
    try:
        run = carry_on(supervision)
    except KeyboardInterrupt:
        session.warn(
            "what is under way goes on, and nothing more is begun; throttles stay: 'kadmin reassign"
            f" resume {run_id}' goes on, 'kadmin reassign rollback {run_id}' undoes it"
        )
        raise
    if run.goal is not goal:
        raise RunRedirected(run)
    if run.state is RunState.FAILED and run.reason != "cancelled":
        raise RunFailed(run)
    assert run.ended_at_ms is not None
    session.note(f"after {span((run.ended_at_ms - run.began_at_ms) / 1000)}")
    if events.to_elect:
        session.note(election_text(events.to_elect))
    if events.failure is not None:
        raise events.failure
    return run
