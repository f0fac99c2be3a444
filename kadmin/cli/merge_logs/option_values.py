"""Values of the options of `kadmin merge-logs`: what do the texts behind them mean?

Opens no log.  What means nothing is wrong usage.
"""

import re
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kadmin.errors import UsageError

if TYPE_CHECKING:
    from kadmin.jobs.merge.clocks import Clock, TimeRange
    from kadmin.statechange.filters import LineFilter

UTC: Final = "UTC"

FORM_OF_SUFFIX: Final = {
    ".json": "json",
    ".jsonl": "json",
    ".csv": "csv",
    ".parquet": "parquet",
}
"""The form that the name of a result asks for."""

DISTANCE: Final = re.compile(r"([+-]?[0-9]{1,15})(ms|s|)")

OFFSET_YEARS_MAX: Final = 100
OFFSET_MS_MAX: Final = OFFSET_YEARS_MAX * 366 * 24 * 3_600_000
"""No clock is further off: more is a slip of the pen or of the unit."""


def wanted_lines(options: Mapping[str, Any]) -> "LineFilter":
    """Return the filter that *options* describe.

    Raises:
        UsageError: a name that no topic has, partitions without a topic, twice the same one, or
            a bad pattern.
    """
    from kadmin.statechange.filters import LineFilter
    from kadmin.statechange.kinds import Kind, Level

    topics, regex = topic_names(options["topic"]), options["topic_regex"]
    partitions = whole_numbers(options["partitions"], "--partitions")
    if partitions and not topics and regex is None:
        raise UsageError(
            'the option "[topic]" needs to be provided an argument when specifying partition ids',
            hint="add --topic NAME, or --topic-regex '.*' for all topics",
        )
    repeated = sorted({number for number in partitions if partitions.count(number) > 1})
    if repeated:
        shown = ", ".join(map(str, repeated))
        raise UsageError(
            f"the list of partitions contains repeated entries: {shown}",
            hint="name each partition once",
        )
    if regex is not None:
        check_regex(regex)
    level = options["level"]
    return LineFilter(
        topics=topics,
        topic_regex=regex,
        partitions=partitions,
        brokers=whole_numbers(options["broker"], "--broker"),
        controller_epochs=whole_numbers(options["controller_epoch"], "--controller-epoch"),
        kinds=tuple(Kind(word) for word in options["kind"]),
        level=None if level is None else Level(level),
        only_partitioned=options["only_partitioned"],
    )


