"""What `kadmin reassign --cancel` does: plan, show, ask, and give up what is under way."""

from collections.abc import Mapping, Sequence
from typing import Any

from kadmin.cli.reassign.next_steps import after_cancellation, after_dry_run
from kadmin.cli.reassign.targets import wanted_by
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.execute.change import Change, carry_out
from kadmin.execute.reassign_cancel import Cancelling
from kadmin.plan.reassignment.moves import MovePlan
from kadmin.render.output import can_ask
from kadmin.render.reassign import (
    cancellation_lines,
    cancelled_document,
    throttle_notes,
    throttle_warnings,
)


class OnlyByBrokers(UsageError):
    """A cancellation in a cluster of which no broker is named."""

    def __init__(self) -> None:
        super().__init__(
            "nothing can be cancelled through ZooKeeper: a controller takes moves from there, and"
            " takes none back; brokers have it done, from Kafka 2.4 on",
            hint="kadmin reassign --cancel --bootstrap-server HOST:PORT …; where brokers are older,"
            " execute the rollback file when it is done",
        )


def cancel(session: Session, options: Mapping[str, Any]) -> None:
    """Give up what is under way of the partitions of a file.

    Raises:
        OnlyByBrokers: no broker is named.
    """
    output = session.output
    if not session.names_brokers:
        raise OnlyByBrokers
    targets_in = wanted_by(options, is_asked=False).asked

    def question(plans: Sequence[MovePlan]) -> str | None:
        if options["yes"] or not can_ask():
            return None
        count = sum(len(plan.asked) + len(plan.dir_moves) for plan in plans)
        return f"Give up {'this move' if count == 1 else f'these {count} moves'}?"

    def report(plans: Sequence[MovePlan], *, is_dry_run: bool) -> None:
        if not (run.plan.moves or run.plan.dir_moves or is_dry_run):
            run.put_throttles_back()
        cancelled = [
            move.partition
            for plan in plans
            for move in plan.asked
            if move.partition not in run.refused
        ]
        document = cancelled_document(
            run.plan, cancelled, run.given_up_dirs, run.throttles, is_dry_run=is_dry_run
        )
        output.show(document)

    # The throttles are known to whoever has set them, which may have been asked of ZooKeeper.
    with session.reassignments(by_brokers=True) as admin, session.reassignments() as keeper:
        run = Cancelling(
            admin,
            keeper,
            targets_in,
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
    if options["dry_run"] and (run.plan.moves or run.plan.dir_moves):
        for note in after_dry_run(options):
            session.note(note)
    for note in after_cancellation(options, run.plan, only_reorders=run.only_reorders):
        session.note(note)
    if run.throttles is not None:
        for note in throttle_notes(run.throttles):
            output.note(note)
        for warning in throttle_warnings(run.throttles):
            session.warn(warning)
