"""Lines about what a command has done to one server of a cluster of this machine."""

from typing import TYPE_CHECKING

from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.local.server import Server
    from kadmin.local.servers import Kind, Outcome, ServerT


def tell(
    session: Session,
    kind: "Kind[ServerT]",
    outcome: "Outcome[ServerT]",
    *,
    done: str,
    else_: str,
) -> None:
    title, name = outcome.server.title, outcome.cluster.name
    if outcome.is_changed:
        session.output.note(f"{done} {title} of '{name}'")
    else:
        session.output.note(f"{title} of '{name}' {else_}")
    show(session, kind, outcome)


def tell_started(session: Session, kind: "Kind[ServerT]", outcome: "Outcome[ServerT]") -> None:
    """Report a server that serves now, and which of its settings were changed by hand."""
    if outcome.is_changed:
        tell_what_is_kept(session, outcome.server)
    tell(session, kind, outcome, done="started", else_="is up already")


def tell_what_is_kept(session: Session, server: "Server") -> None:
    """Report which settings of *server*, just started, were added or changed by hand."""
    file = server.settings_file
    keys = file.keys_by_hand()
    if keys:
        session.output.note(f"{server.title} keeps from {file.path}: {', '.join(keys)}")


def show(session: Session, kind: "Kind[ServerT]", outcome: "Outcome[ServerT]") -> None:
    """Show the server as it is now."""
    from kadmin.cli.cluster.views import view
    from kadmin.local import clusters
    from kadmin.render.cluster.clusters import server_document

    found = view(clusters.status(outcome.cluster.name))
    session.output.show(server_document(found, kind.name, outcome.server.id))
