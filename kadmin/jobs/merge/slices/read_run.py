"""A run of a file, read into lines that a worker can cut and order.

Unpacks what was stored, and makes every line end in a newline alone.  Knows no times.
"""

from kadmin.jobs.merge.files.block_store import load_block
from kadmin.jobs.merge.files.errors import FileChanged
from kadmin.jobs.merge.files.reader import Reader, opened
from kadmin.jobs.merge.slices.plan import Run
from kadmin.statechange.lines import NEWLINE


def read_run(run: Run, into: memoryview) -> int:
    """Read *run* as lines that end in a newline alone; returns how many bytes they are."""
    size = run.end - run.begin
    with opened(run.path, run.identity) as reader:
        if run.blocks:
            read_blocks(run, reader, into)
        elif reader.read_at(run.begin, into[:size]) < size:
            raise FileChanged(run.path)
    if into[size - 1] != NEWLINE:
        into[size] = NEWLINE
        size += 1
    if run.has_returns:
        lines = bytes(into[:size]).replace(b"\r\n", b"\n")
        size = len(lines)
        into[:size] = lines
    return size


def read_blocks(run: Run, reader: Reader, into: memoryview) -> None:
    """Read and unpack neighbouring blocks of a stored copy."""
    first = run.blocks[0][0]
    last_at, last_size, _ = run.blocks[-1]
    packed = bytearray(last_at + last_size - first)
    if reader.read_at(first, memoryview(packed)) < len(packed):
        raise FileChanged(run.path)
    filled = 0
    for at, packed_size, size in run.blocks:
        block = memoryview(packed)[at - first : at - first + packed_size]
        into[filled : filled + size] = memoryview(load_block(block, size)).cast("B")
        filled += size
