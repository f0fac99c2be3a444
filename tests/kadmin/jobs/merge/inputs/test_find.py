import bz2
import gzip
import lzma
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from kadmin.errors import KadminError, UsageError
from kadmin.jobs.merge.files.errors import CannotRead, FileChanged
from kadmin.jobs.merge.files.log_file import Identity
from kadmin.jobs.merge.inputs.directories import NoLogs
from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.sources import group
from kadmin.jobs.merge.merge import merge
from kadmin.jobs.merge.request import MergeRequest, OddInput
from tests.kadmin.jobs.merge.logs import found_in, head, merged

LINE = head(0) + b"\n"


def make(directory: Path, *names: str, content: bytes = LINE) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def names_of(*paths: object, regex: str | None = None) -> list[str]:
    return [
        Path(file.path).name for file in find_inputs([str(path) for path in paths], regex).files
    ]


def test_a_directory_means_its_state_change_logs_wherever_they_lie(tmp_path: Path) -> None:
    make(
        tmp_path,
        "a/state-change.log",
        "b/logs/state-change.log.gz",
        "a/server.log",
        ".state-change",
    )

    assert ["state-change.log", "state-change.log.gz"] == names_of(tmp_path)


def test_linked_directories_are_followed_and_no_loop_catches_anybody(tmp_path: Path) -> None:
    mounted, top = tmp_path / "mounted", tmp_path / "collected"
    make(mounted, "logs/state-change.log")
    make(top, "broker-2/state-change.log")
    (top / "broker-3").symlink_to(mounted)
    (mounted / "logs" / "up").symlink_to(mounted)
    (top / "broker-2" / "top").symlink_to(top)
    # Its own name says more than that of a link to it, wherever that sorts.
    (top / "a-link").symlink_to(top / "broker-2")

    inputs = find_inputs([str(top)])

    assert [
        f"{top}/broker-2/state-change.log",
        f"{top}/broker-3/logs/state-change.log",
    ] == [file.label for file in inputs.files]
    assert () == inputs.repeated + inputs.left_out


def test_what_a_directory_holds_and_nobody_can_read_is_named(tmp_path: Path) -> None:
    make(tmp_path, "1/state-change.log", "1/state-change.log.d/x.log")
    for name in ("2", "3", "4"):
        (tmp_path / name).mkdir()
    (tmp_path / "2" / "state-change.log").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "3" / "state-change.log")
    os.mkfifo(tmp_path / "3" / "other")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "4" / "state-change.log"))
    (tmp_path / "5").symlink_to(tmp_path / "not-mounted")

    inputs = find_inputs([str(tmp_path), str(tmp_path)])

    assert [f"{tmp_path}/1/state-change.log"] == [file.label for file in inputs.files]
    assert {
        f"{tmp_path}/2/state-change.log": "a link to what does not exist",
        f"{tmp_path}/3/state-change.log": "a named pipe, which cannot be read from the middle",
        f"{tmp_path}/4/state-change.log": "a socket, which cannot be read from the middle",
        f"{tmp_path}/5": "a link to what does not exist",
    } == {problem.label: problem.reason for problem in inputs.left_out}
    assert 4 == len(inputs.left_out), "each once"


def test_a_directory_in_which_nothing_can_be_read_is_no_empty_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "state-change.log")

    with pytest.raises(
        KadminError, match=r"state-change\.log: a named pipe, which cannot"
    ) as caught:
        find_inputs([str(tmp_path)])

    assert f"see what is there, and who may read it: ls -alR {tmp_path}" == caught.value.hint


