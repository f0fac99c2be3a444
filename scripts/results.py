"""The results of pytest runs, from the JUnit files that they wrote.

usage: python -m scripts.results FILE…

Prints a line for each file, and last, on a line of its own, the total of all of them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The tests of a run; *failed* are the names of those that failed or had errors, sorted."""

    passed_count: int
    failed: tuple[str, ...]
    skipped_count: int
    took_s: float

    def __str__(self) -> str:
        counts = f"{self.passed_count} passed, {len(self.failed)} failed"
        return f"{counts}, {self.skipped_count} skipped"


def read_results(path: Path) -> Results | None:
    """Read a JUnit file; None where pytest ended without writing a complete one.

    A test that is expected to fail counts as skipped, as pytest writes it.  One that fails and
    cannot be taken down either counts once.
    """
    try:
        suites = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    every: set[str] = set()
    failed: set[str] = set()
    skipped: set[str] = set()
    for case in suites.iter("testcase"):
        name = name_of(case)
        every.add(name)
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
        elif case.find("skipped") is not None:
            skipped.add(name)
    skipped -= failed
    return Results(
        passed_count=len(every) - len(failed) - len(skipped),
        failed=tuple(sorted(failed)),
        skipped_count=len(skipped),
        took_s=sum(float(suite.get("time", "0")) for suite in suites.iter("testsuite")),
    )


def name_of(case: ElementTree.Element) -> str:
    """The name by which pytest can run a test again; for a file that was not read, the file's."""
    file, own = case.get("file"), case.get("name", "")
    if file is None or not case.get("classname"):
        return file or own
    module = file.removesuffix(".py").replace("/", ".")
    classes = case.get("classname", "").removeprefix(module).strip(".").split(".")
    return "::".join((file, *filter(None, classes), own))


def total(runs: Sequence[Results]) -> Results:
    return Results(
        passed_count=sum(run.passed_count for run in runs),
        failed=tuple(sorted(name for run in runs for name in run.failed)),
        skipped_count=sum(run.skipped_count for run in runs),
        took_s=sum(run.took_s for run in runs),
    )


def main(paths: Sequence[Path]) -> int:
    """Print the results in *paths*; 1 where a test failed, or a run left no results."""
    runs = {path: read_results(path) for path in paths}
    for path, run in runs.items():
        text = "no results" if run is None else f"{run} in {run.took_s:.0f} s"
        sys.stdout.write(f"{path.stem}: {text}\n")
    whole = total([run for run in runs.values() if run is not None])
    for name in whole.failed:
        sys.stdout.write(f"failed: {name}\n")
    sys.stdout.write(f"{whole}\n")
    return 1 if whole.failed or None in runs.values() else 0


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]]))
