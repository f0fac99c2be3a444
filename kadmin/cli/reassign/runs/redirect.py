"""`kadmin reassign resume`, `cancel` and `rollback`: a run goes on, with the same goal or another.

A supervisor follows the goal in the journal; without one, this command carries the run on.
"""

from typing import Any

from kadmin.cli.frame import command
from kadmin.cli.reassign.runs.options import (
    first_write_yes_option,
    pace_options,
    run_argument,
    settings_of,
    standby_option,
)
from kadmin.cli.session import Session
from kadmin.plan.supervision.run import Goal, MoveRun, RunState
from kadmin.wording import first_listed

THROTTLES = "~/.local/state/kadmin/throttles"
NO_PACE = {"max_moves": None, "max_moves_total": None, "throttle": None, "override": ()}


@command("resume", short_help="Go on with an interrupted run.", speaks_to_brokers=True)
@run_argument
@pace_options
@standby_option
@first_write_yes_option
def resume(session: Session, run_id: str | None, **options: Any) -> None:
    """Go on with RUN, or the latest run, where its supervisor has ended, whatever ended it.

    A run that failed is tried again. One that was rolled back needs a new plan. Another pace takes
    the place of the one before, also where a supervisor is at work: it reads it with its next look.

    With another pace it waits until the lease of a supervisor that was killed would be over, and
    takes over then; one that is at work goes on, and this command ends.

    With --standby it waits while another supervisor is at work, and takes over when that has died
    or has lost its session; each has the same plan, and one of them writes at a time.

    \b
    Examples:
      kadmin reassign resume
      kadmin reassign resume --standby --yes
      kadmin reassign resume --throttle 100MB --max-moves 10
    """
    redirect(session, run_id, Goal.FORWARD, options)


@command("cancel", short_help="Give up what is under way of a run.", speaks_to_brokers=True)
@run_argument
@first_write_yes_option
def cancel(session: Session, run_id: str | None, **options: Any) -> None:
    """Give up the moves of RUN, or the latest run, that are under way, and begin no more.

    What has arrived stays; kadmin reassign rollback takes that back, too, and resume goes on after
    all. Through ZooKeeper another controller has to be elected for it.

    \b
    Examples:
      kadmin reassign cancel
      kadmin reassign cancel --yes
    """
    redirect(session, run_id, Goal.CANCEL, {**NO_PACE, **options})


@command("rollback", short_help="Restore the replicas from before a run.", speaks_to_brokers=True)
@run_argument
@pace_options
@first_write_yes_option
def rollback(session: Session, run_id: str | None, **options: Any) -> None:
    """Give all partitions of RUN, or the latest run, the replicas back that they had before.

    What is under way is cancelled; what has arrived is moved back, which copies as much as before.

    \b
    Examples:
      kadmin reassign rollback
      kadmin reassign rollback 20261128-221500-a1b2 --throttle auto
    """
    redirect(session, run_id, Goal.ROLLBACK, options)


def redirect(session: Session, run_id: str | None, goal: Goal, options: dict[str, Any]) -> None:
    from kadmin.app.moves import site, supervisor_name
    from kadmin.cli.reassign.runs.following import follow
    from kadmin.execute.supervision import beginning
    from kadmin.execute.supervision.carrying_out import AlreadySupervised
    from kadmin.execute.supervision.reading import Clock, Reader, found_run
    from kadmin.plan.supervision.progress import progress_of
    from kadmin.render.reassign.run import advance_text

    output = session.output
    with site(session, run_id) as opened:
        run = found_run(opened.store, run_id)
        if opened.store.unseen:
            session.warn(opened.store.unseen)
        why_not = nothing_left(run, goal)
        if why_not:
            output.note(f"nothing to do: the run {run.run_id} {why_not}")
            return
        opened.admin.fence()  # Refuses where nothing may be written.
        supervisor = opened.store.supervisor()
        view = Reader(opened.admin, Clock()).view(run)
        unleased = beginning.unleased_topics(opened, run, view.snapshot)
        if unleased:
            session.warn(
                f"throttles of {first_listed(unleased)} are in no lease that is known here, and"
                f" stay: where the run has set them, copy the file below {THROTTLES}, too, from the"
                " machine where it began"
            )
        progress = progress_of(run, view)
        say = output.note if options["yes"] else output.tell
        say(f"cluster: {output.cluster}")
        say(f"run {run.run_id} ({run.plan.goal}): {advance_text(progress)}")
        if not options["yes"]:
            output.ask(f"{output.cluster}: {QUESTIONS[goal]}")
        settings = settings_of(options, run.settings)
        beginning.redirect(opened, run, goal, settings)
    is_followed = goal is run.goal and is_at_work(run, supervisor)
    stands_by = bool(options.get("standby"))
    try:
        follow(
            session,
            run.run_id,
            supervisor_name(),
            goal,
            is_patient=not is_followed,
            stands_by=stands_by,
        )
    except AlreadySupervised as error:
        # One that was killed keeps the lease for as long as its session, and would read no pace.
        if settings == run.settings:
            raise
        output.note(f"{error.supervisor} goes on with it, at the new pace")


QUESTIONS = {
    Goal.FORWARD: "go on with it?",
    Goal.CANCEL: "give up what is under way?",
    Goal.ROLLBACK: "restore the previous replicas?",
}


def nothing_left(run: MoveRun, goal: Goal) -> str:
    """Return why *run* has nothing to do for *goal*; empty where it has."""
    if goal is Goal.FORWARD and run.state in (RunState.DONE, RunState.ROLLED_BACK):
        return "is done" if run.state is RunState.DONE else "was rolled back: plan again"
    if goal is Goal.CANCEL and run.state.is_final:
        return f"has ended ({run.state})"
    if goal is Goal.ROLLBACK and run.state is RunState.ROLLED_BACK:
        return "was rolled back"
    return ""


def is_at_work(run: MoveRun, supervisor: str | None) -> bool:
    return supervisor is not None and supervisor == run.supervisor
