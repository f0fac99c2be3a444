"""The fuzzer finds nothing in a short run; a long one is started by hand."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT

pytest.importorskip("atheris")


@pytest.mark.slow
def test_a_short_run_of_the_fuzzer_finds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.cluster.wire.fuzz_decoders", "13"]
    options = ["-runs=20000", "-max_len=300", "-seed=1", f"-artifact_prefix={tmp_path}/"]

    done = subprocess.run(
        [*command, *options], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr[-3000:]
    assert "Done 20000 runs" in done.stderr
