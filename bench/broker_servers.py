"""Starts brokers of Kafka and ours over a ZooKeeper, and measures their resource usage."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kazoo.client import KazooClient

from bench.broker_wire import Wire
from bench.process_tree import MIB, PROC, TICKS_PER_S, status
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import MetadataRequest, MetadataResponse
from kadmin.jvm.java import find_java
from kadmin.local.ports import free_ports

LOOPBACK: Final = "127.0.0.1"
READY_TIMEOUT_S: Final = 60.0
STOP_TIMEOUT_S: Final = 30.0
LOOK_S: Final = 0.002

KAFKA_JVM: Final = (
    *("-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"),
    *("-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent"),
    *("-XX:MaxInlineLevel=15", "-Djava.awt.headless=true"),
)
"""The JVM options of kafka-server-start.sh."""

Command = Callable[[Path], Sequence[str]]
"""The command of a broker, given its server.properties."""


@dataclass(slots=True)
class Broker:
    """A running broker; *ready_s* is the time from its start to serving metadata."""

    name: str
    broker_id: int
    process: "subprocess.Popen[bytes]"
    port: int
    ready_s: float

    @property
    def brokers(self) -> "tuple[Broker]":
        return (self,)

    @property
    def bootstrap(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def cpu_s(self) -> float:
        """The CPU time of the process and its children up to now, in s."""
        return status(self.process.pid)[1] + children_cpu_s(self.process.pid)

    def kept_s(self) -> float:
        """How long its threads have waited for a CPU, in s."""
        tasks = (PROC / str(self.process.pid) / "task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9

    def rss_mib(self) -> float:
        """Its resident memory now, in MiB."""
        return memory_mib(self.process.pid, "VmRSS")

    def peak_mib(self) -> float:
        """The peak of its resident memory, in MiB."""
        return memory_mib(self.process.pid, "VmHWM")

    def wire(self) -> Wire:
        return Wire(self.port)


def children_cpu_s(pid: int) -> float:
    """The CPU time of its children, in s: of those that have ended, and of those that run."""
    ended = sum(map(int, (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[13:15]))
    running = 0.0
    for task in (PROC / str(pid) / "task").iterdir():
        with suppress(OSError):
            for child in (task / "children").read_text().split():
                running += status(int(child))[1]
    return ended / TICKS_PER_S + running


def memory_mib(pid: int, name: str) -> float:
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024 / MIB
    raise SystemExit(f"/proc/{pid}/status has no {name}")


def our_command(properties: Path) -> Sequence[str]:
    return [sys.executable, "-m", "cluster.runtime.broker", str(properties)]


def kafka_command(class_path: str) -> Command:
    """The command for Kafka from these jars, with only warnings in its log."""

    def command(properties: Path) -> Sequence[str]:
        log4j = properties.with_name("log4j.properties")
        log4j.write_text(
            "log4j.rootLogger=WARN, out\n"
            "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
            "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
        )
        return [
            *(str(find_java().path), *KAFKA_JVM, f"-Dlog4j.configuration=file:{log4j}"),
            *("-cp", class_path, "kafka.Kafka", str(properties)),
        ]

    return command


def contestants(class_path: str | None) -> dict[str, Command]:
    """The compared brokers, by name: ours, and the Kafka of these jars, if there are any."""
    commands: dict[str, Command] = {"ours": our_command}
    if class_path is not None:
        commands["Kafka"] = kafka_command(class_path)
    return commands


def chroot(connect: str, name: str) -> str:
    """Create node *name*, and return the connect string for it as a chroot."""
    client = KazooClient(connect)
    client.start()
    client.ensure_path(f"/{name}")
    client.stop()
    client.close()
    return f"{connect}/{name}"


@contextmanager
def running(
    name: str,
    command: Command,
    connect: str,
    directory: Path,
    broker_id: int = 1,
    settings: Mapping[str, object] = MappingProxyType({}),
) -> Iterator[Broker]:
    """A broker over *connect* with its data below *directory*, both of its own; stopped at
    the end.
    """
    directory.mkdir(parents=True)
    (port,) = free_ports(1, LOOPBACK)
    keys = {
        "broker.id": broker_id,
        "listeners": f"PLAINTEXT://{LOOPBACK}:{port}",
        "log.dirs": directory / "data",
        "zookeeper.connect": connect,
        "kafka.logs.dir": directory / "logs",
        "offsets.topic.replication.factor": 1,
        "zookeeper.session.timeout.ms": 30_000,
        # Topics are deleted between the cases, so that no case writes back pages of another.
        "log.segment.delete.delay.ms": 0,
        **settings,
    }
    properties = directory / "server.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in keys.items()))
    broker = start(name, broker_id, command, directory, port)
    try:
        yield broker
    finally:
        end(broker.process)
        shutil.rmtree(directory)


def start(name: str, broker_id: int, command: Command, directory: Path, port: int) -> Broker:
    """Start a broker with the server.properties in *directory*; it serves when this returns."""
    # Set on some build machines; normally a broker is not compiled anew at every start.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with (directory / "console").open("ab") as console:
        started = time.perf_counter()
        process = subprocess.Popen(
            command(directory / "server.properties"),
            stdout=console,
            stderr=console,
            env=environment,
        )
    try:
        wait_until_ready(process, port, directory / "console")
    except BaseException:
        end(process)
        raise
    return Broker(name, broker_id, process, port, time.perf_counter() - started)


def wait_until_ready(process: "subprocess.Popen[bytes]", port: int, console: Path) -> None:
    """Wait until the broker is in its own answer to a metadata request."""
    deadline = time.perf_counter() + READY_TIMEOUT_S
    while time.perf_counter() < deadline and process.poll() is None:
        with suppress(OSError), Wire(port) as wire:
            answer = wire.ask(ApiKey.METADATA, 9, MetadataRequest(topics=()), MetadataResponse)
            if answer.brokers:
                return
        time.sleep(LOOK_S)
    raise SystemExit(f"a broker does not serve:\n{console.read_text(errors='replace')[-3000:]}")


def end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def idle_connections(port: int, count: int) -> Iterator[None]:
    """*count* connected clients that send nothing."""
    sockets = [socket.create_connection((LOOPBACK, port)) for _ in range(count)]
    try:
        yield
    finally:
        for idle in sockets:
            idle.close()
