"""A failing story is made as short as it can be, and is told line by line."""

import pytest

from tests.sim.__main__ import main
from tests.sim.shrinking import command_of, fails_so, instances_of, shrunk, violation_of
from tests.sim.story import Fences, Plot, Story
from tests.sim.violation import Kind

WITHOUT_VERSIONS = Fences(state_versions=False)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.sim
def test_what_the_end_does_not_need_is_left_out() -> None:
    # One of those that are quickly told.
    story = next(
        Story(seed)
        for seed in range(3, 500)
        if violation_of(Story(seed), WITHOUT_VERSIONS) is not None
    )

    short = shrunk(story, Kind.LOST_UPDATE, WITHOUT_VERSIONS)

    assert fails_so(short, Kind.LOST_UPDATE, WITHOUT_VERSIONS)
    needed = instances_of(short, WITHOUT_VERSIONS)
    assert 0 < len(needed) < len(instances_of(story, WITHOUT_VERSIONS))
    for name in needed:
        without = short._replace(skipped=short.skipped | {name})
        assert not fails_so(without, Kind.LOST_UPDATE, WITHOUT_VERSIONS), name


def test_the_command_repeats_a_story_of_another_plot() -> None:
    story = Story(17, plot=Plot.PARTITION)

    assert "python -m tests.sim --seed 17 --plot partition" == command_of(story)


def test_the_command_repeats_a_story() -> None:
    story = Story(17, frozenset({"freeze", "LOST_FRAME"}), frozenset({"crash#2"}))

    expected = "python -m tests.sim --seed 17 --without LOST_FRAME,freeze --skip crash#2"
    assert expected == command_of(story)


@pytest.mark.slow
@pytest.mark.sim
def test_one_story_is_told_with_a_line_for_each_event(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--seed", "1", "--without", "crash", "--skip", "freeze#1"])

    lines = capsys.readouterr().out.splitlines()
    assert 0 == status
    assert "all is well" == lines[-1]
    assert any("leads" in line for line in lines)
    assert not any("crash#" in line or "freeze#1" in line for line in lines)
