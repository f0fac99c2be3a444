"""The Java that runs the embedded servers and Spark: which one is it?

Looks at JAVA_HOME, then PATH, then the places where distributions put it.  Knows nothing of what
is run with it.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError

LEAST_MAJOR: Final = 17
"""PySpark 4 and its ZooKeeper jars are built for Java 17."""

INSTALLED_UNDER: Final = (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines"))

VERSION_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """A `java` program and its full version, for example `17.0.15`."""

    path: Path
    version: str

    @property
    def major(self) -> int:
        return major_of(self.version)


class NoJava(KadminError):
    """No Java that is new enough was found; *rejected* are those that are too old."""

    def __init__(self, rejected: Sequence[Java]) -> None:
        found = ", ".join(f"{java.path} is {java.version}" for java in rejected)
        super().__init__(
            f"no Java {LEAST_MAJOR} or newer was found" + (f" ({found})" if found else ""),
            hint="install one ('apt-get install openjdk-17-jre-headless'), or set JAVA_HOME",
        )
        self.rejected = tuple(rejected)


def find_java(
    env: Mapping[str, str] = os.environ, installed_under: Sequence[Path] = INSTALLED_UNDER
) -> Java:
    """Return the first Java of at least `LEAST_MAJOR`: of JAVA_HOME, of PATH, then installed ones.

    Raises:
        NoJava: there is none.
    """
    rejected: list[Java] = []
    for path in dict.fromkeys(candidates(env, installed_under)):
        version = version_of(path)
        if version is None:
            continue
        java = Java(path=path, version=version)
        if java.major >= LEAST_MAJOR:
            return java
        rejected.append(java)
    raise NoJava(rejected)


def candidates(env: Mapping[str, str], installed_under: Sequence[Path]) -> Iterator[Path]:
    """Return every `java` worth a look, links resolved, best first."""
    home = env.get("JAVA_HOME")
    if home:
        yield Path(home, "bin", "java").resolve()
    on_path = shutil.which("java", path=env.get("PATH", os.defpath))
    if on_path is not None:
        yield Path(on_path).resolve()
    for root in installed_under:
        for pattern in ("*/bin/java", "*/Contents/Home/bin/java"):
            yield from sorted(path.resolve() for path in root.glob(pattern))


def version_of(path: Path) -> str | None:
    """Return the version of the `java` at *path*; None when it cannot be run."""
    if not os.access(path, os.X_OK):
        return None
    # Every JDK and JRE from 9 on carries this file; reading it spares the start of a JVM.
    try:
        release = (path.parent.parent / "release").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return version_by_running(path)
    match = re.search(r'^JAVA_VERSION="([0-9][^"]*)"', release, re.MULTILINE)
    return match[1] if match is not None else version_by_running(path)


def version_by_running(path: Path) -> str | None:
    try:
        done = subprocess.run(
            [path, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "([0-9][^"]*)"', done.stderr)
    return match[1] if match is not None else None


def major_of(version: str) -> int:
    """Return 17 of `17.0.15`, 8 of `1.8.0_402`, 21 of `21-ea`."""
    numbers = [int(number) for number in re.findall(r"[0-9]+", version)]
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]
