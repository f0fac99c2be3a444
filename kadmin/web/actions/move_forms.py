"""Forms about moves of replicas and their throttles, as actions."""

from typing import Final

from kadmin.app.actions.action import Action
from kadmin.app.actions.moves import RedirectRun, RunMoves
from kadmin.app.actions.throttles import ReleaseThrottles
from kadmin.app.evidence import now_ms
from kadmin.app.move_plans import Wish, plan_of
from kadmin.arguments.moves import parse_replacements
from kadmin.arguments.topics import selection_of
from kadmin.errors import RefusedError
from kadmin.execute.user_and_host import user_and_host
from kadmin.extras import Extra, require_extra
from kadmin.plan.moves.request import Goal, Request, check_arguments
from kadmin.plan.supervision import run
from kadmin.quoting import quoted
from kadmin.web.actions.fields import Values
from kadmin.web.actions.topic_forms import REPLICAS_MAX, existing
from kadmin.web.visit import Visit

MEGABYTE: Final = 1_000_000
RATE_MAX: Final = 1_000_000
MOVES_MAX: Final = 100_000

OF_GOALS: Final = ("brokers", "replace", "replication_factor", "above")
"""The fields that only some goals take."""


class NothingToMove(RefusedError):
    """The cluster is as the goal wants it."""

    def __init__(self, goal: Goal) -> None:
        super().__init__(f"nothing to move: the goal {goal} is reached")


def plan(visit: Visit, values: Values) -> Action:
    """Plan the moves, which are shown before they are confirmed.

    Raises:
        NothingToMove: the plan is empty.
    """
    require_extra("serve", Extra.PLAN, "scipy")
    wish, options = wish_of(values)
    rate = values.number("throttle", 1, RATE_MAX)
    settings = run.Settings(
        max_moves=values.number("max_moves", 1, MOVES_MAX) or run.MAX_MOVES,
        rate=None if rate is None else rate * MEGABYTE,
    )
    _, made = plan_of(visit.of.new_session(), wish, now_ms())
    if not made.plan.moves:
        raise NothingToMove(wish.request.goal)
    return RunMoves(
        made=made.plan,
        options=options,
        settings=settings,
        by=f"{visit.visitor.name} by {user_and_host()}",
        supervise=visit.serving.supervisors_of(visit.of).supervise,
    )


def wish_of(values: Values) -> tuple[Wish, str]:
    """Return what the form asks for, and the options of the command that say so.

    Raises:
        UsageError: what does not go together, or cannot be meant.
    """
    goal = Goal(values.choice("goal"))
    given = {name: values.is_set(name) for name in OF_GOALS}
    check_arguments(goal, given)
    topics, excluded = values.names("topics"), values.names("exclude_topics")
    request = Request(
        goal=goal,
        brokers=values.brokers("brokers"),
        replacements=parse_replacements(values.text("replace")) if given["replace"] else {},
        replication_factor=values.number("replication_factor", 1, REPLICAS_MAX),
        above_percent=values.number("above", 1, 100),
        excluded_brokers=values.brokers("exclude_brokers"),
    )
    wish = Wish(
        request=request,
        topics=selection_of(topics, is_regex=False),
        excluded_topics=selection_of(excluded, is_regex=False) if excluded else None,
        snapshot_file=None,
        asks_brokers=True,
    )
    words = [f"--goal {goal}"]
    for name in (*OF_GOALS, "exclude_brokers"):
        if values.is_set(name):
            words.append(f"--{name.replace('_', '-')} {quoted(values.text(name))}")
    words += [f"--topic {quoted(name)}" for name in topics]
    words += [f"--exclude-topic {quoted(name)}" for name in excluded]
    return wish, " ".join(words)


def redirect(visit: Visit, values: Values) -> Action:
    return RedirectRun(
        run_id=values.needed("run"),
        goal=run.Goal(values.choice("goal")),
        supervise=visit.serving.supervisors_of(visit.of).supervise,
    )


def release(visit: Visit, values: Values) -> Action:
    topics = values.names("topics")
    return ReleaseThrottles(
        brokers=values.brokers("brokers"), topics=existing(visit, topics) if topics else ()
    )
