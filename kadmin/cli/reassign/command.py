"""`kadmin reassign`: what is to be done about which replicas?

The reading actions are here; what asks for moves is in `kadmin.cli.reassign.execution`.
"""

import random
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import SAFETY, dry_run_option, yes_option
from kadmin.cli.files import name_of, read_text
from kadmin.cli.frame import command_with_subcommands
from kadmin.cli.options import ByteRate, WholeNumber, action, chosen_action, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option

if TYPE_CHECKING:
    from kadmin.cli.reassign.targets import TargetsIn

ACTIONS: Final = "Actions (exactly one)"
PROPOSAL: Final = "Generate"
TARGETS: Final = "Execute, verify"
SHORT: Final = "Execute, verify, without a file"

DRAW_MAX: Final = 2**31 - 1
RATE_MAX: Final = 2**63 - 1
"""Brokers keep rates as a Java long."""


RUNS: Final = "kadmin.cli.reassign.runs"
SUBCOMMANDS: Final = {
    "plan": (
        "kadmin.cli.reassign.plan",
        "plan",
        "Plan moves for a goal, with the least movement; changes nothing.",
    ),
    "run": (f"{RUNS}.run", "run", "Carry out a plan under supervision."),
    "resume": (f"{RUNS}.redirect", "resume", "Go on with an interrupted run."),
    "status": (f"{RUNS}.status", "status", "See how far a run is."),
    "cancel": (f"{RUNS}.redirect", "cancel", "Give up what is under way of a run."),
    "rollback": (f"{RUNS}.redirect", "rollback", "Restore the replicas from before a run."),
    "list": (f"{RUNS}.status", "list_", "See all runs."),
}


