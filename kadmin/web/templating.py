"""Templates: what all of them know, and how they escape.

Everything is escaped; a template that has to trust a text is a fault.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from kadmin.app.evidence import now_ms
from kadmin.plan import health
from kadmin.plan.check.findings import Finding
from kadmin.plan.groups.verdict import Verdict
from kadmin.plan.health import PartitionView
from kadmin.render.metrics import number_text as number_text_of
from kadmin.render.visible import visible
from kadmin.reports.views.topics import TopicRow
from kadmin.version import VERSION
from kadmin.wording import abridged, amount, counted, first_listed, span

THEMES: Final = ("auto", "light", "dark")
THEME_COOKIE: Final = "kadmin_theme"


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("kadmin.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= FILTERS
    made.globals |= {"version": VERSION}
    return made


def html(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Return the page that *template* makes of *values*; `visit` is None where no one has logged
    in."""
    theme = request.cookies.get(THEME_COOKIE, "auto")
    known = {
        "visit": None,
        "csrf": "",
        "now_ms": now_ms(),
        "theme": theme if theme in THEMES else "auto",
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    }
    text = environment().get_template(template).render(known | values)
    # Names in JSON may hold halves of characters, which UTF-8 does not have.
    return HTMLResponse(text.encode(errors="backslashreplace"), status_code=status)


def segment(name: object) -> str:
    """Return *name* as a part of an address, whatever is in it."""
    return quote(str(name), safe="", errors="surrogatepass")


def number_text(number: float | None) -> str:
    """Return a number with its thousands apart; a dash where it is not known."""
    return "–" if number is None else f"{number:,}".replace(",", "\u202f")


def clock_text(at_ms: int) -> str:
    """Return the time of day in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%H:%M:%S")


def age_text(at_ms: int, of_ms: int) -> str:
    """Return how long before *of_ms* it was, in one unit: `4 s`, `3 min`, `2 h`, `5 d`."""
    seconds = max(0, of_ms - at_ms) // 1000
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def amount_text(size_bytes: float | None) -> str:
    return "–" if size_bytes is None else amount(size_bytes).replace(" ", "\u00a0")


def rate_text(per_s: float | None) -> str:
    """Return a rate without digits that mean nothing."""
    if per_s is None:
        return "–"
    return number_text(round(per_s)) if per_s >= 10 or per_s == 0 else f"{per_s:.1f}"


def signed_text(percent: int | None) -> str:
    return "–" if percent is None else f"{percent:+d} %" if percent else "0 %"


def lag_text(lag_ms: int | None) -> str:
    return "–" if lag_ms is None else "0 s" if lag_ms == 0 else span(lag_ms / 1000)


def points_of(values: Sequence[float]) -> str:
    """Return *values* as the points of a line in a box of 300 by 56; empty for fewer than two."""
    if len(values) < 2:
        return ""
    most = max(values) or 1.0
    step = 300 / (len(values) - 1)
    return " ".join(
        f"{number * step:.1f},{54 - 50 * value / most:.1f}" for number, value in enumerate(values)
    )


def about_text(finding: Finding) -> str:
    """Return what a finding is about: its partitions, topics and groups, of many the first."""
    parts = []
    if finding.partitions:
        parts.append(abridged(finding.partitions))
    if finding.topics:
        parts.append(f"topics: {first_listed(finding.topics)}")
    if finding.groups:
        parts.append(f"groups: {first_listed(finding.groups)}")
    return "; ".join(parts)


def topic_state(row: TopicRow) -> tuple[str, str]:
    """Return how bad the state of a topic is, and its name."""
    if row.is_marked_for_deletion:
        return "warning", "being deleted"
    worst = next(iter(row.findings), None)
    return finding_state(worst)


def partition_state(view: PartitionView) -> tuple[str, str]:
    return finding_state(view.findings[0] if view.findings else None)


def finding_state(finding: health.Finding | None) -> tuple[str, str]:
    if finding is None:
        return "ok", "healthy"
    if finding in CRITICAL:
        return "critical", finding
    return "warning" if finding in health.BAD_FINDINGS else "", finding


def verdict_state(verdict: Verdict | None) -> tuple[str, str]:
    if verdict is None or verdict is Verdict.UNKNOWN:
        return "", "unknown"
    return ("ok", "ok") if verdict is Verdict.OK else ("warning", verdict)


CRITICAL: Final = frozenset(
    {health.Finding.UNAVAILABLE, health.Finding.REFUSED, health.Finding.UNDER_MIN_ISR}
)

FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "about": about_text,
    "age": age_text,
    "bytes": amount_text,
    "clock": clock_text,
    "counted": counted,
    "lag_time": lag_text,
    "measure": number_text_of,
    "number": number_text,
    "partition_state": partition_state,
    "points": points_of,
    "rate": rate_text,
    "segment": segment,
    "signed": signed_text,
    "span": span,
    "topic_state": topic_state,
    "verdict_state": verdict_state,
    "visible": lambda text: visible(str(text)),
}
