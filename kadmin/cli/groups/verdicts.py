"""What `kadmin groups --verdict` does: looks again after a while, and judges what has moved."""

from collections.abc import Mapping
from typing import Any

import click

from kadmin.cli.groups.looks import warn_of_unanswered
from kadmin.cli.session import Session
from kadmin.cli.watching import watch
from kadmin.errors import ExitCode
from kadmin.wording import counted


def judge_groups(session: Session, options: Mapping[str, Any]) -> None:
    """Judge groups by looks at both ends of the window; while watching, by those of the window.

    Exits with FOUND unless all are ok.
    """
    from kadmin.app.groups import GroupLooks, now_ms
    from kadmin.arguments.groups import GroupSelection, parse_scopes
    from kadmin.plan.groups.verdict import Verdict
    from kadmin.render.groups.verdicts import verdict_document
    from kadmin.reports.groups import JudgedGroups, Order, ranked_verdicts

    selection = GroupSelection(options["groups"])
    partitions = parse_scopes(options["topics"])
    order = None if options["sort_by"] is None else Order(options["sort_by"])
    window_ms = round(1000 * options["window"])
    behind_ms = round(1000 * options["behind_after"])
    looks = GroupLooks(
        session,
        selection,
        partitions,
        options["window"],
        in_zookeeper=options["in_zookeeper"],
    )
    verdicts: list[Verdict] = []

    def show() -> None:
        unanswered = looks.look_twice() if options["watch"] is None else looks.look()
        judged = JudgedGroups(
            groups=tuple(looks.history.verdicts(behind_ms)),
            now_ms=now_ms(),
            behind_ms=behind_ms,
            window_ms=window_ms,
            unanswered=unanswered,
        )
        verdicts[:] = [each.verdict for each in judged.groups]
        judged = ranked_verdicts(judged, order, options["limit"])
        session.output.show(verdict_document(judged), plain=options["plain"])
        if judged.hidden_count:
            session.output.note(f"{counted(judged.hidden_count, 'group')} not shown")
        rows = (part.row for each in judged.groups for part in each.partitions)
        warn_of_unanswered(session, unanswered, rows)

    watch(session, options["watch"], show)
    if any(verdict is not Verdict.OK for verdict in verdicts):
        raise click.exceptions.Exit(ExitCode.FOUND)
