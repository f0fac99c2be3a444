"""What Kafka 2.8.2's own tool was asked and what it said, without warnings and stack traces."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Transcript:
    files: Mapping[str, str]
    runs: tuple[tuple[str, tuple[str, ...]], ...]
    """The arguments of each run, and the lines that it said."""

    def said(self, number: int) -> tuple[str, ...]:
        return self.runs[number][1]


def transcript(name: str) -> Transcript:
    files: dict[str, list[str]] = {}
    runs: list[tuple[str, list[str]]] = []
    lines: list[str] = []
    for line in (GOLDEN / f"{name}.txt").read_text().splitlines():
        if line.startswith("--- file "):
            lines = files.setdefault(line.removeprefix("--- file "), [])
        elif line.startswith("$ "):
            lines = []
            runs.append((line.removeprefix("$ "), lines))
        elif not line.startswith(("# ", "--- ")):
            lines.append(line)
    return Transcript(
        files={name: "\n".join(lines) for name, lines in files.items()},
        runs=tuple((arguments, tuple(said)) for arguments, said in runs),
    )
