"""Lines of kafka-consumer-groups: columns as wide as their longest value, and no blanks at ends."""

from collections.abc import Iterable, Iterator, Sequence

from kadmin.render.visible import visible

Cells = Sequence[object]


def aligned(heads: Sequence[str], rows: Iterable[Cells], widths: Sequence[int]) -> Iterator[str]:
    """*heads* and *rows* in columns that are at least as wide as *widths*; None is a dash."""
    texts = [list(heads)]
    texts += [["-" if cell is None else visible(str(cell)) for cell in row] for row in rows]
    fitted = [
        max(least, *(len(row[number]) for row in texts)) for number, least in enumerate(widths)
    ]
    for row in texts:
        yield " ".join(map(str.ljust, row, fitted)).rstrip()
