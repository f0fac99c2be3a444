"""`kadmin dump-log`: what is in the files of a log directory?"""

import json
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import WholeNumber, argument, option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, UsageError
from kadmin.settings.keys import OutputFormat

if TYPE_CHECKING:
    from cluster.formats.records import Record
    from kadmin.segments.dump import DumpOptions
    from kadmin.segments.pieces import Decoded, Finding, Piece
    from kadmin.segments.values import Source

MESSAGE_SIZE_MAX: Final = 5 * 1024**2
BYTES_MAX: Final = 2**31 - 1
FINDINGS_MAX: Final = 100_000
"""How many of each file are kept until the end; a compacted segment can have one a record."""


@command("dump-log", short_help="Print segments, indexes, snapshots and checkpoints.")
@argument("paths", nargs=-1, metavar="[FILE]...")
@option(
    "--files",
    metavar="FILE,FILE",
    help="The same as naming the files as FILE, separated by commas.",
)
@option("--deep-iteration", is_flag=True, help="Print the records of each batch, too.")
@option(
    "--print-data-log",
    is_flag=True,
    help="Print keys and values as well, with or without --deep-iteration.",
)
@option(
    "--offsets-decoder",
    is_flag=True,
    help="Decode records of __consumer_offsets; keys and values are printed.",
)
@option(
    "--transaction-log-decoder",
    is_flag=True,
    help="Decode records of __transaction_state; keys and values are printed.",
)
@option(
    "--cluster-metadata-decoder",
    is_flag=True,
    help="Decode records of __cluster_metadata; they are printed.",
)
@option("--skip-record-metadata", is_flag=True, help="Print only keys and values of records.")
@option(
    "--index-sanity-check",
    is_flag=True,
    help="Only report whether a broker would rebuild an index when it starts.",
)
@option(
    "--verify-index-only",
    is_flag=True,
    help="Only report where indexes are wrong, without their entries.",
)
@option(
    "--max-message-size",
    metavar="BYTES",
    type=WholeNumber(min=1),
    default=MESSAGE_SIZE_MAX,
    show_default=True,
    help="The largest batch that an offset index may point to.",
)
@option(
    "--max-bytes",
    metavar="BYTES",
    type=WholeNumber(min=1),
    help="Read at most this much of each segment.",
)
def dump_log(session: Session, paths: tuple[str, ...], **options: Any) -> None:
    """Print what is in the files of a log directory, as kafka-dump-log does.

    FILE is a segment (.log), one of its indexes (.index, .timeindex, .txnindex), a producer
    snapshot (.snapshot), a snapshot of a KRaft controller (.checkpoint) or another checkpoint, of
    any Kafka release and message format or of an embedded broker; also one that a broker has
    renamed (.swap, .cleaned, .deleted). No broker is asked, and
    none has to be stopped. The lines are those of Kafka 3.9's own tool. Indexes are compared with
    the segment beside them. Wrong index entries, batches with a wrong checksum and bytes that are
    not a batch are reported on standard error and make the exit code 4. A damaged file does not end
    the run. --output json prints an object for every line and for everything that is wrong.

    The decoders read what coordinators keep in __consumer_offsets (commits, groups with their
    members) and in __transaction_state, and what KRaft controllers keep in __cluster_metadata. The
    line of a record that is none of them has the reason.

    \b
    Examples:
      kadmin dump-log data/orders-0/00000000000000000000.log
      kadmin dump-log --print-data-log data/orders-0/00000000000000000000.log | head
      kadmin dump-log --offsets-decoder data/__consumer_offsets-7/*.log | grep billing
      kadmin dump-log --cluster-metadata-decoder data/__cluster_metadata-0/*.checkpoint
      kadmin dump-log --verify-index-only data/orders-0/*.index data/orders-0/*.timeindex
      kadmin dump-log data/orders-0/leader-epoch-checkpoint --output json
    """
    from kadmin.segments.dump import DumpOptions

    form = session.output.form
    if form not in (OutputFormat.TEXT, OutputFormat.JSON):
        raise UsageError(
            f"a dump has no form {form}, since its pieces differ", hint="--output json"
        )
    decode = decoder_of(options)
    with_content = options["print_data_log"] or decode is not None
    asked = DumpOptions(
        is_deep=options["deep_iteration"] or with_content,
        decode=decode,
        only_sanity=options["index_sanity_check"],
        only_indexes=options["index_sanity_check"] or options["verify_index_only"],
        message_size_max=options["max_message_size"],
        # Kafka's own default means all of it.
        bytes_max=None if options["max_bytes"] == BYTES_MAX else options["max_bytes"],
    )
    shown = Shown(session, options, with_content=with_content)
    unread = [name for name in files_of(paths, options["files"]) if not shown.dump(name, asked)]
    shown.tell_findings()
    if unread:
        click.get_current_context().exit(ExitCode.FAILED)
    if shown.has_damage:
        click.get_current_context().exit(ExitCode.FOUND)


