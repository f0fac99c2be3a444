"""The pictures of the documents: the page over a cluster that has lost a broker, and a timeline.

    make pictures

A headless Chromium draws each anew, from a cluster that is started for it and a recorded incident.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.chromium import Browser, Page, chromium

HERE: Final = Path(__file__).resolve().parent
DOCS: Final = HERE.parent / "docs"
TOPICS: Final = {"clicks": 12, "invoices": 3, "orders": 6, "payments": 6, "returns": 3}
HEIGHT: Final = 860


def kadmin(*arguments: str, records: str = "", is_checked: bool = True) -> None:
    words = [sys.executable, "-m", "kadmin", *arguments]
    subprocess.run(words, input=records, text=True, stdout=subprocess.DEVNULL, check=is_checked)


def fill() -> None:
    """Start a cluster with records and a group that has read some of them, and kill a broker."""
    metrics = ("--set", "kafka.metrics.reporters=prometheus")
    kadmin("cluster", "up", "--name", "prod-eu", "--brokers", "3", *metrics, "--quiet")
    for name, count in TOPICS.items():
        counts = ("--partitions", str(count), "--replication-factor", "3")
        kadmin("topics", "--create", "--topic", name, *counts, "--config", "min.insync.replicas=2")
        records = "".join(f"{number} {'x' * 90}\n" for number in range(700 * count))
        kadmin("produce", "--topic", name, records=records)
    for group, topic in (("billing", "invoices"), ("warehouse", "orders")):
        read = ("--group", group, "--topic", topic, "--max-messages", "900")
        kadmin("consume", *read, "--from-beginning")
    kadmin("cluster", "kill-broker", "2", "--name", "prod-eu")
    kadmin("check", "--wait-healthy", "12", is_checked=False)


@contextmanager
def served(directory: Path) -> Iterator[tuple[str, str]]:
    """Serve the page; yields its address and a token."""
    tokens = directory / "tokens"
    words = ("serve", "--listen", "127.0.0.1:0", "--token-file", str(tokens), "--every", "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "kadmin", *words, "--write"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        address = next(line.split()[-1] for line in lines if line.startswith("serving"))
        yield address.rstrip("/"), tokens.read_text().split()[-1]
    finally:
        process.terminate()
        process.wait()


def draw_page(browser: Browser, base: str, token: str) -> None:
    with browser.opened(f"{base}/login", width=1280, height=HEIGHT) as page:
        page.wait_for("!!document.querySelector('.login form')")
        page.value(
            f"document.querySelector('[name=token]').value = '{token}';"
            " document.querySelector('.login form').requestSubmit()"
        )
        page.wait_for("location.pathname == '/'")
        # The ends of logs are read beside the looks, and a rate is known from the second time on.
        page.ask("Page.navigate", url=f"{base}/clusters/prod-eu")
        page.wait_for("/Records written\\s+[0-9]/.test(document.querySelector('main')?.innerText)")
        for path, theme, name in (
            ("/clusters/prod-eu", "light", "page.png"),
            ("/clusters/prod-eu/topics/orders", "dark", "page-topic.png"),
        ):
            draw(page, base + path, theme, DOCS / name)


def draw(page: Page, url: str, theme: str, path: Path) -> None:
    preferred = [{"name": "prefers-color-scheme", "value": theme}]
    page.ask("Emulation.setEmulatedMedia", features=preferred)
    page.ask("Page.navigate", url=url)
    page.wait_for("document.documentElement?.classList.contains('scripted')")
    # The group's verdict is there from its second look on.
    page.wait_for("!!document.querySelector('.state.warning, .state.critical')")
    page.wait_for(
        "document.querySelector('main')?.textContent.includes('billing') || "
        "location.pathname.includes('/topics/')"
    )
    page.screenshot(path)


def draw_timeline(browser: Browser, directory: Path) -> None:
    path = directory / "timeline.html"
    kadmin("merge-logs", str(HERE / "demo-incident"), "--analyze", "--html", str(path))
    with browser.opened(path, width=1280, height=HEIGHT) as page:
        page.wait_for("document.body?.dataset.drawn === 'true'")
        page.screenshot(DOCS / "timeline.png")


def end_in_order(number: int, _frame: object) -> None:
    """End as by Ctrl-C, with nothing left behind; a second signal does not interrupt that."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_in_order)
    with tempfile.TemporaryDirectory() as home:
        directory = Path(home)
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(directory / name.lower())
        try:
            fill()
            with served(directory) as (base, token), chromium(directory) as browser:
                draw_page(browser, base, token)
                draw_timeline(browser, directory)
        finally:
            kadmin("cluster", "destroy", "--name", "prod-eu", "--yes", is_checked=False)


if __name__ == "__main__":
    main()