@command_with_subcommands(
    "reassign",
    SUBCOMMANDS,
    short_help="Move partitions to other brokers.",
    speaks_to_brokers=True,
)
@action("--generate", section=ACTIONS, help="Propose replicas for topics; changes nothing.")
@action("--execute", section=ACTIONS, help="Ask the controller for the moves of a file.")
@action(
    "--verify", section=ACTIONS, help="Tell how far the moves are; when done, remove the throttles."
)
@action("--cancel", section=ACTIONS, help="Stop moves that are still going on.")
@action("--list", "list_", section=ACTIONS, help="Show all that is moving.")
@option(
    "--topics-to-move-json-file",
    metavar="FILE",
    section=PROPOSAL,
    actions=("generate",),
    help='File with {"topics":[{"topic":"t"}],"version":1}; - is standard input.',
)
@option(
    "--broker-list",
    metavar="ID,…",
    section=PROPOSAL,
    actions=("generate",),
    help="The brokers to put the replicas on.",
)
@option(
    "--disable-rack-aware",
    is_flag=True,
    section=PROPOSAL,
    actions=("generate",),
    help="Place replicas without regard to racks.",
)
@option(
    "--reassignment-json-file",
    metavar="FILE",
    section=TARGETS,
    actions=("execute", "verify", "cancel"),
    help="File with the wanted replicas, as --generate prints it; - is standard input.",
)
@option(
    "--topic",
    metavar="NAME",
    section=SHORT,
    actions=("execute", "verify", "cancel"),
    completes="topics",
    help="A topic whose partitions are to move to --replicas, or to be left where they are.",
)
@option(
    "--partitions",
    "--partition",
    "partitions",
    metavar="N,…",
    section=SHORT,
    actions=("execute", "verify", "cancel"),
    help="Which of its partitions; without it, all.",
)
@option(
    "--replicas",
    metavar="ID,…",
    section=SHORT,
    actions=("execute", "verify"),
    help="The brokers to move them to, the preferred leader first.",
)
@option(
    "--from-broker",
    type=WholeNumber(min=0),
    metavar="ID",
    section=SHORT,
    actions=("execute", "verify"),
    help="A broker to empty, alive or not.",
)
@option(
    "--to-brokers",
    metavar="ID,…",
    section=SHORT,
    actions=("execute",),
    help="The brokers that may take its replicas.",
)
@option(
    "--throttle",
    type=ByteRate(min=1, max=RATE_MAX),
    metavar="BYTES",
    section=TARGETS,
    actions=("execute",),
    help="Limit the copying to so many bytes per second at each broker, such as 50MB or 48MiB.",
)
@option(
    "--replica-alter-log-dirs-throttle",
    type=ByteRate(min=1, max=RATE_MAX),
    metavar="BYTES",
    section=TARGETS,
    actions=("execute",),
    help="The same for copying between log directories of a broker; only by brokers.",
)
@option(
    "--additional",
    is_flag=True,
    section=TARGETS,
    actions=("execute",),
    help=(
        "Allow other moves to be going on; beside those that were asked of ZooKeeper, "
        "only by brokers. Moves that are going on get the throttle, too."
    ),
)
@option(
    "--wait",
    is_flag=True,
    section=TARGETS,
    actions=("execute", "verify"),
    help=(
        "Wait until everything is done, however long it takes, show the progress, and end "
        "like --verify."
    ),
)
@option(
    "--preserve-throttles",
    is_flag=True,
    section=TARGETS,
    actions=("execute", "verify", "cancel"),
    help="Leave the throttles in place at the end.",
)
@option(
    "--rollback-file",
    metavar="FILE",
    section=SAFETY,
    actions=("execute",),
    help="A new file for the current assignment; without it, one in this directory.",
)
@dry_run_option(("execute", "cancel"))
@yes_option(("execute", "cancel"), help="Do not ask on a terminal.")
@watch_option("List", actions=("list",))
def reassign(session: Session, **options: Any) -> None:
    """Move partitions to other brokers, with the options of kafka-reassign-partitions.

    It goes through ZooKeeper (any release), or through the brokers (2.4 and later). --execute
    prints the current assignment and keeps it in a rollback file, which is on the disk before
    anything is written; on a terminal it asks. A plan that is too large for one znode is sent in
    parts, each when the one before it is done.

    Without a file, --topic with --partitions and --replicas names what to move, or --from-broker
    empties a broker with as few moves as possible.

    --verify exits with 0 if everything is done, 3 while something is still moving, and 4 if
    replicas are not those asked for. When nothing is moving any more it removes the throttles that
    --execute has set, and restores what was there before; throttles that others have set stay,
    and are named.

    --cancel stops the moves of the partitions of a file, or of --topic, that are still going on,
    and then treats the throttles in the same way. Brokers of Kafka 2.4 or later do that. Through
    ZooKeeper it works with any release, but another controller has to be elected for it, so it
    always asks first; and before 2.4 only the rollback file has where the partitions were before.
    What a request in ZooKeeper asks for and no controller will take up (a partition that is gone;
    without a controller, a move that has not begun) it removes.

    Only brokers know the log directories that a file may name in log_dirs ("any" for replicas that
    may lie in any of them).

    \b
    Examples:
      kadmin reassign --generate --topics-to-move-json-file topics.json --broker-list 1,2,3
      kadmin reassign --execute --reassignment-json-file plan.json --dry-run
      kadmin reassign --execute --reassignment-json-file plan.json --throttle 50000000
      kadmin reassign --verify --reassignment-json-file plan.json
      kadmin reassign --execute --topic orders --partitions 0 --replicas 1,2,3
      kadmin reassign --execute --from-broker 4 --to-brokers 1,2,3 --wait
      kadmin reassign --list
    """
    action = chosen_action(options)
    if action == "generate":
        generate(session, options)
    elif action == "list":
        list_moves(session, options["watch"])
    elif action == "cancel":
        from kadmin.cli.reassign.cancellation import cancel

        cancel(session, options)
    else:
        carry_out_or_verify(session, action, options)


def carry_out_or_verify(session: Session, action: str, options: dict[str, Any]) -> None:
    from kadmin.cli.reassign.interruption import Interruption
    from kadmin.cli.reassign.targets import wanted_by

    wanted = wanted_by(options, is_asked=action == "execute")
    is_waiting = action == "verify" and options["wait"]
    with Interruption(session, options, is_begun=is_waiting) as interruption:
        if action == "execute":
            from kadmin.cli.reassign.execution import execute

            execute(session, wanted, options, interruption)
        if action == "verify" or (options["wait"] and not options["dry_run"]):
            verify_targets(session, wanted.verified, options)


