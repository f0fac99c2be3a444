"""`kadmin merge-logs --correct-clocks` of lines: which clocks are off, and what is done about it?

Says it on standard error before the first line.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.cli.merge_logs.plan import Job
    from kadmin.jobs.engine import Engine
    from kadmin.jobs.merge.request import MergeRequest
    from kadmin.jobs.progress import Report


@contextmanager
def corrected(
    session: Session, job: "Job", report: "Report", *, is_wanted: bool
) -> "Iterator[tuple[MergeRequest, Engine | None]]":
    """The request of *job* with clocks set right, and who carried that out and may go on.

    Without a pass, and without an engine, where it is not wanted.

    Raises:
        What `kadmin.jobs.merge.merge.merge` raises.
    """
    if not is_wanted:
        yield job.request, None
        return
    from kadmin.cli.merge_logs.plan import request_here
    from kadmin.jobs.merge.merge import shared_engine
    from kadmin.jobs.story.clocks import measure_clocks, shifts_of, unlinked, with_shifts
    from kadmin.render.story import correction_lines

    request = request_here(job)
    with shared_engine(request) as engine:
        clocks = measure_clocks(request, engine, report)
        alone = unlinked([source.name for source in request.sources], clocks)
        for line in correction_lines(clocks, alone):
            session.output.note(line)
        yield with_shifts(request, shifts_of(clocks)), engine
