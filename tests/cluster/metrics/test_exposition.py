"""The exposition for Prometheus: as the recorded one, and as prometheus_client understands it."""

from pathlib import Path
from typing import Final

import pytest
from prometheus_client import Metric, parser
from prometheus_client.openmetrics import parser as openmetrics_parser

from cluster.metrics.exposition import Exposition, Format, number_text, wanted_format
from cluster.metrics.registry import MetricsRegistry
from tests.cluster.metrics.beans import registry_with_all_kinds

TEXT: Final = (Path(__file__).parent / "exposition.txt").read_text()


def exposition(registry: MetricsRegistry, form: Format, slice_size: int = 1000) -> str:
    made = Exposition()
    for part in registry.slices(slice_size):
        made.add(part)
    return b"".join(made.pieces(form)).decode()


@pytest.mark.parametrize("slice_size", [1, 1000])
def test_the_text_is_the_same_however_it_is_sliced(slice_size: int) -> None:
    text = exposition(registry_with_all_kinds(), Format.TEXT, slice_size)

    assert TEXT == text


def samples(families: list[Metric]) -> set[object]:
    return {
        (family.name.removesuffix("_total"), family.type, sample.name, *sample.labels.items())
        for family in families
        for sample in family.samples
    }


def test_both_formats_are_what_prometheus_client_reads() -> None:
    registry = registry_with_all_kinds()
    text = exposition(registry, Format.TEXT)
    open_metrics = exposition(registry, Format.OPEN_METRICS)

    as_text = list(parser.text_string_to_metric_families(text))
    as_open = list(openmetrics_parser.text_string_to_metric_families(open_metrics))

    assert samples(as_text) == samples(as_open)
    assert {'a"b\\c'} <= {
        sample.labels.get("topic") for family in as_text for sample in family.samples
    }
    assert open_metrics.endswith("# EOF\n")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (True, "1"),
        (7, "7"),
        (0.1, "0.1"),
        (1e-9, "1e-09"),
        (float("nan"), "NaN"),
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
    ],
)
def test_numbers_are_written_as_prometheus_reads_them(number: float, text: str) -> None:
    assert text == number_text(number)


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", Format.TEXT),
        ("*/*", Format.TEXT),
        ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3", Format.OPEN_METRICS),
        ("application/openmetrics-text;q=0, text/plain", Format.TEXT),
        ("application/openmetrics-text;q=0.0", Format.TEXT),
    ],
)
def test_open_metrics_is_for_clients_that_name_it(accept: str, form: Format) -> None:
    assert form is wanted_format(accept)
