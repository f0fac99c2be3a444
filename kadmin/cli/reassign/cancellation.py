"""What `kadmin reassign --cancel` does: plan, show, ask, and give up what is under way."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from kadmin.cli.reassign.next_steps import after_cancellation, after_dry_run
from kadmin.cli.reassign.targets import cancelled_by
from kadmin.cli.session import Session
from kadmin.execute.change import Change, carry_out
from kadmin.execute.reassign_cancel import Cancelling, NotThere
from kadmin.plan.reassignment.moves import MovePlan
from kadmin.plan.wording import counted
from kadmin.render.output import can_ask
from kadmin.render.reassign import throttle_notes, throttle_warnings
from kadmin.render.reassign_cancel import cancellation_lines, cancelled_document, resigning_for


def cancel(session: Session, options: Mapping[str, Any]) -> None:
    """Cancel the moves that are under way of a file's partitions, or of a topic's."""
    output = session.output
    by_brokers = session.names_brokers
    targets_in = cancelled_by(options)

    def question(plans: Sequence[MovePlan]) -> str | None:
        resigning = next((who for plan in plans if (who := resigning_for(plan)) is not None), None)
        # A change of controllers is felt by the whole cluster: it is asked about in any case.
        if options["yes"] or (resigning is None and not can_ask()):
            return None
        count = sum(len(plan.asked) + len(plan.dir_moves) + len(plan.dropped) for plan in plans)
        text = f"Cancel {'this move' if count == 1 else f'these {count} moves'}"
        return f"{text}?" if resigning is None else f"{text}, and have another controller elected?"

    def report(plans: Sequence[MovePlan], *, is_dry_run: bool) -> None:
        if run.plan.is_empty and not is_dry_run:
            run.put_throttles_back()
        cancelled = [
            move.partition
            for plan in plans
            for move in (plan.asked if by_brokers else plan.moves)
            if move.partition not in run.refused and move.partition not in run.unheard
        ]
        document = cancelled_document(
            run.plan,
            [*cancelled, *run.removed],
            run.given_up_dirs,
            run.throttles,
            is_dry_run=is_dry_run,
        )
        if not is_dry_run:
            output.pager = None
        output.show(document)

    # The throttles are known to whoever has set them, which may have been asked of ZooKeeper.
    with (
        session.reassignments(by_brokers=by_brokers) as admin,
        session.reassignments() if by_brokers else nullcontext(admin) as keeper,
    ):
        run = Cancelling(
            admin,
            keeper,
            targets_in,
            by_zookeeper=not by_brokers,
            keeps_throttles=options["preserve_throttles"],
            timeout_s=session.settings.timeout_s,
            note=output.note,
        )
        change: Change[MovePlan] = Change(
            steps=run.steps,
            lines=cancellation_lines,
            question=question,
            settle=run.settle,
            report=report,
        )
        carry_out(change, admin, output, is_dry_run=options["dry_run"])
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
