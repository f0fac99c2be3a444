"""Many stories are played once with the same code: the next run goes on where the last one was."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from cluster.replication.replica import Replica
from tests.sim.__main__ import INTERRUPTED, Played, main
from tests.sim.progress import Progress, code_digest, path_of, read_progress, write_progress
from tests.sim.story import Plot, Story
from tests.sim.test_replication_fences import commits_what_it_has

pytestmark = pytest.mark.sim


class InThisProcess:
    """A pool that plays here, where a fence may have been taken out."""

    def __init__(self, *words: object) -> None:
        pass

    def __enter__(self) -> "InThisProcess":
        return self

    def __exit__(self, *words: object) -> None:
        pass

    def imap(
        self, play: Callable[[Story], Played], stories: Iterable[Story], size: int
    ) -> Iterator[Played]:
        return map(play, stories)


def play(tmp_path: Path, *words: str) -> int:
    return main(["--plot", "partition", "--processes", "1", *words], tmp_path)


@pytest.mark.slow
def test_many_stories_are_told_in_a_line_for_each_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["--seeds", "2", "--processes", "1"], tmp_path)

    lines = capsys.readouterr().out.splitlines()
    assert 0 == status
    assert [f"{plot}: 2 seeds" for plot in Plot] == [line.partition(" in ")[0] for line in lines]
    assert all("seeds/s" in line and "events/s" in line for line in lines)


@pytest.mark.slow
def test_what_was_played_is_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(tmp_path, "--seeds", "2")
    capsys.readouterr()
    play(tmp_path, "--seeds", "3")
    more = capsys.readouterr().out
    play(tmp_path, "--seeds", "3")
    nothing = capsys.readouterr().out
    play(tmp_path, "--seeds", "3", "--anew")
    anew = capsys.readouterr().out

    assert "2 seeds were played before with this code\npartition: 1 seeds in" in more
    assert "partition: 3 seeds were played before with this code\n" == nothing
    assert anew.startswith("partition: 3 seeds in")


def test_a_run_that_was_stopped_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(InThisProcess):
        def imap(
            self, play: Callable[[Story], Played], stories: Iterable[Story], size: int
        ) -> Iterator[Played]:
            for story in stories:
                if story.seed == 4:
                    raise KeyboardInterrupt
                yield Played(story.seed, 100, None)

    monkeypatch.setattr(multiprocessing, "Pool", Interrupted)

    status = play(tmp_path, "--seeds", "10")

    assert INTERRUPTED == status
    assert capsys.readouterr().out.endswith("stopped; the next run goes on from here\n")
    progress = read_progress(path_of(Plot.PARTITION, tmp_path))
    assert (4, 400, {}) == (progress.next_seed, progress.event_count, progress.failed)


def test_other_seeds_are_counted_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class NoStories(InThisProcess):
        def imap(
            self, play: Callable[[Story], Played], stories: Iterable[Story], size: int
        ) -> Iterator[Played]:
            return (Played(story.seed, 100, None) for story in stories)

    monkeypatch.setattr(multiprocessing, "Pool", NoStories)

    for _ in range(2):
        assert play(tmp_path, "--first", "600000", "--seeds", "30") == 0

    first, *again = capsys.readouterr().out.splitlines()
    assert first.startswith("partition: 30 seeds in")
    assert again == ["partition: 30 seeds were played before with this code"]
    assert 600_030 == read_progress(path_of(Plot.PARTITION, tmp_path, 600_000)).next_seed
    assert Progress() == read_progress(path_of(Plot.PARTITION, tmp_path))


@pytest.mark.slow
def test_a_story_that_ended_badly_is_told_again_in_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the run that finds it, and by each one after it until the code is another."""
    monkeypatch.setattr(Replica, "_advance", commits_what_it_has)
    monkeypatch.setattr(multiprocessing, "Pool", InThisProcess)

    for _ in range(2):
        status = play(tmp_path, "--seeds", "1")

        out = capsys.readouterr().out
        assert 1 == status
        assert "partition seed 0: LOST_RECORD" in out
        assert "again: python -m tests.sim --seed 0 --plot partition --without" in out


def test_other_code_begins_with_the_first_story(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("a = 1\n")
    before = code_digest([tmp_path])
    (tmp_path / "one.py").write_text("a = 2\n")

    assert before != code_digest([tmp_path])
    assert path_of(Plot.CLUSTER, tmp_path) != path_of(Plot.PARTITION, tmp_path)


@pytest.mark.parametrize("content", ["", '{"next_seed": 5', "[]", '{"no": 1}'])
def test_a_file_that_makes_no_sense_is_a_beginning(tmp_path: Path, content: str) -> None:
    path = tmp_path / "one.json"
    path.write_text(content)

    assert Progress() == read_progress(path)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "one.json"
    progress = Progress(next_seed=7, event_count=9, took_s=1.5, failed={"3": "LOST_RECORD: x"})

    write_progress(path, progress)

    assert progress == read_progress(path)
    assert [path] == list(path.parent.iterdir())
