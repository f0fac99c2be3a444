"""`kadmin reassign run`: a move plan, shown, confirmed, and carried out under supervision."""

from typing import TYPE_CHECKING, Any

from kadmin.cli.common_options import dry_run_option
from kadmin.cli.files import name_of, read_text
from kadmin.cli.frame import command
from kadmin.cli.options import argument
from kadmin.cli.reassign.runs.options import (
    first_write_yes_option,
    pace_options,
    settings_of,
    standby_option,
)
from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.execute.supervision.carrying_out import Site
    from kadmin.plan.moves.plan_file import MovePlan

FILE_HINT = "name the file that 'kadmin reassign plan' has written"


@command("run", short_help="Carry out a plan under supervision.", speaks_to_brokers=True)
@argument("plan", metavar="FILE")
@pace_options
@dry_run_option()
@standby_option
@first_write_yes_option
def run(session: Session, plan: str, **options: Any) -> None:
    """Carry out the plan in FILE, which kadmin reassign plan has written (- is standard input).

    The cluster has to be as it was when the plan was made; otherwise what has changed is
    named and nothing is written. Nor is anything while a gate is closed: target-down, offline,
    min-isr, racks, disk-room, other-moves, unseen-runs, stale-plan. --override leaves one of them
    open.

    Moves are begun as others end, the smallest first, no more than --max-moves at a broker. The
    throttle is a lease: whatever was set before is restored in the end.

    The run is kept in ZooKeeper (below /kadmin/moves); or of a cluster without ZooKeeper, or with
    --override unseen-runs where it cannot be reached, in a file of yours on this machine. Whatever
    ends this command, kadmin reassign resume goes on, from any machine that reaches that ZooKeeper;
    cancel gives up what is under way, and rollback restores the replicas of before.

    With --standby, the same command may run on several machines: one of them begins the run and
    supervises it, the others wait, and the next takes over when it has died or lost its session.

    On a terminal, progress is shown in lines; into a pipe each event is one line of JSON. Exits
    with 0 if everything is where it was planned, 1 if some is not, also since another command has
    cancelled the run or rolled it back.

    \b
    Examples:
      kadmin reassign run plan.json --dry-run
      kadmin reassign run plan.json --throttle auto --max-moves 2
      kadmin reassign run plan.json --yes --override other-moves
    """
    from kadmin.app.moves import supervisor_name
    from kadmin.cli.reassign.runs.following import follow
    from kadmin.plan.moves.plan_file import from_json
    from kadmin.plan.supervision.run import Goal

    read = from_json(read_text(plan, FILE_HINT), name_of(plan))
    run_id = begun(session, read, options)
    if run_id is not None:
        follow(
            session,
            run_id,
            supervisor_name(),
            Goal.FORWARD,
            is_patient=False,
            stands_by=options["standby"],
        )


def begun(session: Session, plan: "MovePlan", options: dict[str, Any]) -> str | None:
    """Begin a run of *plan*, or find the one to stand by for; None where nothing is to be done."""
    from kadmin.app.moves import site
    from kadmin.execute.commit import ChangedInBetween
    from kadmin.execute.supervision.beginning import RunUnfinished, unfinished_run

    with site(session) as opened:
        stands_by = options["standby"] and not options["dry_run"]
        run_id = unfinished_run(opened, plan) if stands_by else None
        if run_id is None:
            try:
                return begin(session, opened, plan, options)
            except (ChangedInBetween, RunUnfinished):
                # Another one that stands by may have been faster.
                run_id = unfinished_run(opened, plan) if stands_by else None
                if run_id is None:
                    raise
    session.note(f"the plan is under way as run {run_id}")
    return run_id


def begin(session: Session, site: "Site", plan: "MovePlan", options: dict[str, Any]) -> str | None:
    """Show the run of *plan*, ask, and create it; None where nothing is to be done."""
    from kadmin.app.moves import new_run_id
    from kadmin.execute.supervision.beginning import create, judge_beginning
    from kadmin.execute.supervision.reading import Clock
    from kadmin.execute.user_and_host import user_and_host
    from kadmin.plan.supervision.gates import GatesClosed
    from kadmin.plan.supervision.run import MoveRun, Settings
    from kadmin.render.reassign.run import plan_lines, planned_document
    from kadmin.wording import counted

    clock, output = Clock(), session.output
    began_at_ms = clock.time_ms()
    run = MoveRun(
        run_id=new_run_id(began_at_ms, site.store.run_ids()),
        plan=plan,
        by=user_and_host(),
        began_at_ms=began_at_ms,
        settings=settings_of(options, Settings()),
    )
    beginning = judge_beginning(site, run, clock)
    run, todo = beginning.run, beginning.todo
    if options["dry_run"]:
        output.show(planned_document(run, todo, beginning.closed))
        output.note("dry run: nothing was written")
        return None
    say = output.note if options["yes"] else output.tell
    say(f"cluster: {output.cluster}")
    for line in plan_lines(run, todo, beginning.closed):
        say(line)
    if beginning.closed:
        raise GatesClosed(beginning.closed)
    if not todo:
        output.note("nothing to do: all partitions have their planned replicas")
        return None
    if not options["yes"]:
        output.ask(f"{output.cluster}: move {counted(len(todo), 'partition')}?")
    create(site, beginning)
    session.note(f"run {run.run_id}, kept in {site.store.place}")
    return run.run_id
