"""Templates: what all of them know, and how they escape.

Everything is escaped; a template that has to trust a text is a fault.
"""

from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from kadmin.version import VERSION
from kadmin.web.clusters import now_ms

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
    made.filters |= {
        "bytes": bytes_text,
        "number": number_text,
        "clock": clock_text,
        "age": age_text,
        "segment": lambda text: quote(str(text), safe=""),
        "query": urlencode,
    }
    made.globals |= {"version": VERSION}
    return made


def html(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Return the page that *template* makes of *values*; `visit` is None where no one has logged
    in."""
    theme = request.cookies.get(THEME_COOKIE, "auto")
    known = {
        "visit": None,
        "now_ms": now_ms(),
        "theme": theme if theme in THEMES else "auto",
        "path": request.url.path,
    }
    text = environment().get_template(template).render(known | values)
    return HTMLResponse(text, status_code=status)


def bytes_text(size_bytes: int | None) -> str:
    """Return a size as people read it, `1.2 GiB`; a dash where it is not known."""
    if size_bytes is None:
        return "–"
    size = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"


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
