"""Does a broker give back what it needs no more?"""

import subprocess
import sys

import pytest

FRAGMENTED = """
import gc
from cluster.runtime.free_memory import REST_S, give_back_after_work

gc.disable()

def resident_size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

class Timer:
    def __init__(self):
        self.due = []

    def call_later(self, delay, callback):
        assert delay == REST_S
        self.due.append(callback)

timer = Timer()
give_back_after_work(timer)
# Too large for Python's own pools, and too small to be given back each by itself.
blocks = [bytes(2_000) for _ in range(30_000)]
kept = blocks[::20]
del blocks
"""
GIVEN_BACK = """
gc.collect(1)
assert not timer.due, "a look at what is young says nothing"
gc.collect()
gc.collect()
assert len(timer.due) == 1, "once for all that happens meanwhile"
before = resident_size()
timer.due.pop()()
assert before - resident_size() > 20_000_000, (before, resident_size())
gc.collect()
assert len(timer.due) == 1, "and again after more work"
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
def test_free_pages_are_given_back_once_after_work() -> None:
    script = FRAGMENTED + GIVEN_BACK
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert ("", 0) == (ended.stderr, ended.returncode)
