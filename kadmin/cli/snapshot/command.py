"""`kadmin snapshot`: keep a cluster in a file, show such a file, and compare two, or one with now.

Writes to no cluster.
"""

from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import default_min_isr_option
from kadmin.cli.files import STDIN
from kadmin.cli.frame import Group, group_command
from kadmin.cli.options import argument, option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from kadmin.snapshots.saved import SavedCluster

NOW: Final = "now"
"""What the cluster as it is called beside files."""

SECTIONS: Final = (
    *("cluster", "brokers", "topics", "configs", "quotas", "acls", "log-dirs", "groups"),
)


class SectionList(click.ParamType):  # type: ignore[type-arg]  # generic only for newer click
    """Names of sections, separated by commas."""

    name = "sections"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(part.strip() for part in str(value).split(",") if part.strip())
        wrong = [name for name in names if name not in SECTIONS]
        if wrong or not names:
            what = ", ".join(f"'{name}'" for name in wrong) or "nothing"
            self.fail(f"{what} is none of: {', '.join(SECTIONS)}", param, ctx)
        return names


@click.group("snapshot", cls=Group, speaks_to_brokers=True)
def snapshot() -> None:
    """Keep a cluster in a file, show such a file in a ticket, and compare two of them, or one with
    the cluster as it is now.

    Save before a change, and after it see what differs. 'kadmin simulate' takes such a file in
    place of a live cluster.
    """


@group_command(snapshot, "save", short_help="Save the cluster in a file.", speaks_to_brokers=True)
@argument("file")
@option("--groups", is_flag=True, help="With groups of consumers and their committed offsets.")
@option(
    "--no-brokers",
    is_flag=True,
    help="Ask only ZooKeeper, and no broker about its log directories.",
)
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def save(session: Session, file: str, groups: bool, no_brokers: bool, force: bool) -> None:
    """Save the cluster in FILE, as JSON in a fixed order; '-' is standard output.

    Compressed if FILE ends in .gz. It has the cluster's id, its brokers with their racks, the
    controller, topics with their replicas, leaders, ISRs, epochs and versions, dynamic configs,
    quotas, ACLs, and the sizes of replicas by log directory. What cannot be read is named in it.
    Passwords and SCRAM credentials are never in it: only the names of those that are left out.

    \b
    Examples:
      kadmin snapshot save before.json.gz
      kadmin snapshot save before.json --groups --bootstrap-server broker1:9092
    """
    from kadmin.app.snapshot_files import check_target, write_snapshot_file
    from kadmin.app.snapshots import WITHOUT_GROUPS, read_saved
    from kadmin.snapshots.saved import Section
    from kadmin.snapshots.writing import lines_of
    from kadmin.wording import amount, counted

    if file != STDIN:
        check_target(file, overwrites=force)
    sections = frozenset(Section) if groups else WITHOUT_GROUPS
    saved = read_saved(session, sections, asks_brokers=not no_brokers)
    warn_of_gaps(session, saved)
    if file == STDIN:
        session.output.stdout.writelines(lines_of(saved))
        return
    size = write_snapshot_file(file, saved)
    session.output.note(
        f"saved {counted(len(saved.cluster.topics), 'topic')} with"
        f" {counted(saved.partition_count, 'partition')} in {file} ({amount(size)})"
    )


@group_command(snapshot, "show", short_help="Show what is in a file.")
@argument("file")
@default_min_isr_option(source="no snapshot has")
def show(session: Session, file: str, default_min_isr: int) -> None:
    """Show what is in FILE: counts, brokers and their load, and partitions with which something is
    wrong.

    \b
    Examples:
      kadmin snapshot show before.json.gz
      kadmin snapshot show before.json --output json
    """
    from kadmin.app.snapshot_files import read_snapshot_file
    from kadmin.render.snapshots.show import snapshot_document
    from kadmin.snapshots.summary import summary_of

    session.output.show(snapshot_document(summary_of(read_snapshot_file(file), default_min_isr)))


@group_command(
    snapshot,
    "diff",
    short_help="Compare two files, or a file with the cluster as it is.",
    speaks_to_brokers=True,
)
@argument("before")
@argument("after", required=False)
@option(
    "--only",
    type=SectionList(),
    default=None,
    metavar="SECTIONS",
    help=f"Compare only these, separated by commas: {', '.join(SECTIONS)}.",
)
@option(
    "--no-brokers",
    is_flag=True,
    help="Of the cluster as it is, ask only ZooKeeper, and no broker about its log directories.",
)
def compare(
    session: Session,
    before: str,
    after: str | None,
    only: tuple[str, ...] | None,
    no_brokers: bool,
) -> None:
    """Compare the snapshot BEFORE with the snapshot AFTER, or with the cluster as it is now,
    worst first.

    What one of the two could not read is named, and is never called removed. Sizes and committed
    offsets that grow are no differences; offsets that fall are. The exit code is 4 where there are
    differences.

    \b
    Examples:
      kadmin snapshot diff before.json.gz
      kadmin snapshot diff monday.json tuesday.json --only topics,configs
    """
    from kadmin.app.snapshot_files import read_snapshot_file
    from kadmin.app.snapshots import read_saved
    from kadmin.render.snapshots.differences import diff_document
    from kadmin.snapshots.diff import diff
    from kadmin.snapshots.saved import Section

    old = read_snapshot_file(before)
    sections = frozenset(Section if only is None else map(Section, only))
    if after is not None:
        new = read_snapshot_file(after)
    else:
        wanted = sections - ({Section.GROUPS} if old.groups is None else set())
        new = read_saved(session, wanted, asks_brokers=not no_brokers)
    report = diff(old, new, (before, NOW if after is None else after), sections)
    session.output.show(diff_document(report))
    if report.differences:
        click.get_current_context().exit(ExitCode.FOUND)


def warn_of_gaps(session: Session, saved: "SavedCluster") -> None:
    """Warn of what is missing in *saved*, and note which secrets are left out of it."""
    from kadmin.wording import listed

    for text in dict.fromkeys(fault.text for fault in saved.faults):
        session.output.warn(f"left out: {text}")
    if saved.secrets:
        session.output.note(f"left out, since they are secret: {listed(saved.secrets)}")
