"""The smallest part of a failing story that still fails."""

from collections.abc import Iterable
from contextlib import suppress

from tests.sim.run import run
from tests.sim.story import ALL_FENCES, Fences, Plot, Story, kind_of
from tests.sim.violation import Kind, Violation
from tests.sim.world import World


def violation_of(
    story: Story, fences: Fences = ALL_FENCES, events: list[str] | None = None
) -> Violation | None:
    """How the story ends badly; None when it ends well."""
    try:
        run(story, fences, events)
    except Violation as violation:
        return violation
    return None


def shrunk(story: Story, kind: Kind, fences: Fences = ALL_FENCES) -> Story:
    """Leave out of *story*, which ends in a violation of that kind, what it does not need for it.

    First whole kinds of faults and acts, then single ones: each is left out for good when the story
    without it still ends so.  Again and again: what is left out may be what another was needed for.
    """
    before = None
    while story != before:
        before = story
        for name in kinds_of(story, fences):
            fewer = story._replace(without=story.without | {name})
            if fails_so(fewer, kind, fences):
                story = fewer
        for name in instances_of(story, fences):
            fewer = story._replace(skipped=story.skipped | {name})
            if fails_so(fewer, kind, fences):
                story = fewer
    return story


def fails_so(story: Story, kind: Kind, fences: Fences) -> bool:
    violation = violation_of(story, fences)
    return violation is not None and violation.kind is kind


def happened_in(story: Story, fences: Fences) -> Iterable[tuple[str, int]]:
    """What came up in the story up to its end, by kind, with how often."""
    worlds: list[World] = []
    with suppress(Violation):
        run(story, fences, on_made=worlds.append)
    return sorted(worlds[0].happened.items())


def kinds_of(story: Story, fences: Fences) -> list[str]:
    kinds = {kind_of(name) for name, _ in happened_in(story, fences)}
    return sorted(kinds - story.without)


def instances_of(story: Story, fences: Fences) -> list[str]:
    """The single faults and acts that it has."""
    return [
        f"{name}#{number}"
        for name, count in happened_in(story, fences)
        if kind_of(name) not in story.without
        for number in range(1, count + 1)
        if story.has(f"{name}#{number}")
    ]


def command_of(story: Story) -> str:
    """What repeats the story, line by line."""
    words = [f"python -m tests.sim --seed {story.seed}"]
    if story.plot is not Plot.CLUSTER:
        words.append(f"--plot {story.plot}")
    if story.without:
        words.append(f"--without {','.join(sorted(story.without))}")
    if story.skipped:
        words.append(f"--skip {','.join(sorted(story.skipped))}")
    return " ".join(words)
