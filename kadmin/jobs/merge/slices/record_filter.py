"""The filter of records that workers apply: a predicate on head lines, and what to search for."""

from dataclasses import dataclass

from kadmin.jobs.factory import Factory


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """Which records are wanted, judged by their head lines.

    *predicate* makes a function from an array of head lines (binary, no newline) to a boolean mask.
    Every head line that it wants contains one of *substrings*, if there are any: lines without are
    passed over sooner.
    """

    predicate: Factory
    substrings: tuple[bytes, ...] = ()
