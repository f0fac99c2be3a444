"""The recorded incident, as brokers whose clocks are wrong would have written it."""

import re
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from tests.support.checkout import CHECKOUT

INCIDENT = CHECKOUT / "scripts" / "demo-incident"
STAMP = re.compile(r"^\[([0-9-]+ [0-9:]+,[0-9]+)\]", re.MULTILINE)


def skewed_incident(directory: Path, ahead_ms: Mapping[int, int]) -> Path:
    """A copy in *directory* in which the clocks of brokers were ahead by so much."""
    for broker in (1, 2, 3):
        shutil.copytree(INCIDENT / f"broker-{broker}", directory / f"broker-{broker}")
        for path in (directory / f"broker-{broker}").iterdir():
            path.write_text(set_ahead(path.read_text(), ahead_ms.get(broker, 0)))
    return directory


def set_ahead(log: str, ahead_ms: int) -> str:
    def later(match: re.Match[str]) -> str:
        time = datetime.strptime(match[1], "%Y-%m-%d %H:%M:%S,%f")
        return f"[{(time + timedelta(milliseconds=ahead_ms)).isoformat(' ', 'milliseconds')}]"

    return STAMP.sub(lambda match: later(match).replace(".", ","), log)


def without_times(text: str) -> list[str]:
    return [STAMP.sub("[]", line) for line in text.splitlines()]
