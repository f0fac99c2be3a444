"""The way in: which command is meant, and what becomes of its failure?

The only place that turns an exception into a message and an exit code.
"""

import errno
import io
import os
import select
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import click

from kadmin.called_name import as_called, called_name
from kadmin.cli.frame import FLAGS, LazyGroup
from kadmin.errors import ExitCode, KadminError
from kadmin.settings.keys import Value, parse_flag
from kadmin.version import VERSION

CATALOG: Final = {
    "check": ("kadmin.cli.check.command", "check", "See what is wrong in the cluster."),
    "topics": ("kadmin.cli.topics.command", "topics", "See and change topics."),
    "configs": (
        "kadmin.cli.configs.command",
        "configs",
        "See and change dynamic configs of topics, brokers, users.",
    ),
    "acls": ("kadmin.cli.acls", "acls", "See and change who may do what."),
    "brokers": ("kadmin.cli.brokers", "brokers", "See the live brokers and their load."),
    "controller": ("kadmin.cli.controller", "controller", "See which broker is the controller."),
    "zookeeper": ("kadmin.cli.zookeeper", "zookeeper", "See the ZooKeepers of the cluster."),
    "api-versions": (
        "kadmin.cli.api_versions",
        "api_versions",
        "See which requests each broker serves.",
    ),
    "elect": ("kadmin.cli.elect", "elect", "Bring leaders back to their preferred brokers."),
    "reassign": (
        "kadmin.cli.reassign.command",
        "reassign",
        "Move partitions to other brokers.",
    ),
    "throttle": (
        "kadmin.cli.throttle.command",
        "throttle",
        "See throttles of replication, and release those left behind.",
    ),
    "log-dirs": (
        "kadmin.cli.log_dirs",
        "log_dirs",
        "See how much data is in brokers' log directories.",
    ),
    "metrics": ("kadmin.cli.metrics", "metrics", "See the metrics of brokers."),
    "offsets": ("kadmin.cli.offsets", "offsets", "See the offsets of partitions."),
    "groups": ("kadmin.cli.groups.command", "groups", "See and change groups of consumers."),
    "export": ("kadmin.cli.export", "export", "Export topics, offsets and lag to Prometheus."),
    "delete-records": (
        "kadmin.cli.delete_records",
        "delete_records",
        "Delete the oldest records of topics.",
    ),
    "lead": ("kadmin.cli.lead", "lead", "Run a command only while leading an election."),
    "produce": ("kadmin.cli.records.produce", "produce", "Write records to a topic."),
    "consume": ("kadmin.cli.records.consume", "consume", "Read records of topics."),
    "perf": ("kadmin.cli.perf.command", "perf", "Measure how fast records are written and read."),
    "merge-logs": (
        "kadmin.cli.merge_logs.command",
        "merge_logs",
        "Merge the state-change logs of all brokers.",
    ),
    "verify-replicas": (
        "kadmin.cli.verify_replicas.command",
        "verify_replicas",
        "Prove that replicas are equal, as files or as brokers serve them.",
    ),
    "collect": (
        "kadmin.cli.collect",
        "collect",
        "Bring log directories and logs of all brokers together.",
    ),
    "dump-log": (
        "kadmin.cli.dump_log",
        "dump_log",
        "Print segments, indexes, snapshots and checkpoints.",
    ),
    "snapshot": (
        "kadmin.cli.snapshot.command",
        "snapshot",
        "Keep a cluster in a file, and compare it later.",
    ),
    "simulate": (
        "kadmin.cli.simulate",
        "simulate",
        "See what would go offline if brokers failed or replicas moved.",
    ),
    "migration": (
        "kadmin.cli.migration.command",
        "migration",
        "Leave ZooKeeper for KRaft: checks before, during and on the way back.",
    ),
    "cluster": (
        "kadmin.cli.cluster.command",
        "cluster",
        "Run a cluster of your own on this machine, to try things.",
    ),
    "serve": (
        "kadmin.cli.serve",
        "serve",
        "Serve a page and an API for clusters.",
    ),
    "config": (
        "kadmin.cli.config",
        "config",
        "Settings of kadmin: name clusters, choose the current one.",
    ),
    "help": ("kadmin.cli.help", "help_", "Show the help of a command."),
    "completion": ("kadmin.cli.completion", "completion", "Print the completion of a shell."),
}

ALIASES: Final = {
    "broker-api-versions": "api-versions",
    "consumer-groups": "groups",
    "get-offsets": "offsets",
    "leader-election": "elect",
    "preferred-replica-election": "elect",
    "reassign-partitions": "reassign",
    "replica-verification": "verify-replicas",
    "state-change-log-merger": "merge-logs",
}
"""The names of Kafka's own tools."""

WRITE_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"kadmin {VERSION}")
        ctx.exit()