def decoder_of(options: dict[str, Any]) -> "Callable[[Record], Decoded] | None":
    """Return what decodes the records, if a decoder is asked for."""
    from cluster.formats import coordinator_records, metadata_records
    from cluster.formats.coordinator_records import OFFSETS, TRANSACTIONS

    decoders: dict[str, Callable[[Record], Decoded]] = {
        "offsets_decoder": partial(coordinator_records.decoded, types=OFFSETS),
        "transaction_log_decoder": partial(coordinator_records.decoded, types=TRANSACTIONS),
        "cluster_metadata_decoder": metadata_records.decoded,
    }
    asked = [name for name in decoders if options[name]]
    if len(asked) > 1:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in asked)
        raise UsageError(
            f"{names} are of different topics",
            hint="one of them: __consumer_offsets has offsets, __transaction_state transactions,"
            " __cluster_metadata the metadata of a cluster without ZooKeeper",
        )
    return decoders[asked[0]] if asked else None


def files_of(paths: tuple[str, ...], files: str | None) -> list[str]:
    names = [*paths, *(name for name in (files or "").split(",") if name)]
    if not names:
        raise UsageError("no file is named", hint="kadmin dump-log FILE")
    return names


class Shown:
    """What has been shown of a dump, and what is kept of it until the end."""

    def __init__(self, session: Session, options: dict[str, Any], *, with_content: bool) -> None:
        self.output = session.output
        self.is_json = self.output.form is OutputFormat.JSON
        self.with_content = with_content
        self.with_metadata: bool = not options["skip_record_metadata"]
        self.hides_entries: bool = options["verify_index_only"]
        self.has_damage = False
        self.findings: dict[str, list[Finding]] = {}

    def dump(self, name: str, asked: "DumpOptions") -> bool:
        """Show the file *name*; whether it could be read."""
        from kadmin.jobs.segment_files import opened_file
        from kadmin.segments.dump import dump

        if not name:  # It would be the current directory's.
            self.output.warn("'': no file has an empty name")
            return False
        path = Path(name)
        with ExitStack() as opened:

            def beside(other: str) -> "Source | None":
                try:
                    return opened.enter_context(opened_file(path.with_name(other)))
                except FileNotFoundError:
                    self.output.warn(f"{name}: not compared: there is no {other} beside it")
                    return None

            try:
                source = opened.enter_context(opened_file(path))
                if not self.is_json:
                    self.output.line(f"Dumping {name}")
                for piece in dump(path.name, source, beside, asked):
                    self.show(name, piece)
            except OSError as error:
                if error.filename is None:
                    raise  # Of standard output; those of files have names.
                self.output.warn(f"{error.filename}: {error.strerror}")
                return False
        return True

    def show(self, name: str, piece: "Piece") -> None:
        from kadmin.render.dump_log.files import json_object, text_line
        from kadmin.segments.pieces import Finding, OffsetEntry, TimeEntry

        if isinstance(piece, Finding):
            self.keep(name, piece)
        elif self.hides_entries and isinstance(piece, OffsetEntry | TimeEntry):
            return
        if self.is_json:
            fields = json_object(piece, name, with_content=self.with_content)
            self.output.line(json.dumps(fields, ensure_ascii=False), is_json=True)
            return
        line = text_line(
            piece, name, with_content=self.with_content, with_metadata=self.with_metadata
        )
        if line is not None:
            self.output.line(line)

    def keep(self, name: str, finding: "Finding") -> None:
        """Report what is wrong now, or keep it for the end."""
        from kadmin.render.dump_log.files import warning

        self.has_damage |= finding.flaw.is_damage
        line = warning(finding, name)
        if line is not None:
            self.output.warn(line)
            return
        kept = self.findings.setdefault(str(Path(name).absolute()), [])
        if len(kept) < FINDINGS_MAX:
            kept.append(finding)
        elif len(kept) == FINDINGS_MAX:
            self.output.warn(f"{name}: only the first {FINDINGS_MAX} faults are listed at the end")
            kept.append(finding)

    def tell_findings(self) -> None:
        from kadmin.render.dump_log.files import findings_lines

        for line in findings_lines(self.findings):
            self.output.tell(line)
