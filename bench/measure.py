"""Runs commands side by side and measures their time and memory."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kadmin.jvm.java import find_java

KADMIN = (sys.executable, "-m", "kadmin")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command: wall and CPU in s, the largest resident set in MiB (no less than that
    of this process when it forked)."""

    wall_s: float
    cpu_s: float
    rss_mib: float


def run(command: Sequence[str]) -> Run:
    """Run *command* once; its output is read, as a reader would, and dropped.

    Raises:
        SystemExit: it failed; the message has its stderr.
    """
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = start(command, said)
        drain(process, started)
        usage = finish(process, command, said)
        wall_s = time.perf_counter() - started
    return Run(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def start(command: Sequence[str], said: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start *command*, whose stderr is written to *said*."""
    # Set on some build machines; normally kadmin is not compiled anew for every command.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, env=environment)


def drain(process: "subprocess.Popen[bytes]", started: float) -> tuple[float, int]:
    """Read the output to its end; the time of the first byte, in s after *started*, and the
    size.
    """
    assert process.stdout is not None
    first_byte_s, size = 0.0, 0
    with process.stdout as output:
        while data := os.read(output.fileno(), 1 << 20):
            if size == 0:
                first_byte_s = time.perf_counter() - started
            size += len(data)
    return first_byte_s, size


def finish(
    process: "subprocess.Popen[bytes]", command: Sequence[str], said: IO[bytes]
) -> resource.struct_rusage:
    """Wait for the end of *process*, which runs *command*; returns the kernel's resource usage.

    Raises:
        SystemExit: it failed; the message has its stderr from *said*.
    """
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        said.seek(0)
        words = said.read().decode(errors="replace")
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{words}")
    return usage


def alternate(times: int, commands: Mapping[str, Callable[[], Run]]) -> dict[str, Run]:
    """The run with the least wall time of *times* of each, in turns.

    So noise affects all of them alike, and it only ever adds time.
    """
    results: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(times):
        for name, once in commands.items():
            results[name].append(once())
    return {name: min(runs, key=lambda result: result.wall_s) for name, runs in results.items()}


def kafka_class_path(release: str) -> str | None:
    """The jars of that Kafka release, or None (and a line why) where Maven does not answer."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.interop.maven import Maven, MavenSilent
    from tests.interop.releases import KAFKA

    try:
        return Maven().class_path(KAFKA[release])
    except MavenSilent as silence:
        print(f"skipped: Kafka {release} beside it, Maven does not answer: {silence}")
        return None


def kafka_tool(class_path: str, main_class: str, *arguments: str) -> list[str]:
    """A command line for Kafka's own tool with the JVM flags of Kafka 2.8's shell scripts."""
    flags = [
        "-Xmx256M",
        "-server",
        "-XX:+UseG1GC",
        "-XX:MaxGCPauseMillis=20",
        "-XX:InitiatingHeapOccupancyPercent=35",
        "-XX:+ExplicitGCInvokesConcurrent",
        "-XX:MaxInlineLevel=15",
        "-Djava.awt.headless=true",
    ]
    return [str(find_java().path), *flags, "-cp", class_path, main_class, *arguments]