@contextmanager
def closed(path: Path, mode: int = 0) -> Iterator[None]:
    """Nobody but root may look into the directory *path*, and we are not root."""
    path.chmod(mode)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        path.chmod(0o755)


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that another user may look into; that of a test belongs to one alone."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_a_directory_that_may_not_be_read_is_named(public: Path) -> None:
    make(public, "1/state-change.log", "2/state-change.log")

    with closed(public / "2"):
        inputs = find_inputs([str(public)])
        with pytest.raises(CannotRead, match=r"cannot read .*/2: permission denied"):
            find_inputs([str(public / "2")])
        with pytest.raises(CannotRead, match=r"cannot read .*/2: permission denied"):
            find_inputs([], f"{public}/2/state")
    with closed(public / "2", 0o444):
        names_only = find_inputs([str(public)])

    assert [f"{public}/1/state-change.log"] == [file.label for file in inputs.files]
    assert [(f"{public}/2", "cannot be read: permission denied")] == [
        (problem.label, problem.reason) for problem in inputs.left_out
    ]
    assert inputs.files == names_only.files
    assert [f"{public}/2/state-change.log"] == [problem.label for problem in names_only.left_out]


def test_a_path_below_a_directory_that_may_not_be_entered_is_named(public: Path) -> None:
    make(public, "2/logs/state-change.log")

    with closed(public / "2"):
        with pytest.raises(CannotRead, match=r"cannot read .*state-change\.log: permission denied"):
            find_inputs([f"{public}/2/logs/state-change.log"])
        with pytest.raises(NoLogs, match=r"no file matches") as caught:
            find_inputs([f"{public}/2/logs/*.log"])

    assert f"see what is there: ls {public}/2" == caught.value.hint


def test_a_name_that_is_too_long_is_named(tmp_path: Path) -> None:
    for name in ("x" * 300, f"{'y' * 300}/state-change.log"):
        with pytest.raises(CannotRead, match=r"cannot read .*: file name too long"):
            find_inputs([str(tmp_path / name)])
    with pytest.raises(NoLogs, match=r"no file matches"):
        find_inputs([str(tmp_path / ("x" * 300 + "*"))])


def test_a_directory_without_such_names_means_all_its_files(tmp_path: Path) -> None:
    make(tmp_path, "1.0.log", "2.0.log", ".hidden")

    assert ["1.0.log", "2.0.log"] == names_of(tmp_path)


def test_directories_that_begin_with_a_dot_are_looked_into(tmp_path: Path) -> None:
    log = "inc/broker-1/logs/home/x/.local/share/kafka/state-change.log"
    make(tmp_path, log, "inc/.local/.state-change.log.Xy12")

    assert [f"{tmp_path}/{log}"] == [file.label for file in find_inputs([str(tmp_path)]).files]


def test_a_log_of_another_name_beside_usual_ones_is_named(tmp_path: Path) -> None:
    line = b"[2026-11-20 03:12:27,000] INFO [Broker id=2] Stopped (state.change.logger)\n"
    make(tmp_path, "b/state-change.log", "broker2.log", f"t-0/{'0' * 20}.log", content=line)
    make(tmp_path, "old.gz", content=gzip.compress(line))
    make(tmp_path, "server.log", content=b"[2026-11-20 03:12:27,000] INFO [KafkaServer id=1] up\n")
    left_out = [f"{tmp_path}/broker2.log", f"{tmp_path}/old.gz"]

    inputs = find_inputs([str(tmp_path)])
    both = find_inputs([str(tmp_path), *left_out])
    remote = find_inputs([tmp_path.as_uri()])

    assert [f"{tmp_path}/b/state-change.log"] == [file.label for file in inputs.files]
    assert left_out == [problem.label for problem in inputs.left_out]
    assert "a state-change log of another name" in inputs.left_out[0].reason
    assert (3, ()) == (len(both.files), both.left_out)
    assert ["broker2.log", "old.gz"] == [Path(each.label).name for each in remote.left_out]


def test_names_that_are_no_text_are_shown_as_escapes(tmp_path: Path) -> None:
    make(tmp_path, os.fsdecode(b"d\xff/bad\xfe.log"))

    (file,) = find_inputs([str(tmp_path)]).files

    assert rf"{tmp_path}/d\udcff/bad\udcfe.log" == file.label
    assert os.path.exists(file.path)


