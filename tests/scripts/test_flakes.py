"""Does `make flakes` find a test that fails now and then, and end all that it has started?"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.flakes import Run, busy_loops, commit_of, keep, kept_runs, main, summary
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S, wait_until

OF_PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider"),
    *("-p", "pytest_randomly"),
)


@pytest.fixture(autouse=True)
def few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others than OF_PYTEST names only cost time here."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture(autouse=True)
def handlers_of_before() -> Iterator[None]:
    """`main` takes signals; it is a program of its own, and this process has others."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(one) for one in signals]
    yield
    for one, handler in zip(signals, before, strict=True):
        signal.signal(one, handler)


def run_of(seed: int, *failed: str, commit: str = "c") -> Run:
    return Run(
        commit=commit,
        seed=seed,
        exit_code=1 if failed else 0,
        passed=3,
        failed=list(failed),
        skipped=1,
        took_s=2.5,
        loads=4,
        together=1,
    )


def test_what_failed_is_named_with_the_seeds_that_repeat_it() -> None:
    runs = [run_of(1, "a.py::x"), run_of(2), run_of(3, "a.py::x", "b.py::y")]

    assert summary(runs, "make test") == [
        "failed 2 of 3: a.py::x",
        "    PYTEST_ADDOPTS=--randomly-seed=1 make test",
        "    PYTEST_ADDOPTS=--randomly-seed=3 make test",
        "failed 1 of 3: b.py::y",
        "    PYTEST_ADDOPTS=--randomly-seed=3 make test",
        "2 of 3 runs failed",
    ]
    assert ["0 of 1 runs failed"] == summary([run_of(2)], "make test")


def test_runs_of_one_commit_add_up(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    runs = [run_of(1), run_of(2, "a.py::x"), run_of(3, commit="other")]
    for run in runs:
        keep(path, run)
    with path.open("a") as file:
        file.write('{"of": "another version"}\nnothing')

    assert runs[:2] == kept_runs(path, "c")
    assert [] == kept_runs(tmp_path / "none", "c")


def test_loops_end_with_the_block_and_with_their_process(tmp_path: Path) -> None:
    with busy_loops(2) as loops:
        assert [None, None] == [loop.poll() for loop in loops]
    assert all(loop.returncode is not None for loop in loops)

    script = (
        "import time; from scripts.flakes import busy_loops\n"
        "with busy_loops(1) as loops: print(loops[0].pid, flush=True); time.sleep(1000)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=CHECKOUT, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        loop = int(process.stdout.readline())
        process.kill()
    wait_until(lambda: not is_alive(loop), what="the end of a loop whose process was killed")


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_a_test_that_fails_once_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two runs side by side, the one that comes second fails."""
    (tmp_path / "test_it.py").write_text(
        f"import os\ndef test_is_flaky(): os.mkdir('{tmp_path}/taken')\ndef test_passes(): pass\n"
    )
    command = (*OF_PYTEST, f"--rootdir={tmp_path}", str(tmp_path / "test_it.py"))
    words = ("--runs", "2", "--loads", "0", "--together", "2", "--", *command)

    first = main(words, tmp_path / "kept")
    once = capsys.readouterr().out.splitlines()
    (tmp_path / "test_it.py").write_text("def test_passes(): pass\n")
    second = main(words, tmp_path / "kept")
    again = capsys.readouterr().out.splitlines()

    assert (1, 0) == (first, second)
    assert ["run 1", "run 2"] == sorted(line.partition(":")[0] for line in once[:2])
    assert "failed 1 of 2: test_it.py::test_is_flaky" in once
    assert "1 of 2 runs failed" in once
    assert "0 of 2 runs failed" in again
    assert "Of this commit: 1 of 4 runs failed" == again[-1]
    kept = kept_runs(tmp_path / "kept" / "runs.jsonl", commit_of(CHECKOUT))
    assert 4 == len({run.seed for run in kept})


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_all_that_it_has_started_ends_when_it_is_ended(
    tmp_path: Path, sign: signal.Signals
) -> None:
    (tmp_path / "test_it.py").write_text(
        "import os, time\n"
        "def test_takes_long():\n"
        f"    open('{tmp_path}/pid', 'w').write(f'{{os.getpid()}} ')\n"
        "    time.sleep(1000)\n"
    )
    script = (
        "import sys; from pathlib import Path; from scripts.flakes import main; "
        f"sys.exit(main(sys.argv[1:], Path('{tmp_path}/kept')))"
    )
    command = (*OF_PYTEST, f"--rootdir={tmp_path}", str(tmp_path / "test_it.py"))
    with subprocess.Popen(
        [sys.executable, "-c", script, "--loads", "1", "--", *command],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        pid = tmp_path / "pid"
        wait_until(lambda: pid.exists() and pid.read_text().endswith(" "), what="a run")
        loops = children_of(process.pid)
        process.send_signal(sign)
        out, _ = process.communicate(timeout=OUTER_LIMIT_S)

    assert 130 == process.returncode
    assert "interrupted" in out.splitlines()
    assert not is_alive(int(pid.read_text()))
    assert len(loops) == 2
    assert not any(map(is_alive, loops))


def children_of(pid: int) -> list[int]:
    """The children of all threads of a process."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for thread in threads for word in thread.read_text().split()]
