"""The tables of the metrics that brokers have, and of those that only Kafka has."""

from collections import defaultdict
from pathlib import Path
from typing import Final

from cluster.metrics.beans import Bean
from cluster.metrics.catalogue.every import all_beans

KAFKAS: Final = Path(__file__).parent / "kafka_beans.txt"
"""Recorded from real brokers; its first lines say how."""

HEAD: Final = """\
| metric | kind | meaning | difference from Kafka |
|---|---|---|---|
"""


def kafkas() -> list[str]:
    """Return the beans that were recorded."""
    lines = KAFKAS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def block(table: str) -> str:
    return ours() if table == "ours" else only_kafkas()


def ours() -> str:
    by_type: dict[tuple[str, str], list[Bean]] = defaultdict(list)
    for bean in all_beans():
        by_type[bean.domain, bean.type].append(bean)
    return "\n".join(
        f"### {domain}, type {kind}\n\n{HEAD}{''.join(map(row, beans))}"
        for (domain, kind), beans in by_type.items()
    )


def row(bean: Bean) -> str:
    name = f"`{bean.name}`" if bean.name else "attributes"
    if bean.tags:
        name += " by " + ", ".join(f"`{tag}`" for tag in bean.tags)
    kind = "" if not bean.name else bean.kind.value
    return f"| {name} | {kind} | {bean.meaning} | {bean.differs} |\n"


def only_kafkas() -> str:
    have = {bean.pattern for bean in all_beans()}
    missing: dict[str, list[str]] = defaultdict(list)
    for key in kafkas():
        if key not in have:
            domain_and_type, _, rest = key.partition(",")
            missing[domain_and_type].append(rest.removeprefix("name=") or "its attributes")
    return "".join(
        f"- `{start}`: {', '.join(f'`{name}`' for name in names)}\n"
        for start, names in sorted(missing.items())
    )
