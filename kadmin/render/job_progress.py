"""The progress of a job over files: how far is it, and how long will it take?

A bar on standard error where that is a terminal; nothing otherwise, and nothing when quiet.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from kadmin.render.output import Output

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from kadmin.jobs.progress import Progress

T = TypeVar("T")

TITLES: Final = {
    "survey": "looking through the logs",
    "merge": "merging",
    "verify": "reading the replicas",
}


class JobProgress:
    """A bar that follows the reports of a job; without *bar*, nothing to be seen.

    One that *hides_at_output* makes way for results on the same terminal.
    """

    def __init__(self, bar: "Bar | None", *, hides_at_output: bool) -> None:
        self.bar = bar
        self.hides_at_output = hides_at_output
        self.tasks: dict[str, object] = {}

    def report(self, progress: "Progress") -> None:
        """Show how far the job is."""
        if self.bar is None:
            return
        name = str(progress.phase)
        if name not in self.tasks:
            self.tasks[name] = self.bar.add_task(TITLES[name], total=progress.total_bytes)
        self.bar.update(self.tasks[name], completed=progress.done_bytes)  # type: ignore[arg-type]

    def watch(self, outputs: Iterable[T]) -> Iterator[T]:
        """Pass *outputs* on; the bar ends before the first of them where it must make way."""
        for output in outputs:
            if self.bar is not None and self.hides_at_output:
                self.bar.stop()
                self.bar = None
            yield output


@contextmanager
def job_progress(output: Output, *, hides_at_output: bool = False) -> Iterator[JobProgress]:
    """Yield a bar for one job, whose results go to standard output if it *hides_at_output*."""
    if output.quiet or not output.stderr.isatty():
        yield JobProgress(None, hides_at_output=False)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(file=output.stderr, color_system="auto" if output.color else None)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield JobProgress(bar, hides_at_output=hides_at_output and output.is_terminal)
