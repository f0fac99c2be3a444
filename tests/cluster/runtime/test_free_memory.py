"""Does a broker give back what it needs no more?"""

import subprocess
import sys

import pytest

FRAGMENTED = """
import gc
import threading
from cluster.runtime.free_memory import REST_S, give_back_after_work

gc.disable()

def resident_size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

class Loop:
    def __init__(self):
        self.asked = []
        self.due = []

    def call_soon_threadsafe(self, callback):
        self.asked.append(callback)

    def call_later(self, delay, callback):
        assert delay == REST_S
        self.due.append(callback)

    def is_closed(self):
        return False

    def turn(self):
        while self.asked:
            self.asked.pop()()

loop = Loop()
give_back_after_work(loop)
# Too large for Python's own pools, and too small to be given back each by itself.
blocks = [bytes(2_000) for _ in range(30_000)]
kept = blocks[::20]
del blocks
"""
GIVEN_BACK = """
gc.collect(1)
assert not loop.asked, "a look at what is young says nothing"
thread = threading.Thread(target=gc.collect)
thread.start()
thread.join()
gc.collect()
assert not loop.due, "nothing of the loop's own is touched by another thread"
loop.turn()
assert len(loop.due) == 1, "once for all that happens meanwhile"
before = resident_size()
loop.due.pop()()
assert before - resident_size() > 20_000_000, (before, resident_size())
gc.collect()
loop.turn()
assert len(loop.due) == 1, "and again after more work"
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
def test_free_pages_are_given_back_once_after_work() -> None:
    script = FRAGMENTED + GIVEN_BACK
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert ("", 0) == (ended.stderr, ended.returncode)
