"""A picture of what each broker holds before a plan of moves and after it, as SVG.

Whole by itself: it fetches nothing, and shows in any browser and ticket.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from kadmin.plan.moves.loads import BrokerLoad, Held
from kadmin.plan.moves.plan_file import MovePlan
from kadmin.render.reassign.plans import bound_lines, headline
from kadmin.wording import amount

BEFORE, AFTER, PEAK = "#b0b0b0", "#1f6fb4", "#d95f02"
BAR: Final = 12
GAP: Final = 12
LEFT: Final = 90
PANEL: Final = 160
HEAD: Final = 70
WIDTH_MIN: Final = 640

Measure = tuple[str, Callable[[Held], int], Callable[[int], str]]


def load_picture(plan: MovePlan, loads: Sequence[BrokerLoad]) -> str:
    """Return one panel each of replicas, preferred leaders and, where they are known, bytes."""
    measures: list[Measure] = [
        ("replicas", lambda held: held.replicas, "{:,}".format),
        ("preferred leader of", lambda held: held.leaders, "{:,}".format),
    ]
    if all(load.before.size_bytes is not None for load in loads):
        measures.append(("bytes", lambda held: held.size_bytes or 0, amount))
    width = max(WIDTH_MIN, LEFT + len(loads) * (2 * BAR + GAP) + GAP)
    height = HEAD + len(measures) * (PANEL + 60)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        text(GAP, 20, headline(plan), weight="bold"),
        *(text(GAP, 36, line) for line in list(bound_lines(plan))[:1]),
        *legend(),
    ]
    for number, measure in enumerate(measures):
        parts += panel(loads, measure, HEAD + number * (PANEL + 60))
    return "\n".join([*parts, "</svg>"]) + "\n"


def legend() -> Iterator[str]:
    for number, (color, name) in enumerate(((BEFORE, "before"), (AFTER, "after"), (PEAK, "peak"))):
        x = GAP + 80 * number
        yield f'<rect x="{x}" y="46" width="10" height="10" fill="{color}"/>'
        yield text(x + 14, 55, name)


def panel(loads: Sequence[BrokerLoad], measure: Measure, top: int) -> Iterator[str]:
    """Return the bars of one *measure*: before and after side by side, a line at the peak."""
    name, value, shown = measure
    highest = max((value(load.peak) for load in loads), default=0) or 1
    bottom = top + 20 + PANEL
    yield text(GAP, top + 12, name, weight="bold")
    yield text(LEFT - 6, top + 28, shown(highest), anchor="end")
    yield text(LEFT - 6, bottom, "0", anchor="end")
    for number, load in enumerate(loads):
        x = LEFT + number * (2 * BAR + GAP)
        for at, (held, color) in enumerate(((load.before, BEFORE), (load.after, AFTER))):
            size = PANEL * value(held) / highest
            yield (
                f'<rect x="{x + at * BAR}" y="{bottom - size:.1f}" width="{BAR}"'
                f' height="{size:.1f}" fill="{color}"><title>{escape(tip(load, measure))}</title>'
                "</rect>"
            )
        if value(load.peak) > max(value(load.before), value(load.after)):
            y = bottom - PANEL * value(load.peak) / highest
            yield (
                f'<line x1="{x}" x2="{x + 2 * BAR}" y1="{y:.1f}" y2="{y:.1f}" stroke="{PEAK}"'
                ' stroke-width="2"/>'
            )
        yield text(x + BAR, bottom + 14, str(load.broker), anchor="middle")
        if load.rack is not None:
            yield text(x + BAR, bottom + 26, load.rack, anchor="middle", size=8)


def tip(load: BrokerLoad, measure: Measure) -> str:
    name, value, shown = measure
    before, after, peak = (shown(value(held)) for held in (load.before, load.after, load.peak))
    rack = "" if load.rack is None else f" (rack {load.rack})"
    dead = "" if load.is_alive else ", dead"
    return f"broker {load.broker}{rack}{dead}: {name} {before} → {after}, peak {peak}"


def text(
    x: float, y: float, words: str, *, weight: str = "", anchor: str = "", size: int | None = None
) -> str:
    more = f' font-weight="{weight}"' if weight else ""
    more += f' text-anchor="{anchor}"' if anchor else ""
    more += "" if size is None else f' font-size="{size}"'
    return f'<text x="{x}" y="{y}"{more}>{escape(words)}</text>'