def test_globs_mean_what_they_match_also_directories(tmp_path: Path) -> None:
    make(tmp_path, "broker-1/state-change.log", "broker-2/state-change.log", "other/x.log")

    assert ["state-change.log"] * 2 == names_of(tmp_path / "broker-*")
    assert ["x.log"] == names_of(tmp_path / "*" / "x.l?g")


def test_a_file_that_is_named_like_a_glob_is_that_file(tmp_path: Path) -> None:
    make(tmp_path, "state[1].log", "state1.log")

    assert ["state[1].log"] == names_of(tmp_path / "state[1].log")


def test_a_regex_is_searched_in_the_names_of_its_directory_as_kafka_does(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log", "xstate-change.lo", "state-change", "sub/state-change.log")
    (tmp_path / "state-change.log.d").mkdir()

    found = names_of(regex=f"{tmp_path}/state-change.log*")

    assert ["state-change.log", "xstate-change.lo"] == found


def test_what_a_regex_finds_and_nobody_can_read_is_named(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log")
    os.mkfifo(tmp_path / "state-change.log.1")
    (tmp_path / "state-change.log.2").symlink_to("gone")

    inputs = find_inputs([], f"{tmp_path}/state")

    assert [f"{tmp_path}/state-change.log"] == [file.label for file in inputs.files]
    assert ["state-change.log.1", "state-change.log.2"] == [
        Path(problem.label).name for problem in inputs.left_out
    ]


def test_a_regex_without_a_directory_is_searched_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "state-change.log")
    monkeypatch.chdir(tmp_path)

    assert ["state-change.log"] == names_of(regex="^state")


def test_uris_of_files_directories_and_globs_are_understood(tmp_path: Path) -> None:
    make(tmp_path, "a b/state-change.log", "c/state-change.log")

    assert ["state-change.log"] * 2 == names_of(tmp_path.as_uri())
    assert ["state-change.log"] == names_of(f"{tmp_path.as_uri()}/a%20b/state-change.log")
    assert ["state-change.log"] * 2 == names_of(f"{tmp_path.as_uri()}/*/state-change.log")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("missing.log", "{0}/missing.log does not exist"),
        ("no/such/dir/x.log", "{0}/no/such/dir/x.log does not exist"),
        ("none-*.log", "no file matches {0}/none-*.log"),
        ("empty", "directory {0}/empty has no files"),
        ("pipe", "{0}/pipe is no regular file and cannot be read from the middle"),
    ],
)
def test_what_means_no_file_is_named(tmp_path: Path, word: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(KadminError) as caught:
        find_inputs([f"{tmp_path}/{word}"])

    assert message.format(tmp_path) == caught.value.message
    assert caught.value.hint


def test_a_regex_that_is_none_or_finds_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'\(' is no regular expression"):
        find_inputs([], f"{tmp_path}/(")
    with pytest.raises(NoLogs, match=r"no file of .* matches 'state'"):
        find_inputs([], f"{tmp_path}/state")
    with pytest.raises(NoLogs, match="is no directory"):
        find_inputs([], f"{tmp_path}/missing/state")


def test_a_uri_of_an_unknown_kind_is_named() -> None:
    with pytest.raises(KadminError, match="cannot open gopher://host/x"):
        find_inputs(["gopher://host/x"])


def test_a_file_that_may_not_be_read_is_named_with_the_systems_reason(tmp_path: Path) -> None:
    # A loop of links cannot be opened by anybody, not even by root.
    loop = tmp_path / "loop.log"
    loop.symlink_to(loop)

    with pytest.raises(CannotRead, match=r"cannot read .*loop\.log: too many levels"):
        find_inputs([str(loop)])


def test_one_file_given_twice_is_merged_once_and_named(tmp_path: Path) -> None:
    make(tmp_path, "broker-1/state-change.log")
    log = tmp_path / "broker-1" / "state-change.log"
    (tmp_path / "soft").symlink_to(log)
    os.link(log, tmp_path / "hard")
    around = tmp_path / "broker-1" / ".." / "broker-1" / "state-change.log"

    inputs = find_inputs(
        [str(path) for path in (log, log, around, tmp_path / "soft", tmp_path / "hard")]
    )

    assert [str(log)] == [file.label for file in inputs.files]
    assert ["given twice; merged once"] + [f"given twice; it is also {log}; merged once"] * 3 == [
        problem.reason for problem in inputs.repeated
    ]


def test_a_packed_file_beside_its_original_is_merged_once_and_named(tmp_path: Path) -> None:
    content = b"".join(head(ms) + b"\n" for ms in range(20_000))
    plain = tmp_path / "state-change.log.1"
    make(tmp_path, plain.name, content=content)
    make(tmp_path, f"{plain.name}.gz", content=gzip.compress(content))

    inputs = find_inputs([str(tmp_path)])

    assert [str(plain)] == [file.label for file in inputs.files]
    assert [(f"{plain}.gz", f"holds what {plain} holds; merged once")] == [
        (problem.label, problem.reason) for problem in inputs.repeated
    ]


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        # As gzip leaves it while it is at work, or a log that went on.
        (gzip.compress(LINE * 9)[:-10], "begins like"),
        (gzip.compress(LINE * 5), "begins like"),
        (gzip.compress(head(7) + b"\n"), None),
    ],
    # Packed bytes hold the time: as names they would differ between processes that share the tests.
    ids=["cut", "shorter", "another"],
)
def test_a_packed_file_that_holds_something_else_is_merged_too(
    tmp_path: Path, packed: bytes, said: str | None
) -> None:
    make(tmp_path, "state-change.log.1", content=LINE * 9)
    make(tmp_path, "state-change.log.1.gz", content=packed)
    make(tmp_path, "state-change.log", content=b"")
    make(tmp_path, "state-change.log.gz", content=gzip.compress(LINE))

    inputs = find_inputs([str(tmp_path)])

    assert 4 == len(inputs.files)
    assert [said] * (said is not None) == [
        " ".join(problem.reason.split()[:2]) for problem in inputs.repeated
    ]
    assert all("both are merged" in problem.reason for problem in inputs.repeated)


