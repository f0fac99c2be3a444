"""Times in the patterns of Java's `SimpleDateFormat`, as `--date-format` of Kafka's tools has."""

import re
from datetime import datetime
from typing import Final

PATTERN: Final = re.compile(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+")
FORMS: Final = {
    **{"yyyy": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "EEE": "%a"},
    **{"HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S", "a": "%p"},
}
USUAL: Final = "yyyy-MM-dd HH:mm:ss:SSS"


def java_date(time_ms: float, pattern: str) -> str:
    """Return the local time *time_ms* by *pattern*; raises ValueError for letters without a
    meaning here."""
    moment = datetime.fromtimestamp(time_ms / 1000)
    parts = []
    end = 0
    for found in PATTERN.finditer(pattern):
        if found.start() != end:
            break
        end = found.end()
        word = found[0]
        if word.startswith("'"):
            parts.append(found[1] or "'")
        elif not word[0].isalpha():
            parts.append(word)
        elif word == "SSS":
            parts.append(f"{int(time_ms) % 1000:03d}")
        elif word in FORMS:
            parts.append(moment.strftime(FORMS[word]))
        else:
            raise ValueError(f"'{word}' has no meaning in a date")
    if end != len(pattern):
        raise ValueError("a quote is not closed")
    return "".join(parts)
