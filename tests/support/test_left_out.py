from pathlib import Path
from typing import Final

import pytest

from tests.support.left_out import (
    left_out_marks,
    marks_of,
    pytest_ignore_collect,
    pytest_pycollect_makeitem,
)

FAST: Final = "not (slow or zk or interop)"


@pytest.fixture
def fast_run(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> pytest.Config:
    monkeypatch.setattr(pytestconfig.option, "markexpr", FAST)
    return pytestconfig


@pytest.mark.parametrize(
    ("expression", "marks"),
    [
        (FAST, {"slow", "zk", "interop"}),
        ("not (long)", {"long"}),
        ("interop", set()),
        ("not (slow and zk)", set()),
        ("not (slow or zk) and fast", set()),
        ("", set()),
    ],
)
def test_what_a_run_leaves_out_is_known_of_plain_expressions(
    expression: str, marks: set[str]
) -> None:
    assert marks == left_out_marks(expression)


@pytest.mark.parametrize(
    ("source", "marks"),
    [
        ("pytestmark = pytest.mark.zk\n", {"zk"}),
        ("X = 1\npytestmark = [pytest.mark.interop, pytest.mark.faults]\n", {"interop", "faults"}),
        (
            'pytestmark = [\n    pytest.mark.zk,\n    pytest.mark.usefixtures("a"),\n]\n',
            {"zk", "usefixtures"},
        ),
        ("    pytestmark = pytest.mark.zk\n", set()),  # That of a class.
        ("@pytest.mark.zk\ndef test_it() -> None: ...\n", set()),
    ],
)
def test_the_marks_of_a_module_are_read_without_importing_it(source: str, marks: set[str]) -> None:
    assert marks == marks_of(source)


@pytest.mark.parametrize(
    ("source", "is_left_out"),
    [
        ("pytestmark = pytest.mark.zk\n", True),
        ("pytestmark = pytest.mark.sim\n", None),
        ("@pytest.mark.zk\ndef test_it() -> None: ...\n", None),
    ],
)
def test_a_module_is_collected_unless_all_of_its_tests_are_left_out(
    source: str, is_left_out: bool | None, tmp_path: Path, fast_run: pytest.Config
) -> None:
    module = tmp_path / "test_it.py"
    module.write_text(source)

    assert is_left_out is pytest_ignore_collect(module, fast_run)


@pytest.mark.parametrize(
    ("sources", "is_left_out"),
    [
        (["pytestmark = pytest.mark.zk\n", "pytestmark = pytest.mark.slow\n"], True),
        (["pytestmark = pytest.mark.zk\n", "pytestmark = pytest.mark.sim\n"], None),
        ([], None),
    ],
)
def test_a_directory_is_collected_unless_all_of_its_modules_are_left_out(
    sources: list[str], is_left_out: bool | None, tmp_path: Path, fast_run: pytest.Config
) -> None:
    (tmp_path / "conftest.py").write_text("")
    (tmp_path / "below").mkdir()
    for number, source in enumerate(sources):
        (tmp_path / "below" / f"test_{number}.py").write_text(source)

    assert is_left_out is pytest_ignore_collect(tmp_path, fast_run)


@pytest.mark.zk
@pytest.mark.parametrize("number", range(2))
def marked(number: int) -> None: ...


@pytest.mark.sim
def unmarked() -> None: ...


@pytest.mark.usefixtures("fast_run")
def test_no_item_is_made_of_a_function_that_is_left_out(request: pytest.FixtureRequest) -> None:
    module = request.node.getparent(pytest.Module)

    made = [pytest_pycollect_makeitem(module, one) for one in (marked, unmarked, FAST)]

    assert [[], None, None] == made
