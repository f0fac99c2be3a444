"""`kadmin delete-records`: which records are to go, before which offset or time?"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import SAFETY, yes_option
from kadmin.cli.frame import command
from kadmin.cli.options import exactly_one, forbid, option
from kadmin.cli.partition_options import partition_numbers, partition_options
from kadmin.cli.session import Session
from kadmin.errors import UsageError

if TYPE_CHECKING:
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.record_deletion import DeletionPlan, Wanted

SELECTION: Final = "Which partitions"
RECORDS: Final = "Which records (exactly one)"


@command(
    "delete-records", short_help="Delete the oldest records of topics.", speaks_to_brokers=True
)
@partition_options(SELECTION)
@option(
    "--before-offset",
    metavar="OFFSET",
    section=RECORDS,
    help="All before this offset, which stays; latest for all that is there now.",
)
@option(
    "--before-time",
    metavar="WHEN",
    section=RECORDS,
    help=(
        "All before the first record at or after this time ('2026-11-20 03:12', -7d, ms "
        "since 1970); if there is none, all."
    ),
)
@option(
    "--offset-json-file",
    metavar="FILE",
    section=RECORDS,
    help='File with {"partitions": [{"topic": "t", "partition": 0, "offset": 42}], "version": 1};'
    " offset -1 is the end, - as FILE is standard input.",
)
@option("--dry-run", is_flag=True, section=SAFETY, help="Show the plan and delete nothing.")
@yes_option()
def delete_records(session: Session, **options: Any) -> None:
    """Delete the oldest records of topics, with the option of kafka-delete-records.

    It goes through the brokers (Kafka 0.11 and later), those of --bootstrap-server or those
    registered in ZooKeeper. Deleted records are gone for good, whatever retention says: the plan
    shows how many records that is in each partition, and kadmin always asks; scripts need --yes.
    Records that arrive while it asks are kept, even with latest. Running the command again deletes
    nothing more, unless records have arrived before the same offset or time.

    If a partition does not have an offset that was given, the command is refused and nothing is
    deleted. Brokers refuse topics that are only compacted. Exits with 1 if a leader refused, and
    with 3 if leaders have deleted and some replica has not yet.

    \b
    Examples:
      kadmin delete-records --topic orders --before-time -7d --dry-run
      kadmin delete-records --topic orders --partitions 3 --before-offset 4711
      kadmin delete-records --topic 'test-*' --before-offset latest --yes
      kadmin delete-records --offset-json-file offsets.json
    """
    from kadmin.admin.wire.wire_records import WireRecords
    from kadmin.cli.changing import make
    from kadmin.execute.delete_records import RecordDeletions
    from kadmin.render.record_deletion import plan_lines, planned_document, result_document

    wanted = wanted_of(options)
    selection = selection_for(options, wanted)
    numbers = partition_numbers(options)
    with session.connect_brokers() as brokers:
        deletions = RecordDeletions(WireRecords(brokers), selection, numbers, wanted)

        def report(plans: "Sequence[DeletionPlan]", *, is_dry_run: bool) -> None:
            if is_dry_run:
                session.output.show(planned_document(plans))
            elif plans:
                session.output.show(result_document(deletions.results))

        make(
            deletions,
            session.output,
            lines=plan_lines,
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"],
        )
    deletions.check()


def wanted_of(options: dict[str, Any]) -> "Wanted":
    """Return which records to delete, from the one option that is given for it.

    Raises:
        click.UsageError: none or several are given, or another option does not go with it.
        UsageError: its value cannot be parsed.
    """
    from kadmin.arguments.offsets_file import FILE_HINT, INT64_MAX, parse_offsets
    from kadmin.plan.record_deletion import BeforeOffset, BeforeOffsets, BeforeTime

    given = {
        "--before-offset": options["before_offset"] is not None,
        "--before-time": options["before_time"] is not None,
        "--offset-json-file": options["offset_json_file"] is not None,
    }
    chosen = exactly_one(given, "which records are meant")
    if chosen == "--offset-json-file":
        from kadmin.cli.files import read_text

        used = {
            "--topic": bool(options["topics"]),
            "--regex": options["regex"],
            "--partitions": bool(options["partitions"]),
        }
        forbid([name for name, is_used in used.items() if is_used], chosen)
        path = options["offset_json_file"]
        return BeforeOffsets(parse_offsets(read_text(path, FILE_HINT), path))
    if not options["topics"]:
        raise click.UsageError(f"{chosen} needs --topic")
    from kadmin.arguments.moments import parse_moment
    from kadmin.plan.offsets import LATEST

    if chosen == "--before-time":
        time_ms = parse_moment(options["before_time"], time.time_ns() // 1_000_000)
        if time_ms < 0:
            raise UsageError(
                f"--before-time takes a time, not '{options['before_time']}'",
                hint="--before-offset latest takes all that there is",
            )
        return BeforeTime(time_ms)
    text = options["before_offset"].strip()
    if text == "latest":
        return BeforeOffset(LATEST)
    if text == str(LATEST):
        # Kafka's file means the end by it; typed, it is more likely a slip, and all would go.
        raise UsageError(
            f"--before-offset takes no {text}: that is the end in --offset-json-file only",
            hint="--before-offset latest takes all that there is now",
        )
    if not (text.isascii() and text.isdigit() and int(text) <= INT64_MAX):
        raise UsageError(f"'{text}' is no offset", hint="a number, or latest for the end")
    return BeforeOffset(int(text))


def selection_for(options: dict[str, Any], wanted: "Wanted") -> "TopicSelection":
    """Return the topics that are named, by options or in the file."""
    from kadmin.arguments.topics import TopicSelection, selection_of
    from kadmin.plan.record_deletion import BeforeOffsets

    if isinstance(wanted, BeforeOffsets):
        return TopicSelection(wanted=tuple(dict.fromkeys(each.topic for each in wanted.offsets)))
    return selection_of(options["topics"], is_regex=options["regex"])
