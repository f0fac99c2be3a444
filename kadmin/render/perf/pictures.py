"""Charts as SVG, whole by themselves, that a page can contain."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from kadmin.records.perf.tally import Result

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 34, 46
COLORS: Final = ("#2f6fb2", "#c2571a", "#2e8540", "#7a4fa3")
INK, DIM, LINE = "#1f2733", "#5b6675", "#d9dee5"
FONT: Final = 'font-family="system-ui, DejaVu Sans, sans-serif"'
TICKS: Final = 5


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart: its *name* and its points."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart; where *labels* are given, they stand at the places 0, 1, 2, … of the x axis."""

    title: str
    x_name: str
    y_name: str
    series: Sequence[Series]
    labels: Sequence[str] = ()


def svg(charts: Sequence[Chart], title: str) -> str:
    """Return *charts* below one another as a file of SVG."""
    height = HEIGHT * len(charts)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' width="{WIDTH}" height="{height}" {FONT} font-size="12" fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for number, chart in enumerate(charts):
        parts.append(f'<g transform="translate(0 {number * HEIGHT})">')
        parts += chart_parts(chart)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def chart_parts(chart: Chart) -> Iterator[str]:
    points = [point for series in chart.series for point in series.points]
    xs = [x for x, _ in points] or [0.0]
    top = nice(max((y for _, y in points), default=1.0))
    low, high = min(xs), max(xs)
    if chart.labels:
        low, high = -0.5, len(chart.labels) - 0.5
    if high <= low:
        low, high = low - 1, high + 1

    def x_of(x: float) -> float:
        return LEFT + (x - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y_of(y: float) -> float:
        return HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    yield f'<text x="{LEFT}" y="18" font-size="14" font-weight="600">{escape(chart.title)}</text>'
    for tick in range(TICKS + 1):
        value = top * tick / TICKS
        y = y_of(value)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{LINE}"/>'
        yield text(LEFT - 6, y + 4, short(value), "end", DIM)
    marks = (
        list(enumerate(chart.labels))
        if chart.labels
        else [(x, short(x)) for x in spread(low, high)]
    )
    for x, label in marks:
        yield text(x_of(x), HEIGHT - BOTTOM + 16, label, "middle", DIM)
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, chart.x_name, "middle", DIM)
    yield text(WIDTH - RIGHT, 18, chart.y_name, "end", DIM)
    for number, series in enumerate(chart.series):
        color = COLORS[number % len(COLORS)]
        placed = [(x_of(x), y_of(y)) for x, y in series.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        yield f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>' if path else ""
        for (x, y), (_, value) in zip(placed, series.points, strict=True):
            said = f"<title>{escape(series.name)}: {short(value)}</title>"
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}">{said}</circle>'
        if len(chart.series) > 1:
            yield text(LEFT + 8 + 110 * number, TOP + 12, series.name, "start", color)


def text(x: float, y: float, words: str, anchor: str, color: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}"'
    return f"<text {place}>{escape(words)}</text>"


def nice(value: float) -> float:
    """Return the next round number that is no less than *value*."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value * 0.999999)


def spread(low: float, high: float) -> list[float]:
    return [low + (high - low) * part / TICKS for part in range(TICKS + 1)]


def short(value: float) -> str:
    """Return *value* in few characters: 1.5M, 20k, 0.25."""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}"


def charts_of(result: Result) -> list[Chart]:
    """Return the charts of one run: its rate and latencies over time, and the percentiles."""
    windows = [window for window in result.windows if not window.is_warmup and window.seconds > 0]
    charts = []
    if len(windows) > 1:
        rates = [(window.at_s, window.tally.records / window.seconds) for window in windows]
        charts.append(
            Chart(
                title="Throughput",
                x_name="seconds",
                y_name="records/sec",
                series=[Series("records/sec", rates)],
            )
        )
        timed = [(window.at_s, window.tally.latency()) for window in windows]
        series = [
            Series(
                f"p{percent:g}",
                [(at_s, one.percentiles[percent]) for at_s, one in timed if one is not None],
            )
            for percent in (50.0, 99.0)
        ]
        if series[0].points:
            charts.append(
                Chart(title="Latency over time", x_name="seconds", y_name="ms", series=series)
            )
    latency = result.tally.latency()
    if latency is not None:
        points = [(float(n), ms) for n, ms in enumerate(latency.percentiles.values())]
        charts.append(
            Chart(
                title="Latency by percentile",
                x_name="percent of records",
                y_name="ms",
                series=[Series("latency", points)],
                labels=[f"{percent:g}" for percent in latency.percentiles],
            )
        )
    if not charts:
        rate = [(0.0, result.per_s)]
        charts.append(
            Chart(
                title="Throughput",
                x_name="the whole run",
                y_name="records/sec",
                series=[Series("records/sec", rate)],
            )
        )
    return charts
