"""What `kadmin reassign --execute` does: plan, show, ask, make it safe, and ask for it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kadmin.cli.reassign.interruption import Interruption
from kadmin.cli.reassign.next_steps import after_dry_run, after_execution
from kadmin.cli.reassign.targets import TargetsIn
from kadmin.cli.session import Session
from kadmin.execute.change import Change, carry_out
from kadmin.execute.reassign import Reassigning
from kadmin.plan.reassignment.moves import MovePlan
from kadmin.plan.risks import with_risks
from kadmin.render.output import can_ask
from kadmin.render.plan_items import PLAN_LINES_MAX
from kadmin.render.reassign import (
    copied_text,
    plan_lines,
    planned_document,
    preface_lines,
    started_document,
)
from kadmin.settings.keys import OutputFormat


def execute(
    session: Session,
    targets_in: TargetsIn,
    options: Mapping[str, Any],
    interruption: Interruption,
) -> None:
    """Have partitions moved to where *targets_in* tells; *interruption* hears when that begins."""
    output = session.output

    def announce() -> None:
        interruption.is_begun = True
        if run.has_rollback_file:
            output.note(f"rollback file: {run.rollback_path}")
        # What is as long as that is in the file; on a terminal it would push the plan away.
        is_long = len(run.plan.current) > PLAN_LINES_MAX
        is_shown_there = is_long and run.has_rollback_file and output.shows_tables()
        if run.plan.current and not is_shown_there:
            output.preface(preface_lines(run.plan.current))

    def question(plans: Sequence[MovePlan]) -> str | None:
        # In a pipe it runs without, as Kafka's tool does everywhere, but for what nobody wants.
        if options["yes"] or not (can_ask() or run.risks):
            return None
        count = sum(len(plan.asked) for plan in plans)
        noun = "partition"
        if not count:
            count, noun = sum(len(plan.dir_moves) for plan in plans), "replica"
        what = f"this {noun}" if count == 1 else f"these {count} {noun}s"
        copied = copied_text(run.plan.asked, run.sizes, options["throttle"])
        return with_risks(f"Move {what}{copied}?", run.risks)

    def report(plans: Sequence[MovePlan], *, is_dry_run: bool) -> None:
        if is_dry_run:
            output.show(planned_document(run.plan, run.sizes, options["throttle"]))
            return
        document = started_document(
            run.plan,
            [
                move.partition
                for plan in plans
                for move in plan.asked
                if move.partition not in run.refused
            ],
            run.begun_dirs,
            rate=run.rate_set,
            dir_rate=run.dir_rate_set,
            rollback_file=run.rollback_path if run.has_rollback_file else None,
        )
        # What was done is seen at once; only plans are long reading.
        output.pager = None
        # In other forms than text there is one result: that of the verification, where one waits.
        if not (options["wait"] and output.form is not OutputFormat.TEXT):
            output.show(document)
        if not run.plan.asked and not run.plan.dir_moves:
            output.note("nothing to do: all partitions have their replicas, or are being moved")

    with session.reassignments() as admin:
        run = Reassigning(
            admin,
            targets_in,
            is_additional=options["additional"],
            rate=options["throttle"],
            dir_rate=options["replica_alter_log_dirs_throttle"],
            rollback_path=options["rollback_file"] or new_rollback_path(),
            timeout_s=session.settings.timeout_s,
            announce=announce,
            note=output.note,
            warn=output.warn,
        )
        change: Change[MovePlan] = Change(
            steps=run.steps,
            lines=lambda plan: plan_lines(plan, run.sizes, rate=options["throttle"]),
            warnings=lambda _plan: run.told_risks(),
            question=question,
            prepare=run.prepare,
            settle=run.settle,
            report=report,
        )
        carry_out(change, admin, output, is_dry_run=options["dry_run"])
    for note in next_steps(run, options):
        session.note(note)


def next_steps(run: Reassigning, options: Mapping[str, Any]) -> Iterable[str]:
    """What may be done after *run*; nothing where it has nothing to do."""
    if options["dry_run"]:
        return after_dry_run(options) if run.plan.asked or run.plan.dir_moves else ()
    if run.has_rollback_file:
        return after_execution(options, run.rollback_path)
    is_slowed = run.rate_set is not None or run.dir_rate_set is not None
    return after_execution(options, None) if is_slowed else ()


def new_rollback_path() -> str:
    """A name in this directory that no file has."""
    stem = time.strftime("reassign-rollback-%Y%m%dT%H%M%SZ", time.gmtime())
    number = 0
    while True:
        path = Path(f"{stem}{f'-{number}' if number else ''}.json")
        if not path.exists():
            return str(path)
        number += 1
