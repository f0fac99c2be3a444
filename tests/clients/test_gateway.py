"""Does the JVM of the tests serve only them, and end with them?"""

import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from py4j import java_gateway
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JAuthenticationError, Py4JJavaError
from pyspark.errors.exceptions.captured import install_exception_handler

from kadmin.jvm.process import Process, start_of
from tests.clients.gateway import running_gateway
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = [pytest.mark.clients, pytest.mark.faults]

NO_JARS = ""

OWNER = """
import sys
from pathlib import Path
from tests.clients.gateway import running_gateway

with running_gateway(sys.argv[1], "", Path(sys.argv[2])) as gateway:
    print(gateway.jvm.java.lang.ProcessHandle.current().pid(), flush=True)
    sys.stdin.read()
"""


def process_of(pid: int) -> Process:
    started = start_of(pid)
    assert started is not None
    return Process(pid, started)


def test_a_jvm_ends_with_its_block_and_serves_nobody_without_its_token(java: str, tmp_path: Path):
    with running_gateway(java, NO_JARS, tmp_path) as gateway:
        jvm = process_of(gateway.jvm.java.lang.ProcessHandle.current().pid())
        stranger = GatewayParameters(port=gateway.gateway_parameters.port, auth_token="guessed")
        with pytest.raises(Py4JAuthenticationError):
            JavaGateway(gateway_parameters=stranger).jvm.java.lang.System.nanoTime()

    assert not jvm.is_alive


def test_java_s_errors_are_its_own_behind_a_session_of_spark(java: str, tmp_path: Path):
    with patch.object(java_gateway, "get_return_value"):
        install_exception_handler()
        with running_gateway(java, NO_JARS, tmp_path) as gateway:
            assert list(gateway.jvm.java.util.ArrayList()) == []
            with pytest.raises(Py4JJavaError):
                gateway.jvm.java.lang.Integer.parseInt("seven")


def test_a_jvm_ends_when_its_owner_is_killed(java: str, tmp_path: Path):
    command = [sys.executable, "-c", OWNER, java, str(tmp_path)]
    with subprocess.Popen(
        command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        jvm = process_of(int(owner.stdout.readline()))

        owner.kill()

    assert jvm.ends_within(OUTER_LIMIT_S)
