"""`kadmin help`: what does a command do, and with which options?"""

import click

from kadmin.cli.frame import Group, command
from kadmin.cli.options import argument
from kadmin.cli.session import Session
from kadmin.errors import KadminError


@command("help", short_help="Show the help of a command.")
@argument("names", nargs=-1, metavar="[COMMAND]...", completes="commands")
def help_(session: Session, names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, as its --help does; without one, that of kadmin.

    Help that is longer than the terminal goes through the pager.

    \b
    Examples:
      kadmin help
      kadmin help topics
      kadmin help cluster up
    """
    ctx = click.get_current_context().find_root()
    for name in names:
        group = ctx.command
        if not isinstance(group, Group):
            raise click.UsageError(f"'{ctx.command_path}' has no commands of its own")
        found = group.get_command(ctx, name)
        if found is None:
            raise click.UsageError(group.unknown_command(ctx, name), ctx)
        ctx = click.Context(found, parent=ctx, info_name=name, **found.context_settings)
    text = ctx.command.get_help(ctx) + "\n"
    try:
        session.output.put(text)
    except KadminError:
        # Settings that are wrong are no reason to have no help.
        click.echo(text, nl=False)
