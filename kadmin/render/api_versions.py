"""Versions of Kafka's requests: how do they look, and their differences?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerId
from kadmin.plan.api_versions import ApiComparison, BrokerApis, Versions
from kadmin.render.output import Document
from kadmin.wording import brokers_listed

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = ("broker", "api_key", "api", "min_version", "max_version")


def versions_document(
    apis: BrokerApis,
    brokers: Mapping[BrokerId, BrokerRegistration],
    compared: Sequence[ApiComparison],
    *,
    differences_only: bool,
) -> Document:
    """Return what *brokers* serve, as *compared*; the lines are those of
    kafka-broker-api-versions, or with *differences_only* one for each API in which they
    disagree."""
    names = {each.key: each.name for each in compared}
    silent = [broker for broker in brokers if broker not in apis]
    return Document(
        schema="kadmin.api-versions/1",
        body=lambda: {
            "apis": [api_body(each) for each in compared],
            "silent_brokers": silent,
        },
        columns=COLUMNS,
        rows=lambda: rows(compared),
        lines=lambda: (
            map(difference_line, compared)
            if differences_only
            else kafka_lines(apis, brokers, names)
        ),
        pretty=lambda: pretty(compared),
    )


def api_body(each: ApiComparison) -> dict[str, object]:
    return {
        "api_key": each.key,
        "api": each.name,
        "is_agreed": each.is_agreed,
        "common": versions_body(each.common),
        "brokers": [
            {"broker": broker, "versions": versions_body(versions)}
            for broker, versions in each.by_broker.items()
        ],
    }


def versions_body(versions: Versions | None) -> dict[str, int] | None:
    return None if versions is None else {"min": versions.lowest, "max": versions.highest}


def rows(compared: Iterable[ApiComparison]) -> Iterator[Sequence[object]]:
    for each in compared:
        for broker, versions in each.by_broker.items():
            lowest, highest = (None, None) if versions is None else versions
            yield broker, each.key, each.name, lowest, highest


def kafka_lines(
    apis: BrokerApis,
    brokers: Mapping[BrokerId, BrokerRegistration],
    names: Mapping[int, str],
) -> Iterator[str]:
    """Write the lines broker by broker, without the versions that Kafka's own client would use."""
    for broker, registration in brokers.items():
        address = registration.endpoints[0].address if registration.endpoints else "no address"
        node = f"{address} (id: {broker} rack: {registration.rack or 'null'})"
        if broker not in apis:
            yield f"{node} -> ERROR: it did not answer"
            continue
        served = [
            f"\t{names[key]}({key}): {versions}"
            for key, versions in apis[broker].items()
            if key in names
        ]
        yield f"{node} -> ("
        for line in served[:-1]:
            yield f"{line},"
        yield from served[-1:]
        yield ")"


def difference_line(each: ApiComparison) -> str:
    return f"{each.name}({each.key}): {difference_text(each)}; common: {versions_text(each.common)}"


def difference_text(each: ApiComparison) -> str:
    return "; ".join(
        f"{versions_text(versions)}: {brokers_listed(who)}" for versions, who in each.groups
    )


def versions_text(versions: Versions | None) -> str:
    return "none" if versions is None else str(versions)


def pretty(compared: Sequence[ApiComparison]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Shown, table_of

    def common(each: ApiComparison) -> Text:
        return Text(versions_text(each.common), "bold red" if each.common is None else "")

    def differences(each: ApiComparison) -> Text:
        return Text("" if each.is_agreed else difference_text(each), "yellow")

    is_agreed = all(each.is_agreed for each in compared)
    return table_of(
        compared,
        Shown("api", lambda each: each.name),
        Shown("key", lambda each: str(each.key), right=True, worth=1),
        Shown("all brokers", common),
        None if is_agreed else Shown("where they disagree", differences, least=24),
    )
