"""A file as the survey knows it: its parts that are to be merged, and where they are read."""

from dataclasses import dataclass

from kadmin.jobs.merge.clocks import EXACT, Clock
from kadmin.jobs.merge.files.log_file import Identity
from kadmin.jobs.merge.survey.parts import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyedFile:
    """A file by its source's number and the parts of it that are to be merged, ascending.

    *first_lines* are the lines (from 1) at which the parts begin.  The content is read from
    *path*; what *is_stored* was unpacked there, and all else is the file of that *identity*.
    """

    source: int
    number: int
    path: str
    identity: Identity | None = None
    is_stored: bool = False
    clock: Clock = EXACT
    parts: tuple[Part, ...]
    first_lines: tuple[int, ...]
