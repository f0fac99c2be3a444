"""What does Python's collector of garbage go through in a broker, and does any garbage stay?"""

import subprocess
import sys

KEPT = """
import gc
from cluster.runtime.garbage import GROWTH, keep_survivors

gc.disable()
kept = []

def fill(count):
    kept.extend([number] for number in range(count))

fill(20_000)
keep_survivors()
"""
OUTLIVED = """
assert len(gc.get_objects()) < 1_000, "what is there is in no collection"
fill(1_000)
gc.collect(1)
assert len(gc.get_objects()) > 1_000, "what is young may be garbage soon"
gc.collect()
assert len(gc.get_objects()) < 1_000, "what outlives a full collection is in none later"
"""
CYCLES = """
import weakref

class Cycle:
    def __init__(self):
        self.itself = self

cycle = Cycle()
gone = weakref.ref(cycle)
gc.collect()
del cycle
gc.collect()
assert gone() is not None, "it was kept"
first = gc.get_freeze_count()
fill(GROWTH * first)
gc.collect()
gc.collect()
assert gone() is None, "all that was kept is looked at when there is much more of it"
assert gc.get_freeze_count() > GROWTH * first
"""
FREED = """
count, counted = gc.get_freeze_count, 0

def counting():
    global counted
    counted += 1
    return count()

class Cycle:
    def __init__(self):
        self.itself = self

gc.get_freeze_count = counting
for _ in range(10):
    fill(1_000)
    gc.collect()
assert counted == 0, "all that is kept is counted at each full collection"

import weakref

cycle = Cycle()
gone = weakref.ref(cycle)
gc.collect()
del cycle
for _ in range(10):
    freed = [[number] for number in range(20_000)]
    gc.collect()
    freed.clear()
assert 0 < counted < 10
assert gone() is not None, "what was freed counts as kept"
"""
BEGUN = """
import gc

gc.disable()
imported = [[number] for number in range(20_000)]
from cluster.runtime.garbage import begin_collecting

begin_collecting()
assert gc.isenabled()
assert len(gc.get_objects()) < 1_000, "what is there is in no collection"
"""


def run(script: str) -> None:
    """Run *script* in a process of its own, whose collector may be set."""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "" == ended.stderr
    assert 0 == ended.returncode


def test_a_broker_that_has_been_imported_collects_what_comes_then():
    run(BEGUN)


def test_what_a_broker_keeps_is_gone_through_once():
    run(KEPT + OUTLIVED)


def test_cycles_that_become_garbage_later_are_freed_when_more_is_kept():
    run(KEPT + CYCLES)


def test_what_was_kept_and_freed_causes_no_visit_of_all():
    run(KEPT + FREED)