def generate(session: Session, options: dict[str, Any]) -> None:
    from kadmin.arguments.numbers import parse_broker_list
    from kadmin.arguments.reassignment_files import TOPICS_HINT, parse_topics
    from kadmin.arguments.topics import TopicSelection
    from kadmin.cli.reassign.next_steps import after_proposal
    from kadmin.plan.broker_names import refuse_unknown_brokers
    from kadmin.plan.reassignment.generate import propose
    from kadmin.render.reassign.moves import proposal_document, proposal_warnings

    path, brokers = options["topics_to_move_json_file"], options["broker_list"]
    if path is None or brokers is None:
        raise click.UsageError("--generate needs both --topics-to-move-json-file and --broker-list")
    wanted = parse_broker_list(brokers)
    topics = parse_topics(read_text(path, TOPICS_HINT), name_of(path))
    with session.reassignments() as admin:
        snapshot = admin.snapshot(TopicSelection(wanted=topics), with_states=False)
        if any(broker not in snapshot.live for broker in wanted):
            refuse_unknown_brokers(admin.snapshot(TopicSelection(), with_states=False), wanted)
    proposal = propose(
        snapshot,
        topics,
        wanted,
        is_rack_aware=not options["disable_rack_aware"],
        draw=lambda: (random.randint(0, DRAW_MAX), random.randint(0, DRAW_MAX)),
    )
    session.output.show(proposal_document(proposal))
    for warning in proposal_warnings(proposal):
        session.output.warn(warning)
    session.note(after_proposal())


def list_moves(session: Session, seconds: float | None) -> None:
    from kadmin.execute.reassign_status import ongoing
    from kadmin.render.reassign.moves import list_document, list_total, list_warnings

    seen: set[object] = set()

    def show() -> None:
        with session.reassignments() as admin:
            found = ongoing(admin)
        moving = {move.partition for move in found.moves} | {move.replica for move in found.dirs}
        seen.update(moving)
        session.output.show(
            list_document(found.moves, found.dirs, found.sizes, found.ends, found.stale)
        )
        if seen:
            ended = len(seen) - len(moving)
            session.output.note(list_total(found.moves, found.dirs, found.sizes, ended=ended))
        moving_now = [move.partition for move in found.moves]
        for warning in list_warnings(
            found.stale, moving_now, lacks_controller=found.lacks_controller
        ):
            session.warn(warning)
        for fault in found.unread:
            session.warn(f"left out: {fault}")

    watch(session, seconds, show)


def verify_targets(session: Session, targets_in: "TargetsIn", options: dict[str, Any]) -> None:
    """Report the state of all that is wanted, and fail unless it is done."""
    from kadmin.cli.reassign.next_steps import execution, verification
    from kadmin.cli.reassign.targets import Emptied
    from kadmin.execute.reassign_status import verify
    from kadmin.execute.reassign_wait import wait_until_moved
    from kadmin.plan.broker_names import NoSuchBroker
    from kadmin.render.reassign.moves import throttle_notes, throttle_warnings, verify_document

    output = session.output
    # The result of a wait is seen at once, and the command ends with it.
    output.pager = None
    if options["wait"]:
        wait_until_moved(session.reassignments, targets_in, output.note, options["throttle"])
    keeps_throttles = options["preserve_throttles"]
    with session.reassignments() as admin:
        found = verify(admin, targets_in, keeps_throttles=keeps_throttles, warn=session.warn)
    output.show(verify_document(found.judged, found.dirs, found.throttles))
    if found.throttles is not None:
        for note in throttle_notes(found.throttles):
            output.note(note)
        for warning in throttle_warnings(found.throttles):
            session.warn(warning)
    if keeps_throttles and not options["wait"]:
        session.note(f"to put the throttles back when it is done: {verification(options)}")
    if isinstance(targets_in, Emptied) and not found.judged:
        # One that was slowed down was there, even if it has left no other trace.
        if not (targets_in.is_known or found.slowed(targets_in.broker)):
            raise NoSuchBroker([targets_in.broker], ())
        output.note(f"broker {targets_in.broker} has no replica")
    found.check(verification(options, wait=True), execution(options))
