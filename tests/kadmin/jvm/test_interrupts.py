"""What signals do to work that must not be left half done."""

import signal
import subprocess
import sys
import threading
from contextlib import AbstractContextManager, suppress

import pytest

from kadmin.jvm.interrupts import deferring_interrupts, ending_as_by_ctrl_c, ending_in_order
from tests.support.waiting import OUTER_LIMIT_S


def test_a_deferred_interrupt_comes_behind_the_block() -> None:
    done = []

    def work() -> None:
        with deferring_interrupts():
            signal.raise_signal(signal.SIGINT)
            done.append("all of the block")
        done.append("what is behind it")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert ["all of the block"] == done


def test_only_the_first_signal_disturbs_what_ends_in_order() -> None:
    done = []

    def clean_up() -> None:
        with deferring_interrupts():
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("clean")

    def work() -> None:
        with ending_in_order():
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                clean_up()

    with pytest.raises(KeyboardInterrupt):
        work()

    assert ["clean"] == done


def test_a_signal_is_held_back_until_the_steps_that_belong_together_are_done() -> None:
    done = []

    def work() -> None:
        with ending_in_order() as hold:
            hold.begin()
            signal.raise_signal(signal.SIGTERM)
            done.append("printed")
            hold.end()
            done.append("went on")

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGTERM, before)

    assert ["printed"] == done


def test_what_is_stuck_does_not_hold_a_signal_back() -> None:
    def work() -> None:
        with ending_in_order() as hold:
            hold.begin()
            signal.raise_signal(signal.SIGINT)
            threading.Event().wait(OUTER_LIMIT_S)

    with pytest.raises(KeyboardInterrupt):
        work()


def test_a_signal_that_a_library_has_lost_comes_again() -> None:
    done = []

    def work() -> None:
        with ending_in_order():
            with suppress(BaseException):
                signal.raise_signal(signal.SIGINT)
            done.append("went on")
            threading.Event().wait(OUTER_LIMIT_S)
            done.append("went on again")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert ["went on"] == done


def test_a_signal_that_python_cannot_raise_is_not_printed_and_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Disturbed:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    class Faulty:
        def __del__(self) -> None:
            raise OSError("no room")

    printed: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: printed.append(each.exc_type))

    def work() -> None:
        with ending_in_order():
            Faulty()
            Disturbed()
            threading.Event().wait(OUTER_LIMIT_S)

    with pytest.raises(KeyboardInterrupt):
        work()

    assert [OSError] == printed


def test_nothing_that_goes_wrong_in_a_clean_up_lets_signals_disturb_it() -> None:
    done = []

    def clean_up() -> None:
        try:
            raise OSError("no room")
        except OSError:
            signal.raise_signal(signal.SIGINT)
            done.append("clean")

    def work() -> None:
        with ending_in_order():
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                clean_up()

    with pytest.raises(KeyboardInterrupt):
        work()

    assert ["clean"] == done


@pytest.mark.parametrize("block", [deferring_interrupts, ending_in_order, ending_as_by_ctrl_c])
def test_handlers_are_what_they_were_behind_a_block_without_a_signal(
    block: "type[AbstractContextManager[None]]",
) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]

    with block():
        assert before != [signal.getsignal(number) for number in numbers]

    assert before == [signal.getsignal(number) for number in numbers]


SENDER = """
import os, signal, sys
from kadmin.jvm.interrupts import ending_in_order
number = int(sys.argv[1])
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with ending_in_order():
    try:
        os.kill(os.getpid(), number)
        print("went on", flush=True)
    finally:
        print("cleaned", flush=True)
"""


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGTERM, -signal.SIGTERM, "cleaned\n"),
        # As under nohup.
        (signal.SIGHUP, 0, "went on\ncleaned\n"),
    ],
)
def test_a_process_that_is_told_to_end_cleans_up_and_ends_as_told(
    number: int, code: int, said: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SENDER, str(int(number))],
        capture_output=True,
        text=True,
        timeout=OUTER_LIMIT_S,
        check=False,
    )

    assert (code, said, "") == (ended.returncode, ended.stdout, ended.stderr)
