"""How does a test call Java classes: in a JVM beside it, which ends when the test does?

py4j carries the calls; it comes with PySpark.  Knows no class that is called.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pyspark
from py4j import protocol
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from tests.support.waiting import OUTER_LIMIT_S

OPTIONS: Final = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""A JVM that is soon up, and leaves the cores to others."""

LOGGING: Final = """\
log4j.rootLogger=WARN, stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.Target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=%d %p %c %m%n
"""


@contextmanager
def running_gateway(java: str, class_path: str, directory: Path) -> Iterator[JavaGateway]:
    """A JVM with the jars of *class_path*; what it says goes to `stderr` in *directory*.

    It ends with the block, and by itself when this process dies in any way: its input ends then.
    Only who has the token, which is made for this JVM, can use its port.
    """
    logging = directory / "log4j.properties"
    logging.write_text(LOGGING)
    with (directory / "stderr").open("w") as stderr:
        port, token, process = launch_gateway(
            jarpath=str(py4j_jar()),
            classpath=class_path,
            javaopts=[*OPTIONS, f"-Dlog4j.configuration=file:{logging}"],
            java_path=java,
            die_on_exit=True,
            enable_auth=True,
            # Ctrl-C is for the tests, which end the JVM.
            create_new_process_group=True,
            redirect_stderr=stderr,
            return_proc=True,
        )
    gateway = JavaGateway(
        gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True)
    )
    try:
        # Where a test has used Spark, PySpark still converts what Java raises, by a JVM that ended.
        with patch("py4j.java_gateway.get_return_value", protocol.get_return_value):
            yield gateway
    finally:
        gateway.shutdown()
        end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(OUTER_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def py4j_jar() -> Path:
    (jar,) = Path(pyspark.__path__[0], "jars").glob("py4j-*.jar")
    return jar
