"""Names by which lines were to be kept and that the logs do not have: which may be meant?

Reads no more than the fronts of the logs, and returns nothing where these cannot decide.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kadmin.errors import hint_for_missing
from kadmin.jobs.merge.files.gzip_stream import GzipStream
from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.files.reader import opened
from kadmin.statechange.filters import PARTITION_LIKE, LineFilter

FRONT_BYTES: Final = 4 << 20
FILES_MAX: Final = 16
WRITER: Final = r"(?i)\b(?:broker|controller)(?: ?id=| )?"
ALL: Final = "kadmin merge-logs PATH --analyze"


def unknown_name_lines(files: Sequence[LogFile], wanted: LineFilter) -> Iterator[str]:
    """Return a line for each topic and broker of *wanted* that *files* do not have."""
    patterns = {
        f"topic '{name}'": (name, rf"(?<![\w.-]){re.escape(name)}(?![\w.])")
        for name in wanted.topics
    } | {f"broker {number}": (str(number), rf"{WRITER}{number}\b") for number in wanted.brokers}
    if not patterns or len(files) > FILES_MAX:
        return
    fronts = [front_of(file) for file in files]
    if any(len(front) >= FRONT_BYTES for front in fronts):
        return
    for what, (name, pattern) in patterns.items():
        if any(re.search(pattern, front) for front in fronts):
            continue
        known: set[str] = set()
        for front in fronts:
            if what.startswith("topic"):
                found = PARTITION_LIKE.finditer(front)
                known |= {each["dashed"] or each["topic"] for each in found}
            else:
                known.update(re.findall(WRITER + r"([0-9]{1,10})\b", front))
        hint = hint_for_missing(name, sorted(known), listed_by=ALL)
        yield f"no line names {what}; {hint}"


def front_of(file: LogFile) -> str:
    buffer = bytearray(FRONT_BYTES)
    view = memoryview(buffer)
    with opened(file.path, file.identity) as reader:
        count = GzipStream(reader).read(view) if file.is_gzip else reader.read_at(0, view)
    return str(view[:count], errors="replace")
