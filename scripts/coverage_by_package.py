"""Branch coverage by package, from the data that the tests left in `.coverage`: one line a package.

usage: python -m scripts.coverage_by_package
"""

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

from coverage import Coverage

DEPTH: Final = 2
"""How many folders are in a package's name: `cluster/controller`."""
COUNTS: Final = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def main() -> None:
    totals: dict[str, Counter[str]] = {}
    files = sorted(str(path) for root in ("cluster", "kadmin") for path in Path(root).rglob("*.py"))
    # Reading the source of all files takes half a minute of one core.
    parts = os.cpu_count() or 1
    with ProcessPoolExecutor(parts) as pool:
        for summaries in pool.map(summaries_of, (files[part::parts] for part in range(parts))):
            for name, summary in summaries.items():
                package = "/".join(Path(name).parent.parts[:DEPTH])
                counts = {count: summary[count] for count in COUNTS}
                totals.setdefault(package, Counter()).update(counts)
    sys.stdout.write(f"{'package':24} {'statements':>16} {'branches':>16}\n")
    for package, counted in sorted(totals.items()):
        lines = share(counted["covered_lines"], counted["num_statements"])
        taken = share(counted["covered_branches"], counted["num_branches"])
        sys.stdout.write(f"{package:24} {lines:>16} {taken:>16}\n")


def summaries_of(files: Sequence[str]) -> dict[str, dict[str, Any]]:
    """coverage's counts for each of *files*."""
    coverage = Coverage()
    coverage.load()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        coverage.json_report(morfs=files, outfile=report.name, ignore_errors=True)
        found = json.load(report)["files"]
    return {name: file["summary"] for name, file in found.items()}


def share(covered: int, total: int) -> str:
    """*covered* of *total* in percent, rounded down: 100 % is all of them."""
    return f"{100 * covered // total if total else 100} % of {total}"


if __name__ == "__main__":
    main()
