"""What `kadmin reassign --cancel` does: plan, show, ask, and give up what is under way."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from kadmin.cli.changing import make
from kadmin.cli.reassign.next_steps import after_cancellation, after_dry_run
from kadmin.cli.reassign.targets import cancelled_by
from kadmin.cli.session import Session
from kadmin.execute.reassign_cancel import CancellationRequest, Cancelling, NotThere
from kadmin.plan.reassignment.moves import MovePlan
from kadmin.render.reassign.cancellation import cancellation_lines, cancelled_document
from kadmin.render.reassign.moves import throttle_notes, throttle_warnings
from kadmin.wording import counted


def cancel(session: Session, options: Mapping[str, Any]) -> None:
    """Cancel the moves that are under way of a file's partitions, or of a topic's."""
    output = session.output
    by_brokers = session.names_brokers
    targets_in = cancelled_by(options)

    def report(_plans: Sequence[MovePlan], *, is_dry_run: bool) -> None:
        if not is_dry_run:
            output.pager = None
        output.show(
            cancelled_document(
                run.plan, run.cancelled, run.given_up_dirs, run.throttles, is_dry_run=is_dry_run
            )
        )

    # Only the journal of the way by which the throttles were set has them: that may be ZooKeeper.
    with (
        session.reassignments(by_brokers=by_brokers) as admin,
        session.reassignments() if by_brokers else nullcontext(admin) as keeper,
    ):
        request = CancellationRequest(
            targets_in=targets_in,
            by_zookeeper=not by_brokers,
            keeps_throttles=options["preserve_throttles"],
            timeout_s=session.settings.timeout_s,
        )
        run = Cancelling(admin, keeper, request, session)
        make(
            run,
            output,
            lines=cancellation_lines,
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"],
        )
    note_outcome(session, run, options)
    if run.missing:
        raise NotThere(run.missing)


def note_outcome(session: Session, run: Cancelling, options: Mapping[str, Any]) -> None:
    """Say what stays as it is, what may be done next, and what has become of the throttles."""
    if options["dry_run"] and not run.plan.is_empty:
        for note in after_dry_run(options):
            session.note(note)
    if run.finished_count and not run.only_reorders:
        have = "has its" if run.finished_count == 1 else "have their"
        session.output.note(
            f"{counted(run.finished_count, 'partition')} already {have} replicas as in the file:"
            " what had finished stays"
        )
    for note in after_cancellation(options, run.plan, only_reorders=run.only_reorders):
        session.note(note)
    if run.throttles is not None:
        for note in throttle_notes(run.throttles):
            session.output.note(note)
        for warning in throttle_warnings(run.throttles):
            session.warn(warning)
