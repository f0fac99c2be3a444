"""Mutation tests: small changes of the code that no test detects.

usage: python -m scripts.mutants [--count N] [--seed S] [FILE…]

Draws N mutations, by the seed S, from the files of `AIMS` (or from the named ones), applies one
after the other in a copy of the checkout, runs the tests about the file there, the fast ones first,
and prints those that survive, as `file:line: before -> after`.  Exits with 1 if there are any.
Some survivors are no gaps: code that means the same, or that only saves time.

mutmut and cosmic-ray cannot draw a sample, and run the same tests for every mutation.
"""

import argparse
import ast
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

AIMS: Final = (
    "cluster/formats",
    "cluster/storage",
    "cluster/controller",
    "cluster/replication",
    "cluster/coordination",
    "kadmin/admin",
)
STARTS_NOTHING: Final = "not (zk or interop or spark or clients or sockets or faults)"
STARTS_ZOOKEEPER: Final = "zk and not (interop or spark or clients or faults)"
SEEDS: Final = "40"
"""How many simulated runs each mutant has to pass."""
TIMEOUT_S: Final = 600
"""The time limit also detects a mutant that makes tests wait for ever."""

Stage: TypeAlias = tuple[str, ...]
"""Options of pytest."""

EXCHANGES: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one file, by the bytes that it replaces."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before} -> {after}"

    def applied(self, content: bytes) -> bytes:
        return content[: self.start] + self.after.encode() + content[self.end :]


def mutations_of(path: str, content: bytes) -> list[Mutation]:
    """All mutations of a file; none of its assertions, which are tests themselves."""
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in nodes_that_run(ast.parse(content)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        before = content[start:end].decode()
        for mutated in mutated_nodes(node):
            after = ast.unparse(mutated)
            # A line break may have been allowed only by the surrounding parentheses.
            text = after if isinstance(node, ast.stmt) or "\n" not in before else f"({after})"
            found.append(Mutation(path, node.lineno, start, end, before, text))
    return found


def nodes_that_run(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    """The statements and expressions below *tree*, without assertions and annotations."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or is_assertion(child):
                continue
            if isinstance(child, ast.stmt | ast.expr):
                yield child
            yield from nodes_that_run(child)


def is_assertion(node: ast.AST) -> bool:
    """Also `strict=True`, which only a mistake of ours can violate."""
    return isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "strict")


def mutated_nodes(node: ast.stmt | ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[operator]) | ast.BoolOp(op=operator) | ast.BinOp(op=operator):
            if type(operator) in EXCHANGES:
                changed = deepcopy(node)
                other = EXCHANGES[type(operator)]()
                if isinstance(changed, ast.Compare):
                    assert isinstance(other, ast.cmpop)
                    changed.ops = [other]
                else:
                    changed.op = other  # type: ignore[assignment]
                yield changed
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as number):
            yield ast.Constant(number + 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield ast.Name(NAMES[name])
        case ast.Expr(value=ast.Call() | ast.YieldFrom() | ast.Await()):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute()]) | ast.AugAssign() | ast.Raise() | ast.Continue():
            yield ast.Pass()
        case ast.Return(value=ast.expr()):
            yield ast.Return(ast.Constant(None))


def stages_for(path: str) -> tuple[Stage, ...]:
    """The tests that are about *path*, the fastest first.

    Cores are pure: their own tests, those of the APIs and the simulator cover them.  Tests with a
    real server are added where the code uses one.
    """
    folder, name = path.rpartition("/")[::2]
    tests = Path("tests", folder)
    while not tests.is_dir():
        tests = tests.parent
    own = tests / f"test_{name}"
    stages: list[Stage] = [(str(own), "-m", STARTS_NOTHING)] if own.is_file() else []
    stages.append((str(tests), "-m", STARTS_NOTHING))
    if path.startswith("cluster/"):
        stages.append(("tests/cluster/api", "tests/cluster/broker", "-m", STARTS_NOTHING))
        stages.append(("tests/sim/test_seeds.py",))
    else:
        stages.append((str(tests), "-m", STARTS_ZOOKEEPER))
        stages.append(("tests/kadmin/execute", "tests/kadmin/cli", "-m", STARTS_ZOOKEEPER))
    return tuple(stages)


class Copy:
    """A copy of the checkout's present files."""

    def __init__(self, checkout: Path, directory: Path) -> None:
        self.directory = directory
        self._writes = 0
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            if (checkout / name).is_file():
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, directory / name)

    def write(self, path: str, content: bytes) -> None:
        file = self.directory / path
        file.write_bytes(content)
        # Python recognises outdated compiled code only by size and second.
        self._writes += 1
        os.utime(file, (self._writes, self._writes))

    def passes(self, stage: Stage) -> bool:
        """Whether all tests of *stage* pass; a stage that has none does."""
        words = ["-q", "-x", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONPATH": str(self.directory), "SEEDS": SEEDS}
        with subprocess.Popen(
            [sys.executable, "-m", "pytest", *words, *stage],
            cwd=self.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                return process.wait(TIMEOUT_S) in (0, 5)
            except subprocess.TimeoutExpired:
                # As Ctrl-C does, so that the tests stop their servers.
                process.send_signal(signal.SIGINT)
                return False


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="*")
    given = parser.parse_args(arguments)
    checkout = Path(__file__).parents[1]
    files = given.files or sorted(
        str(file.relative_to(checkout)) for aim in AIMS for file in (checkout / aim).rglob("*.py")
    )
    every = [one for file in files for one in mutations_of(file, (checkout / file).read_bytes())]
    chosen = Random(given.seed).sample(every, min(given.count, len(every)))
    say(f"{len(chosen)} of {len(every)} mutations, by the seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        survivors = survivors_of(chosen, Copy(checkout, Path(directory)))
    say(f"{len(survivors)} of {len(chosen)} survived")
    for mutation in survivors:
        say(f"  {mutation}")
    return 1 if survivors else 0


def survivors_of(mutations: Sequence[Mutation], copy: Copy) -> list[Mutation]:
    survivors = []
    sound: set[Stage] = set()
    for number, mutation in enumerate(mutations, 1):
        content = (copy.directory / mutation.path).read_bytes()
        copy.write(mutation.path, mutation.applied(content))
        stages = stages_for(mutation.path)
        caught_by = next((stage for stage in stages if not copy.passes(stage)), None)
        copy.write(mutation.path, content)
        if caught_by is not None and caught_by not in sound:
            if not copy.passes(caught_by):
                raise SystemExit(f"these tests fail without any mutation: {' '.join(caught_by)}")
            sound.add(caught_by)
        if caught_by is None:
            survivors.append(mutation)
        end = "SURVIVED" if caught_by is None else f"caught by {caught_by[0]}"
        say(f"{number:3} {mutation}: {end}")
    return survivors


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
