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
def test_generated_files_are_up_to_date_whatever_the_width_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "47")

    check = generate(CHECKOUT, "--check")

    assert (check.returncode, check.stderr) == (0, "")


@pytest.mark.slow
def test_what_differs_is_named_and_written_anew_and_blocks_are_filled(copy: Path) -> None:
    """The generator runs as a process, which costs seconds: so one way through all that it does."""
    guide = copy / "docs" / "guide.md"
    guide.write_text("<!-- generated: help nothing -->\n<!-- end -->\n")

    refused = generate(copy, "--check")

    page = copy / "man" / "kadmin.1"
    wanted = page.read_text()
    page.write_text(wanted + "more\n")
    (copy / "docs" / "commands.md").unlink()
    (copy / "man" / "kadmin-gone.1").touch()
    guide.write_text("a\n<!-- generated: help config use -->\nold\n<!-- end -->\nb\n")

    check = generate(copy, "--check")
    written = generate(copy)
    again = generate(copy, "--check")

    assert refused.returncode == 1
    assert "no such block: generated: help nothing" in refused.stderr
    assert check.returncode == 1
    assert check.stderr.splitlines() == [
        "out of date: man/kadmin.1",
        "out of date: docs/commands.md",
        "out of date: docs/guide.md",
        "of no command: man/kadmin-gone.1",
        "hint: make docs",
    ]
    assert (written.returncode, again.returncode) == (0, 0)
    assert page.read_text() == wanted
    lines = guide.read_text().splitlines()
    assert lines[:4] == [
        "a",
        "<!-- generated: help config use -->",
        "```text",
        "Usage: kadmin config use [OPTIONS] NAME",
    ]
    assert lines[-3:] == ["```", "<!-- end -->", "b"]


@pytest.mark.parametrize("page", MAN_PAGES, ids=lambda page: page.name)
def test_mandoc_finds_no_fault_in_a_man_page(page: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    lint = subprocess.run(
        ["mandoc", "-T", "lint", str(page)], capture_output=True, text=True, check=False
    )

    assert lint.stdout + lint.stderr == ""


@pytest.mark.slow
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
