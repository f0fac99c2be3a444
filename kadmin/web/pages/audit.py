"""The pages of what happened: the audit log, and the timeline of an incident."""

import json
from collections.abc import Iterable
from typing import Any, Final

from starlette.responses import FileResponse, Response

from kadmin.web.visit import NoSuchThing, Visit

LINE_COUNT: Final = 200
LINES_READ: Final = 2000
SHOWN: Final = ("time", "who", "role", "from", "action", "stage", "id")

SANDBOX: Final = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline';"
    " style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'"
)
"""The page of an incident has its script in itself: it may run, and reach nothing of this one."""


def log(visit: Visit) -> Response:
    """Show the last lines of the audit log that are about the cluster."""
    audit = visit.serving.audit
    lines = [] if audit is None else audit.latest(LINES_READ)
    own = [line for line in lines if line.get("cluster") == visit.of.name]
    return visit.page("audit.html", lines=[shown_line(line) for line in one_each(own)[:LINE_COUNT]])


def one_each(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one line for each change, with its plan and what became of it; *lines* have the newest
    first."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        # The outcome comes first; what it does not have is in the line of the begin.
        found[str(line.get("id"))] = line | found.get(str(line.get("id")), {})
    return list(found.values())


def shown_line(line: dict[str, Any]) -> dict[str, str]:
    """Return *line* as texts; what has no column is under `more`, as JSON."""
    found = {name: str(line.get(name) or "") for name in SHOWN}
    found["time"] = found["time"].replace("T", " ").partition(".")[0]
    more = {name: value for name, value in line.items() if name not in SHOWN and name != "cluster"}
    return found | {"more": json.dumps(more, ensure_ascii=False, indent=1) if more else ""}


def timeline(visit: Visit) -> Response:
    """Show the page of an incident that `kadmin merge-logs --html` has written.

    Raises:
        NoSuchThing: none was named.
    """
    path = visit.serving.timeline
    if path is None or not path.is_file():
        raise NoSuchThing("timeline", "timeline")
    headers = {"Content-Security-Policy": SANDBOX}
    return FileResponse(path, media_type="text/html", headers=headers)
