"""What `kadmin groups --verdict` does: looks again after a while, and judges what has moved."""

import time
from collections.abc import Mapping
from typing import Any

import click

from kadmin.cli.groups.looks import now_ms, warn_of_untold
from kadmin.cli.session import Session
from kadmin.cli.watching import watch
from kadmin.errors import ExitCode
from kadmin.wording import counted


def judge_groups(session: Session, options: Mapping[str, Any]) -> None:
    """Judge groups by looks at both ends of the window; while watching, by those of the window.

    Exits with FOUND unless all are ok.
    """
    from kadmin.app.groups import History, names_of, read_lags, require_groups
    from kadmin.arguments.groups import GroupSelection, parse_scopes
    from kadmin.plan.groups.verdict import Verdict
    from kadmin.render.groups.verdicts import verdict_document
    from kadmin.reports.groups import JudgedGroups, Order, ranked_verdicts

    selection = GroupSelection(options["groups"])
    partitions = parse_scopes(options["topics"])
    order = None if options["sort_by"] is None else Order(options["sort_by"])
    window_ms = round(1000 * options["window"])
    behind_ms = round(1000 * options["behind_after"])
    history: History = History(window_ms)
    verdicts: list[Verdict] = []

    def look() -> Mapping[str, str]:
        with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
            names = names_of(admin, selection)
            report = read_lags(admin, names, partitions, now_ms(), with_times=True)
            require_groups(admin, selection, [each.group for each in report.groups])
        history.add(report)
        return report.untold

    def show() -> None:
        untold = look()
        if history.needs_another and options["watch"] is None:
            session.note(f"looking again in {options['window']:g} s: what moves is judged, too")
            time.sleep(options["window"])
            session.look_again()
            untold = {**untold, **look()}
        judged = JudgedGroups(
            groups=tuple(history.verdicts(behind_ms)),
            now_ms=now_ms(),
            behind_ms=behind_ms,
            window_ms=window_ms,
            untold=untold,
        )
        verdicts[:] = [each.verdict for each in judged.groups]
        judged = ranked_verdicts(judged, order, options["limit"])
        session.output.show(verdict_document(judged), plain=options["plain"])
        if judged.hidden_count:
            session.output.note(f"{counted(judged.hidden_count, 'group')} not shown")
        rows = (part.row for each in judged.groups for part in each.partitions)
        warn_of_untold(session, untold, rows)

    watch(session, options["watch"], show)
    if any(verdict is not Verdict.OK for verdict in verdicts):
        raise click.exceptions.Exit(ExitCode.FOUND)