@click.group(
    "kadmin",
    cls=LazyGroup,
    catalog=CATALOG,
    aliases=ALIASES,
    shows_security=True,
    speaks_to_brokers=True,
    context_settings={"max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=print_version,
    help="Show the version and exit.",
)
def kadmin() -> None:
    """See and change Kafka clusters that ZooKeeper or KRaft coordinates.

    Works on Apache Kafka 0.8.2 to 3.9 in ZooKeeper mode, and by its brokers on Kafka in KRaft mode.
    Global options may stand before or after the command's name.
    """


def prepare_streams() -> None:
    """Make the standard streams of this process take whatever is written to them."""
    # A stream that the caller has closed (`>&-`) is None.
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A locale without some character must not cost the rest of the answer.
            stream.reconfigure(errors="backslashreplace")


def run(arguments: list[str]) -> int:
    """Run kadmin with *arguments*; returns the exit code, having said on stderr what failed."""
    try:
        code = run_command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        discard_stdout()
        return ExitCode.DONE
    except OSError as error:
        discard_stdout()
        complain(f"cannot write the result: {error.strerror or error}", None)
        failure = error.__context__
        return failure.exit_code if isinstance(failure, KadminError) else ExitCode.FAILED
    return code


def run_command(arguments: list[str]) -> int:
    """Run kadmin with *arguments*; lets only those errors out that stdout is to blame for."""
    context: click.Context | None = None
    try:
        with kadmin.make_context(called_name(), list(arguments)) as context:
            kadmin.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return ExitCode.USAGE
    except click.NoSuchOption as error:
        complain_of_option(error)
        return ExitCode.USAGE
    except click.UsageError as error:
        complain(lower_first(error.format_message()), help_of(error))
        return ExitCode.USAGE
    except click.ClickException as error:
        complain(lower_first(error.format_message()), None)
        return ExitCode.FAILED
    except (KeyboardInterrupt, click.exceptions.Abort):
        complain("interrupted", None)
        return ExitCode.INTERRUPTED
    except KadminError as error:
        complain_of_failure(error, context)
        return error.exit_code
    except Exception as error:  # The outermost handler: it reports and exits.
        if is_about_stdout(error):
            if isinstance(error.__context__, KadminError):
                # What failed is a change, and then its report.
                complain_of_failure(error.__context__, context)
            raise
        hint = "add --debug for the trace, and report it"
        if is_debug(context):
            show_trace()
            hint = "report it with the trace above"
        complain(f"internal error: {type(error).__name__}: {error}", hint)
        return ExitCode.FAILED
    return ExitCode.DONE


def complain_of_failure(error: KadminError, context: click.Context | None) -> None:
    if is_debug(context):
        show_trace()
    from kadmin.app.hint_target import with_cluster

    hint = None if error.hint is None else with_cluster(error.hint, flags_of(context))
    complain(error.message, hint, error.details)


def complain_of_option(error: click.NoSuchOption) -> None:
    """Say that there is no such option, and what stands for it where Kafka's tools have it."""
    from kadmin.cli.kafka_options import instead_of

    command = None if error.ctx is None else name_of(error.ctx)
    instead = instead_of(error.option_name, command)
    if instead is not None:
        # What click offers is near in letters, and means something else.
        error = click.NoSuchOption(error.option_name, ctx=error.ctx)
    complain(lower_first(error.format_message()), instead or help_of(error))


def name_of(context: click.Context) -> str | None:
    """Return the name of a command, behind that of its group if it is in one."""
    name, group = context.command.name, context.parent
    return name if group is None or group.parent is None else f"{group.command.name} {name}"


def help_of(error: click.UsageError) -> str:
    """Return the command whose help describes more."""
    path = error.ctx.command_path if error.ctx is not None else called_name()
    return f"{path} --help"


def is_about_stdout(error: Exception) -> bool:
    """Whether *error* came of writing the result: its reader is gone, or the disk is full."""
    if isinstance(error, BrokenPipeError):
        poll = select.poll()
        poll.register(sys.stdout, 0)
        return bool(poll.poll(0))
    return isinstance(error, OSError) and error.filename is None and error.errno in WRITE_ERRORS


def discard_stdout() -> None:
    """Drop what waits for standard output, about which Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_trace() -> None:
    import traceback

    traceback.print_exc()


def lower_first(message: str) -> str:
    message = message.removesuffix(".")
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def complain(message: str, hint: str | None, details: Sequence[str] = ()) -> None:
    from kadmin.render.visible import visible

    with suppress(OSError):  # The output has no reader; the exit code is still returned.
        click.echo(f"{called_name()}: {visible(as_called(message))}", err=True)
        for line in details:
            click.echo(visible(as_called(line)), err=True)
        if hint is not None:
            click.echo(f"hint: {visible(as_called(hint))}", err=True)


def flags_of(context: click.Context | None) -> Mapping[str, Value]:
    return {} if context is None else context.meta.get(FLAGS, {})


def is_debug(context: click.Context | None) -> bool:
    if flags_of(context).get("debug"):
        return True
    try:
        return parse_flag(os.environ.get("KADMIN_DEBUG") or "false")
    except ValueError:
        return False
