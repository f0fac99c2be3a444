"""What `kadmin reassign --execute` does: plan, show, ask, make it safe, and ask for it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kadmin.cli.changing import make
from kadmin.cli.reassign.interruption import Interruption
from kadmin.cli.reassign.next_steps import after_dry_run, after_execution
from kadmin.cli.reassign.targets import Wanted
from kadmin.cli.rollback import new_rollback_path
from kadmin.cli.session import Session
from kadmin.execute.reassign import Reassigning, ReassignmentRequest
from kadmin.plan.reassignment.moves import MovePlan, StartedMoves
from kadmin.render.plan_items import PLAN_LINES_MAX
from kadmin.render.reassign.moves import (
    plan_lines,
    planned_document,
    preface_lines,
    started_document,
)
from kadmin.settings.keys import OutputFormat


def execute(
    session: Session,
    wanted: Wanted,
    options: Mapping[str, Any],
    interruption: Interruption,
) -> None:
    """Have partitions moved to the replicas that are *wanted*; *interruption* is notified when that
    begins.
    """
    output = session.output
    rate = options["throttle"]
    request = ReassignmentRequest(
        targets_in=wanted.asked,
        planned_from=wanted.planned_from,
        is_additional=options["additional"],
        rate=rate,
        dir_rate=options["replica_alter_log_dirs_throttle"],
        rollback_path=options["rollback_file"] or new_rollback_path("reassign", ".json"),
        timeout_s=session.settings.timeout_s,
    )

    def begun() -> None:
        interruption.is_begun = True
        if run.has_rollback_file:
            output.note(f"rollback file: {request.rollback_path}")
        # What is as long as that is in the file; on a terminal it would push the plan away.
        is_long = len(run.plan.current) > PLAN_LINES_MAX
        is_shown_there = is_long and run.has_rollback_file and output.shows_tables()
        if run.plan.current and not is_shown_there:
            output.preface(preface_lines(run.plan.current))

    def report(_plans: Sequence[MovePlan], *, is_dry_run: bool) -> None:
        if is_dry_run:
            output.show(planned_document(run.plan, run.sizes, rate))
            return
        # What was done is seen at once; only plans are long reading.
        output.pager = None
        # In other forms than text there is one result: that of the verification, where one waits.
        if not (options["wait"] and output.form is not OutputFormat.TEXT):
            output.show(started_document(run.started))
        if not run.plan.asked and not run.plan.dir_moves:
            output.note("nothing to do: all partitions have their replicas, or are being moved")

    with session.reassignments() as admin:
        run = Reassigning(admin, request, session)
        make(
            run,
            output,
            lines=lambda plan: plan_lines(plan, run.sizes, rate=rate),
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"],
            begun=begun,
        )
    for note in next_steps(run.started, options):
        session.note(note)


def next_steps(started: StartedMoves, options: Mapping[str, Any]) -> Iterable[str]:
    """What may be done after *started*; nothing where there was nothing to do."""
    if options["dry_run"]:
        return after_dry_run(options) if started.plan.asked or started.plan.dir_moves else ()
    if started.rollback_file is not None:
        return after_execution(options, started.rollback_file)
    is_slowed = started.rate is not None or started.dir_rate is not None
    return after_execution(options, None) if is_slowed else ()
