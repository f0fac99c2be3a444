"""Plans of moves: what they copy beside the least possible, each partition, and each broker."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from kadmin.plan.moves.loads import BrokerLoad, Held
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove, to_document
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.wording import amount, counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

COLUMNS: Final = (
    "topic", "partition", "replicas", "target", "adding", "removing", "size_bytes",
)  # fmt: skip
SHOWN_MAX: Final = 100
"""A screen shows no more partitions than that; those that copy most."""


def plan_document(plan: MovePlan, loads: Sequence[BrokerLoad], notes: Sequence[str]) -> Document:
    """Return *plan*; as JSON it is a plan file, too."""
    return Document(
        schema="kadmin.reassign.plan/1",
        body=lambda: {
            **to_document(plan),
            "brokers": [load_body(load) for load in loads if load.is_alive],
            "dead_brokers": [load_body(load) for load in loads if not load.is_alive],
            "notes": list(notes),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows([move_body(move) for move in plan.moves], COLUMNS, ","),
        lines=lambda: plan_lines(plan, loads),
        pretty=lambda: plan_screen(plan, loads),
    )


def move_body(move: PlannedMove) -> dict[str, object]:
    return {
        "topic": move.partition.topic,
        "partition": move.partition.partition,
        "replicas": list(move.replicas),
        "target": list(move.target),
        "adding": list(move.adding),
        "removing": list(move.removing),
        "size_bytes": move.size_bytes,
    }


def load_body(load: BrokerLoad) -> dict[str, object]:
    times = (("before", load.before), ("peak", load.peak), ("after", load.after))
    return {
        "broker": load.broker,
        "rack": load.rack,
        **{
            name: {
                "replicas": held.replicas,
                "leaders": held.leaders,
                "size_bytes": held.size_bytes,
            }
            for name, held in times
        },
    }


def headline(plan: MovePlan) -> str:
    """Return what the plan does, in one sentence."""
    if not plan.moves:
        return f"{plan.goal}: nothing has to move, the goal is reached"
    leaders = sum(move.moves_preferred_leader for move in plan.moves)
    size = "" if plan.moved_bytes is None else f", {amount(plan.moved_bytes)}"
    copied = (
        f"{counted(plan.moved_replicas, 'replica')} to copy{size}"
        if plan.moved_replicas
        else "nothing to copy"
    )
    changed = counted(len(plan.moves), "partition")
    return (
        f"{plan.goal}: {changed} to change, {copied}, {counted(leaders, 'other preferred leader')}"
    )


def bound_lines(plan: MovePlan) -> Iterator[str]:
    """Return how near the plan is to the least, in replicas and in bytes."""
    if not plan.moved_replicas:
        return
    if plan.is_optimal:
        yield "this is the least: no plan for this goal copies less"
    if plan.moved_replicas > plan.lower_bound:
        yield (
            f"replicas: {plan.moved_replicas:,}, and no plan for this goal copies fewer than"
            f" {plan.lower_bound:,}"
        )
    if plan.moved_bytes is None or plan.lower_bound_bytes is None:
        return
    if plan.moved_bytes > plan.lower_bound_bytes:
        over = 100 * (plan.moved_bytes - plan.lower_bound_bytes) / max(1, plan.moved_bytes)
        yield (
            f"bytes: {amount(plan.moved_bytes)}, and no plan for this goal copies fewer than"
            f" {amount(plan.lower_bound_bytes)} (a gap of {over:.1f} %)"
        )


def plan_lines(plan: MovePlan, loads: Sequence[BrokerLoad]) -> Iterator[str]:
    yield headline(plan)
    yield from bound_lines(plan)
    for load in loads:
        if load.changes:
            yield f"  {load_text(load)}"
    for move in plan.moves:
        yield f"  {move_text(move)}"


def load_text(load: BrokerLoad) -> str:
    rack = "" if load.rack is None else f", rack {load.rack}"
    dead = "" if load.is_alive else ", dead"
    parts = [
        f"replicas {changes(load, lambda held: held.replicas)}",
        f"preferred leader of {changes(load, lambda held: held.leaders)}",
    ]
    if load.before.size_bytes is not None:
        parts.append(changes(load, lambda held: held.size_bytes, amount))
    return f"broker {load.broker}{rack}{dead}: " + ", ".join(parts)


def changes(
    load: BrokerLoad,
    value: Callable[[Held], int | None],
    text: Callable[[int], str] = "{:,}".format,
) -> str:
    """Return `10 -> 8`, with the peak where it is above both."""
    before, peak, after = (value(held) or 0 for held in (load.before, load.peak, load.after))
    shown = text(before) if before == after else f"{text(before)} -> {text(after)}"
    return f"{shown} (peak {text(peak)})" if peak > max(before, after) else shown


def move_text(move: PlannedMove) -> str:
    size = "" if move.size_bytes is None or not move.adding else f", {amount(move.size_bytes)} each"
    return f"{move.partition}: {ids_text(move.replicas)} -> {ids_text(move.target)}{size}"


def ids_text(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers)) or "-"


def plan_screen(plan: MovePlan, loads: Sequence[BrokerLoad]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Screen, Shown, table_of

    style = "green" if plan.is_optimal or not plan.moves else "yellow"
    parts: list[RenderableType] = [Text(headline(plan), "bold")]
    parts += [Text(line, style) for line in bound_lines(plan)]
    changed = [load for load in loads if load.changes]
    has_sizes = any(load.before.size_bytes is not None for load in changed)
    if changed:
        parts.append(
            table_of(
                changed,
                Shown("broker", lambda load: broker_cell(load), right=True),
                Shown("rack", lambda load: load.rack or "", worth=1),
                *(
                    Shown(heading, cell, right=True, worth=worth)
                    for heading, cell, worth in load_columns(has_sizes=has_sizes)
                ),
            )
        )
    largest = sorted(plan.moves, key=lambda move: -len(move.adding) * (1 + (move.size_bytes or 0)))[
        :SHOWN_MAX
    ]
    if largest:
        parts.append(
            table_of(
                largest,
                Shown("partition", lambda move: str(move.partition), least=24),
                Shown("replicas", diff_text),
                Shown("preferred leader", leader_text, worth=2),
                Shown("to copy", copied_text, right=True, worth=1),
            )
        )
    if len(plan.moves) > SHOWN_MAX:
        more = counted(len(plan.moves) - SHOWN_MAX, "more partition")
        parts.append(Text(f"… and {more} (--output csv has all)", "dim"))
    return Screen(parts)


def load_columns(
    *, has_sizes: bool
) -> Iterator[tuple[str, "Callable[[BrokerLoad], Text]", int | None]]:
    yield "replicas", lambda load: bar(load, lambda held: held.replicas), None
    yield "peak", lambda load: plain(f"{load.peak.replicas:,}"), 3
    yield "leads", lambda load: bar(load, lambda held: held.leaders), 4
    if has_sizes:
        yield "bytes", lambda load: bar(load, lambda held: held.size_bytes, amount), 5
        yield "peak bytes", lambda load: plain(amount(load.peak.size_bytes or 0)), 2


def plain(text: str) -> "Text":
    from rich.text import Text

    return Text(text)


def broker_cell(load: BrokerLoad) -> "Text":
    from rich.text import Text

    return Text(str(load.broker)) if load.is_alive else Text(f"{load.broker} dead", "red")


def bar(
    load: BrokerLoad,
    value: Callable[[Held], int | None],
    text: Callable[[int], str] = "{:,}".format,
) -> "Text":
    """Return `10 → 8`, green where it falls and cyan where it grows."""
    from rich.text import Text

    before, after = value(load.before) or 0, value(load.after) or 0
    if before == after:
        return Text(text(before))
    return Text.assemble(f"{text(before)} → ", (text(after), "green" if after < before else "cyan"))


def diff_text(move: PlannedMove) -> "Text":
    """Return the replicas that were, those that go struck out, and those that come marked."""
    from rich.text import Text

    gone, came = set(move.removing), set(move.adding)
    before = [(f"−{b}", "red strike") if b in gone else (str(b), "") for b in move.replicas]
    after = [(f"+{b}", "green") if b in came else (str(b), "") for b in move.target]
    text = Text()
    for number, (word, style) in enumerate(before):
        text.append(" " if number else "").append(word, style)
    text.append(" → ")
    for number, (word, style) in enumerate(after):
        text.append(" " if number else "").append(word, style)
    return text


def leader_text(move: PlannedMove) -> str:
    if not move.moves_preferred_leader:
        return ""
    return f"{ids_text(move.replicas[:1])} → {ids_text(move.target[:1])}"


def copied_text(move: PlannedMove) -> str:
    if not move.adding:
        return ""
    if move.size_bytes is None:
        return counted(len(move.adding), "replica")
    return amount(move.size_bytes * len(move.adding))
