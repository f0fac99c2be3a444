"""The lines that the KRaft preview of 2.8 wrote about the metadata that a broker applied."""

from typing import Final

from kadmin.statechange.kinds import Kind, Role
from kadmin.statechange.template_rows import Row, lines

_ALL: Final = ("Metadata batch {n}", "Metadata batch <multiple deferred>")
_ONE: Final = (
    "<Metadata batch {n}|Apply deferred leader partition|Apply deferred follower partition> "
    "{partition}: "
)
_DISK: Final = "the replica for the partition is offline due to disk error {error}"


def _rows(levels: str, *texts: str) -> tuple[Row, ...]:
    return tuple(("2.8", "2.8", levels, text) for text in texts)


METADATA_LINES: Final = lines(
    Kind.METADATA_BATCH,
    Role.BROKER,
    *_rows(
        "I",
        "Metadata changes are <initially being|now being|no longer being> deferred",
        "Applying deferred metadata changes",
        "Deferring metadata changes for {n} partition(s)",
        "Applied {n} deferred partitions[[ prior to the error]]: {n} leader(s) "
        "and {n} follower(s)[[ in {n} ms]]",
        "Metadata batch {n}: {n} local partition(s) changed, {n} local partition(s) removed.",
        "Metadata batch {n}: applied {n} partitions: {n} leader(s) and {n} follower(s)",
        "Metadata batch {n}: handled replica changes in {n} ms",
        *(f"{batch}: stopped {{n}} fetcher(s)" for batch in _ALL),
        *(f"{batch}: stopped followers for {{n}} partitions" for batch in _ALL),
        "Metadata batch {n}: as part of become-deferred request, "
        "stopped any fetchers for {n} partitions",
    ),
    *_rows(
        "T",
        "Metadata batch {n}: locally <changed|removed>: {text}",
        "Metadata batch {n}: starting the become-deferred transition "
        "for partition {partition} isNew=<true|false>",
        "Completed batch {n} become-deferred transition for partition {partition}",
        f"{_ONE}completed the {{transition}} state change< with new leader {{leader}}|>.",
        f"{_ONE}starting the {{transition}} transition with leader {{leader}}",
        f"{_ONE}completed {{transition}} transition for partition {{word}} "
        "with new leader {leader}",
        f"{_ONE}skipped the adding-fetcher step of the {{transition}} state "
        "for {word} since we are shutting down.",
    ),
    *_rows(
        "I",
        f"{_ONE}skipped the {{transition}} state change since it is already the leader.",
        f"{_ONE}skipped the {{transition}} state change "
        "since the new leader {leader} is the same as the old leader.",
    ),
    *_rows(
        "W",
        "Ignoring handlePartitionChanges at {n} for partition {partition} "
        "as the local replica for the partition is in an offline log directory",
    ),
    *_rows(
        "E",
        f"{_ONE}unable to make leader because {_DISK}",
        f"{_ONE}unable to complete the {{transition}} state change since {_DISK}",
        f"{_ONE}cannot become follower since the new leader {{leader}} is unavailable.",
        *(f"{batch}: error while processing batch[[.]]" for batch in _ALL),
        "Apply deferred <leader|follower> partition {partition}: "
        "error while applying deferred metadata.",
        "Metadata batch {n}: unable to delete {partition} <as the local replica for the partition "
        "is in an offline log directory|due to an unexpected {error}>",
    ),
)
