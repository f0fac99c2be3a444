"""What may be done next about a reassignment, as lines that can be pasted.

From the options that were given, and of a cancellation its plan; does not know the cluster.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kadmin.cli.files import STDIN
from kadmin.cli.hint_command import command_line
from kadmin.plan.reassignment.moves import MovePlan

WANTED: Final = ("reassignment_json_file", "topic", "partitions", "replicas", "from_broker")
"""The options that choose the wanted replicas, which go with every action."""

PLAN_FILE: Final = "plan.json"
ROLLBACK_FILE: Final = "ROLLBACK-FILE"


def after_proposal() -> str:
    return (
        f"next: keep the proposed line in a file such as {PLAN_FILE}, and see what it would do:"
        f" kadmin reassign --execute --reassignment-json-file {PLAN_FILE} --dry-run"
    )


def after_dry_run(options: Mapping[str, Any]) -> Iterator[str]:
    """Return the same without --dry-run; nothing where standard input would be read once more."""
    if not reads_stdin(options):
        yield f"next: {command_line('reassign', options, without=('dry_run',))}"


def after_execution(options: Mapping[str, Any], rollback_path: str | None) -> Iterator[str]:
    """Return how it goes on, is given up, or taken back.

    *rollback_path* is None where nothing moves.
    """
    if not options["wait"]:
        yield f"next: {verification(options)}"
    if rollback_path is None:
        return
    file = {"reassignment_json_file": rollback_path}
    yield f"to cancel: {command_line('reassign', {'cancel': True, **file})}"
    yield f"to undo it when it is done: {command_line('reassign', {'execute': True, **file})}"


def after_cancellation(
    options: Mapping[str, Any], plan: MovePlan, *, only_reorders: bool
) -> Iterator[str]:
    """Return commands that restore the order of replicas; none where they are known to stand as
    before.

    *only_reorders* if the file that was given moves nothing.
    """
    if all(
        move.named == move.target.replicas or len(move.target.replicas) == 1 for move in plan.asked
    ):
        return
    file, how = options["reassignment_json_file"], ", which moves no data"
    if not only_reorders or reads_stdin(options):
        file, how = ROLLBACK_FILE, ""
    yield (
        f"to put the replicas back in their previous order, once this is done{how}:"
        f" {command_line('reassign', {'execute': True, 'reassignment_json_file': file})}"
    )


def after_interrupt(options: Mapping[str, Any]) -> str:
    """Describe what goes on after an interrupt, and how to follow it."""
    text = "the moves go on; their throttles stay until --verify"
    if reads_stdin(options):
        return f"{text}, with the same file, finds it done; what is moving: {verification(options)}"
    return f"{text} finds it done: {verification(options)}"


def verification(options: Mapping[str, Any], **more: object) -> str:
    """Return the command that shows the progress; that of all moves where the file was standard
    input."""
    if reads_stdin(options):
        return command_line("reassign", {"list_": True})
    return command_line("reassign", {"verify": True, **wanted(options), **more})


def execution(options: Mapping[str, Any]) -> str | None:
    """Return what asks for the same once more; None where the options do not say all of it."""
    if reads_stdin(options) or options["from_broker"] is not None:
        return None
    return command_line("reassign", {"execute": True, **wanted(options)})


def wanted(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in WANTED}


def reads_stdin(options: Mapping[str, Any]) -> bool:
    return bool(options["reassignment_json_file"] == STDIN)
