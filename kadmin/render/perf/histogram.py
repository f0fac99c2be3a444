"""Latencies as a histogram, and values as a sparkline, for terminals."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

BARS: Final = " ▁▂▃▄▅▆▇█"
WIDTH: Final = 40
ROWS_MAX: Final = 16


def histogram_lines(latencies_us: Mapping[int, int]) -> Iterator[str]:
    """Return the histogram of *latencies_us*, counts by µs: its steps double; nothing without
    any."""
    total = sum(latencies_us.values())
    steps: dict[int, int] = {}
    for us, count in latencies_us.items():
        step = us.bit_length()
        steps[step] = steps.get(step, 0) + count
    if not steps:
        return
    most = max(steps.values())
    # The rare ones at both ends would hide the rest.
    shown = range(max(min(steps), max(steps) - ROWS_MAX + 1), max(steps) + 1)
    for step in shown:
        count = steps.get(step, 0)
        eighths = round(count / most * WIDTH * 8)
        bar = "█" * (eighths // 8) + (BARS_ACROSS[eighths % 8] if eighths % 8 else "")
        share = count / total * 100
        yield f"{ms_text((1 << step) / 1000):>9} {bar:{WIDTH}} {share:6.2f} %"


BARS_ACROSS: Final = " ▏▎▍▌▋▊▉"


def ms_text(ms: float) -> str:
    """Return an upper bound of a step."""
    return f"< {ms:.3g} ms" if ms < 1000 else f"< {ms / 1000:.3g} s"


def sparkline(values: Sequence[float]) -> str:
    """Return *values* as bars from 0 to the highest."""
    most = max(values, default=0.0)
    if most <= 0:
        return BARS[0] * len(values)
    return "".join(BARS[round(value / most * (len(BARS) - 1))] for value in values)
