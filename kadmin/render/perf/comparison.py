"""Two sides in turns: the rounds of each, and what B reaches of A."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.records.perf.compare import Ratio, ratio
from kadmin.records.perf.tally import Result
from kadmin.render.output import Document
from kadmin.render.perf.documents import result_fields
from kadmin.render.perf.lines import MIB


def percentile(percent: float) -> Callable[[Result], float | None]:
    def value(result: Result) -> float | None:
        latency = result.tally.latency()
        return None if latency is None else latency.percentiles[percent]

    return value


MEASURES: Final[Mapping[str, Callable[[Result], float | None]]] = {
    "records/sec": lambda result: result.per_s,
    "MB/sec": lambda result: result.bytes_per_s / MIB,
    "p50 ms": percentile(50.0),
    "p99 ms": percentile(99.0),
}


@dataclass(frozen=True, slots=True)
class Round:
    """One run of a *side*, `A` or `B`, in the round of that *number*."""

    number: int
    side: str
    result: Result


def ratios(rounds: Sequence[Round]) -> dict[str, Ratio | None]:
    """Return B / A of each measure; None where it was not measured."""
    found: dict[str, Ratio | None] = {}
    for name, measure in MEASURES.items():
        sides: dict[str, list[float]] = {"A": [], "B": []}
        for one in sorted(rounds, key=lambda one: one.number):
            value = measure(one.result)
            if value is not None:
                sides[one.side].append(value)
        complete = len(sides["A"]) == len(sides["B"]) > 0
        found[name] = ratio(sides["A"], sides["B"]) if complete else None
    return found


def comparison_document(
    facts: Mapping[str, object], names: Mapping[str, str], rounds: Sequence[Round]
) -> Document:
    """Return all *rounds* and the ratios; *names* has what is `A` and what `B`."""
    found = ratios(rounds)

    def body() -> Mapping[str, object]:
        return {
            **facts,
            "a": names["A"],
            "b": names["B"],
            "rounds": [
                {"round": one.number, "side": one.side, **result_fields(one.result)}
                for one in rounds
            ],
            "ratios": {
                name: None
                if one is None
                else {"median": one.median, "low": one.low, "high": one.high}
                for name, one in found.items()
            },
        }

    def rows() -> Iterator[tuple[object, ...]]:
        for one in rounds:
            values = (measure(one.result) for measure in MEASURES.values())
            yield (one.number, one.side, *values)

    def lines() -> Iterator[str]:
        for side, name in names.items():
            yield f"{side}: {name}"
        yield f"{'round':6}{'side':5}" + "".join(f"{name:>15}" for name in MEASURES)
        for one in rounds:
            values = [measure(one.result) for measure in MEASURES.values()]
            cells = "".join(f"{'-' if v is None else format(v, ',.2f'):>15}" for v in values)
            yield f"{one.number + 1:<6}{one.side:5}{cells}"
        for name, one_ratio in found.items():
            if one_ratio is not None:
                yield ratio_line(name, one_ratio, len(rounds) // 2)

    return Document(
        schema="kadmin.perf.compare/1",
        body=body,
        columns=("round", "side", *MEASURES),
        rows=rows,
        lines=lines,
    )


def ratio_line(name: str, found: Ratio, rounds: int) -> str:
    line = f"B / A {name}: {found.median:.3f} (median; {found.low:.3f} to {found.high:.3f})"
    if found.low < 1 < found.high:
        line += f": no difference beyond the spread of {rounds} rounds"
    return line
