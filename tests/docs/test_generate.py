"""Are the generated files those of today's commands, and are they good man pages?"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S

MAN_PAGES = sorted((CHECKOUT / "man").glob("*.1"))


def generate(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(checkout / "docs" / "generate.py"), *arguments],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=OUTER_LIMIT_S,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The generator, what it reads and all that it writes, where a test may change them."""
    no_bytecode = shutil.ignore_patterns("__pycache__")
    for directory in ("docs", "man", "completions", "cluster", "kadmin"):
        shutil.copytree(CHECKOUT / directory, tmp_path / directory, ignore=no_bytecode)
    for file in ("README.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(CHECKOUT / file, tmp_path)
    return tmp_path


@pytest.mark.slow
def test_generated_files_are_up_to_date() -> None:
    check = generate(CHECKOUT, "--check")

    assert (check.returncode, check.stderr) == (0, "")


@pytest.mark.slow
def test_a_file_that_differs_is_named_and_written_anew(copy: Path) -> None:
    page = copy / "man" / "kadmin.1"
    wanted = page.read_text()
    page.write_text(wanted + "more\n")
    (copy / "docs" / "commands.md").unlink()
    (copy / "man" / "kadmin-gone.1").touch()

    check = generate(copy, "--check")

    assert check.returncode == 1
    assert check.stderr.splitlines() == [
        "out of date: man/kadmin.1",
        "out of date: docs/commands.md",
        "of no command: man/kadmin-gone.1",
        "hint: make docs",
    ]
    assert generate(copy).returncode == 0
    assert generate(copy, "--check").returncode == 0
    assert page.read_text() == wanted


@pytest.mark.slow
def test_blocks_of_other_documents_are_filled(copy: Path) -> None:
    guide = copy / "docs" / "guide.md"
    guide.write_text("a\n<!-- generated: help config use -->\nold\n<!-- end -->\nb\n")

    assert generate(copy).returncode == 0

    lines = guide.read_text().splitlines()
    assert lines[:4] == [
        "a",
        "<!-- generated: help config use -->",
        "```text",
        "Usage: kadmin config use [OPTIONS] NAME",
    ]
    assert lines[-3:] == ["```", "<!-- end -->", "b"]


@pytest.mark.slow
def test_a_block_of_no_command_is_refused(copy: Path) -> None:
    (copy / "docs" / "guide.md").write_text("<!-- generated: help nothing -->\n<!-- end -->\n")

    run = generate(copy, "--check")

    assert run.returncode == 1
    assert "no such block: generated: help nothing" in run.stderr


@pytest.mark.slow
def test_help_is_captured_at_the_same_width_on_every_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "47")

    assert generate(CHECKOUT, "--check").returncode == 0


@pytest.mark.parametrize("page", MAN_PAGES, ids=lambda page: page.name)
def test_mandoc_finds_no_fault_in_a_man_page(page: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    lint = subprocess.run(
        ["mandoc", "-T", "lint", str(page)], capture_output=True, text=True, check=False
    )

    assert lint.stdout + lint.stderr == ""


@pytest.mark.parametrize("page", MAN_PAGES, ids=lambda page: page.name)
def test_groff_warns_of_nothing_in_a_man_page(page: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    command = ["groff", "-man", "-Tutf8", "-ww", "-z", str(page)]
    formatted = subprocess.run(command, capture_output=True, text=True, check=False)

    assert formatted.stdout + formatted.stderr == ""


def test_man_pages_need_no_more_than_ascii() -> None:
    assert [page.name for page in MAN_PAGES if not page.read_bytes().isascii()] == []
    assert len(MAN_PAGES) > 1
