"""`kadmin merge-logs --correct-clocks` and `--causal`: corrections of clocks that are off.

Reported on standard error before the first line.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.cli.merge_logs.plan import Job
    from kadmin.jobs.engine import Engine
    from kadmin.jobs.merge.request import MergeRequest
    from kadmin.jobs.progress import Report


@contextmanager
def corrected(
    session: Session,
    job: "Job",
    engine: "Engine | None",
    report: "Report",
    *,
    corrects_clocks: bool,
    is_causal: bool,
) -> "Iterator[tuple[MergeRequest, Engine | None]]":
    """Yield the request of *job* with clocks set right, and who found that out and may go on.

    That is *engine*, where there is one already.  Without a pass where none of it is wanted.

    Raises:
        What `kadmin.jobs.merge.merge.merge` raises.
    """
    if not corrects_clocks and not is_causal:
        yield job.request, engine
        return
    from kadmin.cli.merge_logs.plan import request_here
    from kadmin.jobs.merge.engines import shared_engine
    from kadmin.jobs.story.clocks import find_correction, unlinked, with_correction
    from kadmin.render.merge_logs.story_words import correction_lines, lift_lines

    request = request_here(job)
    with shared_engine(request) if engine is None else nullcontext(engine) as shared:
        found = find_correction(
            request, shared, report, corrects_clocks=corrects_clocks, is_causal=is_causal
        )
        if corrects_clocks and found.has_lines:
            alone = unlinked([source.name for source in request.sources], found.clocks)
            for line in correction_lines(found.clocks, alone):
                session.output.note(line)
        if is_causal and found.has_lines:
            for line in lift_lines(found.lifts):
                session.output.note(line)
        yield with_correction(request, found), shared
