"""Branch coverage by package, from what `coverage json` wrote: one line a package.

usage: python -m scripts.coverage_by_package FILE
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Final

DEPTH: Final = 2
"""How many folders name a package: `cluster/controller`."""


def main(report: Path) -> None:
    statements: Counter[str] = Counter()
    branches: Counter[str] = Counter()
    covered_statements: Counter[str] = Counter()
    covered_branches: Counter[str] = Counter()
    for name, file in json.loads(report.read_text())["files"].items():
        package = "/".join(Path(name).parent.parts[:DEPTH])
        summary = file["summary"]
        statements[package] += summary["num_statements"]
        covered_statements[package] += summary["covered_lines"]
        branches[package] += summary["num_branches"]
        covered_branches[package] += summary["covered_branches"]
    sys.stdout.write(f"{'package':24} {'statements':>16} {'branches':>16}\n")
    for package in sorted(statements):
        lines = share(covered_statements[package], statements[package])
        taken = share(covered_branches[package], branches[package])
        sys.stdout.write(f"{package:24} {lines:>16} {taken:>16}\n")


def share(covered: int, total: int) -> str:
    """*covered* of *total* in percent, rounded down: 100 % is all of them."""
    return f"{100 * covered // total if total else 100} % of {total}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