@pytest.mark.slow
def test_a_file_that_is_no_log_is_named_and_skipped(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log")
    make(tmp_path, "state-change.txt", content=b"this is\nno log\n")
    make(tmp_path, "state-change.bin", content=bytes(range(256)) * 9000)
    make(tmp_path, "state-change.empty", content=b"")

    data, summary = merged(found_in(tmp_path))

    assert LINE == data
    assert ["state-change.bin", "state-change.txt"] == sorted(
        Path(problem.label).name for problem in summary.skipped
    )
    assert all("no state-change log" in problem.reason for problem in summary.skipped)


def test_a_strict_merge_fails_before_its_first_line_on_a_file_that_is_no_log(
    tmp_path: Path,
) -> None:
    make(tmp_path, "state-change.log")
    make(tmp_path, "state-change.txt", content=b"this is\nno log\n")

    with pytest.raises(OddInput, match=r"state-change\.txt: no state-change log"):
        merged(found_in(tmp_path), is_strict=True)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (LINE.decode().encode("utf-16"), "it is UTF-16"),
        (bz2.compress(LINE * 99), "it is packed by bzip2: unpack it"),
        (lzma.compress(LINE * 99), "it is packed by xz: unpack it"),
    ],
    ids=["UTF-16", "bzip2", "xz"],
)
def test_a_log_in_a_form_that_is_not_read_is_named_as_such(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    make(tmp_path, "state-change.log.1", content=content)

    with pytest.raises(OddInput, match=reason):
        merged(found_in(tmp_path), is_strict=True)


def test_gzip_is_known_by_its_content_not_by_its_name(tmp_path: Path) -> None:
    make(tmp_path, "broker-1/state-change.log", content=gzip.compress(LINE))
    make(tmp_path, "broker-2/state-change.log.gz", content=LINE)

    data, _ = merged(found_in(tmp_path))

    assert LINE * 2 == data


def test_a_file_that_was_cut_meanwhile_is_named(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log", content=LINE * 100)
    sources = found_in(tmp_path)
    make(tmp_path, "state-change.log", content=LINE)

    with pytest.raises(FileChanged, match=r"state-change\.log changed while it was read"):
        merged(sources)


def test_a_file_that_was_written_over_meanwhile_is_named(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log", content=LINE * 100)
    request = MergeRequest(sources=found_in(tmp_path), master=None, slice_bytes=1, part_bytes=1)
    with merge(request) as slices:
        taken = iter(slices)
        next(taken)
        make(tmp_path, "state-change.log", content=b"x" + LINE * 100)

        with pytest.raises(FileChanged, match=r"state-change\.log changed while it was read"):
            list(taken)


def replace(path: Path, content: bytes) -> None:
    """Put another file in the place of *path*, written an hour later."""
    other = path.with_name("other")
    other.write_bytes(content)
    later_ns = path.stat().st_mtime_ns + 3_600_000_000_000
    os.utime(other, ns=(later_ns, later_ns))
    other.replace(path)


@pytest.mark.parametrize("pack", [bytes, partial(gzip.compress, mtime=0)])
def test_a_file_that_another_one_of_its_size_replaced_meanwhile_is_named(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    make(tmp_path, "state-change.log", content=pack(head(3) + b"\n"))
    sources = found_in(tmp_path)
    replace(tmp_path / "state-change.log", pack(head(5) + b"\n"))

    with pytest.raises(FileChanged, match=r"state-change\.log changed while it was read"):
        merged(sources)


def test_a_file_that_was_replaced_after_its_survey_is_named(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log", content=LINE * 100)
    request = MergeRequest(sources=found_in(tmp_path), master=None, slice_bytes=1, part_bytes=1)
    with merge(request) as slices:
        taken = iter(slices)
        next(taken)
        replace(tmp_path / "state-change.log", LINE * 100)

        with pytest.raises(FileChanged, match=r"state-change\.log changed while it was read"):
            list(taken)


def test_a_file_that_is_only_seen_differently_is_no_other_one() -> None:
    found = Identity("here", 1, 2, 3)

    assert found.is_replaced_by(Identity("here", 1, 9, 9))
    assert found.is_replaced_by(Identity("here", 9, 2, 9))
    # It grew; it was given another number; another machine mounted it.
    for seen in (Identity("here", 1, 2, 9), Identity("here", 1, 9, 3), Identity("there", 9, 9, 9)):
        assert not found.is_replaced_by(seen)


def test_a_file_that_grows_meanwhile_is_read_as_far_as_it_was(tmp_path: Path) -> None:
    make(tmp_path, "state-change.log", content=LINE * 2)
    sources = found_in(tmp_path)
    make(tmp_path, "state-change.log", content=LINE * 9)

    data, _ = merged(sources)

    assert LINE * 2 == data


def test_files_that_one_log_was_rolled_into_are_one_source_in_order(tmp_path: Path) -> None:
    names = [
        "state-change.log.2026-11-20-09.gz",
        "state-change.log.2026-11-20-10",
        "state-change.log.2026-11-21-00",
        "state-change.log.12",
        "state-change.log.2",
        "state-change.log.1.gz",
        "state-change.log",
    ]
    make(tmp_path, *names)

    (source,) = group(find_inputs([str(tmp_path)]).files)

    assert f"{tmp_path}/state-change.log" == source.name
    assert names == [Path(file.path).name for file in source.files]


def test_a_gz_counts_for_about_what_it_unpacks_to(tmp_path: Path) -> None:
    plain, packed = tmp_path / "state-change.log", tmp_path / "state-change.log.1.gz"
    plain.write_bytes(b"x" * 100)
    packed.write_bytes(gzip.compress(b"x" * 1000))

    one, other = find_inputs([str(plain), str(packed)]).files

    assert 100 == one.content_bytes
    assert other.content_bytes > other.size > 0