def topic_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the topics of *texts*, each of which may name several, separated by commas.

    Raises:
        UsageError: no topic can be called so.
    """
    from cluster.model.topic_name import topic_name_problem

    names = tuple(word.strip() for text in texts for word in text.split(","))
    for name in names:
        problem = topic_name_problem(name)
        if problem is not None:
            pattern = re.sub(r"[*?]", lambda sign: "." + sign[0].strip("?"), name) or "orders.*"
            raise UsageError(
                problem,
                hint=f"topics that a pattern matches: --topic-regex {shlex.quote(pattern)}",
            )
    return names


def whole_numbers(texts: str | Sequence[str] | None, name: str) -> tuple[int, ...]:
    """Return the numbers of `0,1,2`, of which there may be several; none where nothing is given."""
    words = [word for text in as_texts(texts) for word in text.split(",")]
    for word in words:
        if not re.fullmatch(r"\s*[0-9]{1,10}\s*", word):
            raise UsageError(
                f"'{word.strip()}' is no whole number for {name}",
                hint=f"separate them by commas: {name} 0,1,2",
            )
    return tuple(int(word) for word in words)


def as_texts(texts: str | Sequence[str] | None) -> Sequence[str]:
    if texts is None:
        return ()
    return (texts,) if isinstance(texts, str) else texts


def check_regex(regex: str) -> None:
    try:
        re.compile(regex)
    except re.error as error:
        raise UsageError(
            f"'{regex}' is no regular expression: {error}",
            hint="for one topic give its name: --topic NAME",
        ) from error


def time_range(start: str | None, end: str | None, zone: tzinfo) -> "TimeRange":
    """Return the range from *start* to *end* on the wall clock of *zone*; what is not given is
    open.

    Raises:
        UsageError: one of them is no time, or they are in the wrong order.
    """
    from kadmin.arguments.times import parse_time
    from kadmin.jobs.merge.clocks import ALWAYS, TimeRange
    from kadmin.wording import as_ms

    now_ms = as_ms(datetime.fromtimestamp(time.time(), zone).replace(tzinfo=None))
    start_ms = ALWAYS.start_ms if start is None else parse_time(start, now_ms, zone=zone)
    end_ms = ALWAYS.end_ms if end is None else parse_time(end, now_ms, is_end=True, zone=zone)
    if start_ms > end_ms:
        raise UsageError(
            f"--start-time {start} is after --end-time {end}", hint="both ends are included"
        )
    return TimeRange(start_ms=start_ms, end_ms=end_ms)


def moment(text: str, zone: tzinfo) -> int:
    """Return the time that *text* means on the wall clock of *zone*.

    Raises:
        UsageError: it is none.
    """
    from kadmin.arguments.times import parse_time
    from kadmin.wording import as_ms

    now_ms = as_ms(datetime.fromtimestamp(time.time(), zone).replace(tzinfo=None))
    return parse_time(text, now_ms, zone=zone)


def common_zone(zones: Iterable[str]) -> str:
    """Return the zone whose wall clock the result shows: the one that is given for no single
    source.

    Raises:
        UsageError: several are.
    """
    common = [zone for zone in zones if "=" not in zone]
    if len(common) > 1:
        raise UsageError(
            f"--time-zone {common[0]} and --time-zone {common[1]} are both for all sources",
            hint=f"say which source logs in another zone: --time-zone SOURCE={common[1]}",
        )
    return common[0] if common else UTC


def clocks(offsets: Sequence[str], zones: Sequence[str]) -> dict[str, "Clock"]:
    """Return the clock of each source that is named by `SOURCE=±MS` or `SOURCE=ZONE`.

    Raises:
        UsageError: a word is not of that form, or a source has two.
    """
    from kadmin.jobs.merge.clocks import clock

    common = common_zone(zones)
    own_zones = [zone for zone in zones if "=" in zone]
    zone_of = by_source(own_zones, "--time-zone", "ZONE", example="Europe/Berlin")
    offset_of = by_source(offsets, "--clock-offset", "±MS", example="+250")
    shifts = {source: milliseconds(text) for source, text in offset_of.items()}
    return {
        source: clock(shifts.get(source, 0), zone_of.get(source), common)
        for source in {**zone_of, **offset_of}
    }


def by_source(words: Sequence[str], option: str, value: str, *, example: str) -> dict[str, str]:
    """Return the texts of `SOURCE=TEXT` by source.

    Errors call a text *value* and show an *example*.
    """
    found: dict[str, str] = {}
    for word in words:
        # A path may hold the sign, a zone and a number never do.
        source, sign, text = word.rpartition("=")
        if not sign or not source or not text:
            raise UsageError(
                f"'{word}' is not SOURCE={value}",
                hint=f"for broker 1: {option} 1={example}; --show-source names the sources",
            )
        if source in found:
            raise UsageError(f"{option} is given twice for source {source}", hint="give it once")
        found[source] = text
    return found


def milliseconds(text: str) -> int:
    match = DISTANCE.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"'{text}' is no distance in milliseconds",
            hint="broker 1 is 250 ms behind: --clock-offset 1=+250",
        )
    distance_ms = int(match[1]) * (1000 if match[2] == "s" else 1)
    if abs(distance_ms) > OFFSET_MS_MAX:
        raise UsageError(
            f"--clock-offset {text} is more than {OFFSET_YEARS_MAX} years",
            hint="it is in milliseconds: --clock-offset 1=+250",
        )
    return distance_ms


def form(given: str | None, output: str, out: str | None) -> str:
    """Return the form of the result: the one that is *given*, else that of `--output`, else by
    name.

    Raises:
        UsageError: `--output` asks for one that there is not, or for another one.
    """
    if output == "yaml":
        raise UsageError("merge-logs writes no yaml", hint="--format json gives a line an object")
    if given is not None and output not in ("text", given):
        raise UsageError(
            f"--format {given} and --output {output} ask for two forms", hint="give one of them"
        )
    if given is not None or output != "text":
        return given or output
    return FORM_OF_SUFFIX.get(Path(out or "").suffix.lower(), "text")
