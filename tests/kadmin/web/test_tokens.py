"""The file of tokens: which lines, which modes, and who is whom?"""

from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from kadmin.web.roles import Role
from kadmin.web.tokens import BadTokenFile, make_token_file, read_tokens, tokens_of

FILE = Path("tokens")
LONG = "a-token-of-twenty-characters"
OTHER = "another-token-that-is-long"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (f"ann {LONG}", "line 1: a name, a role and a token are expected"),
        (f"ann owner {LONG}", "line 1: 'owner' is no role: read, operate or admin"),
        ("ann read short", "line 1: the token is shorter than 20 characters"),
        (f"* read {LONG}", "line 1: '*' are visitors whom a proxy names: its token is -"),
        (f"ann read {LONG}\nbob read {LONG}", "line 2: the token is that of ann, too"),
        (
            f"ann read {LONG}\nann admin {LONG}",
            "line 2: ann has the role read on all clusters by another line",
        ),
        ("ann read - a\nann admin - a", "line 2: ann has the role read on a by another line"),
        ("# ann read -", "it has no line"),
    ],
)
def test_a_wrong_line_is_named(line: str, problem: str) -> None:
    with pytest.raises(BadTokenFile) as raised:
        tokens_of(line.splitlines(), FILE)

    assert f"the token file tokens: {problem}" == raised.value.message
    assert ExitCode.USAGE == raised.value.exit_code


def test_a_token_has_its_role_on_its_clusters() -> None:
    lines = [f"ann admin {LONG} east", f"ann read {LONG} west  # and no more"]

    ann = tokens_of(lines, FILE).visitor_with(LONG)

    assert ann is not None
    assert {"east": Role.ADMIN, "west": Role.READ} == ann.grants
    assert (True, False) == (ann.may(Role.OPERATE, "east"), ann.may(Role.OPERATE, "west"))
    assert (None, False) == (ann.role_on("north"), ann.may(Role.READ, "north"))


def test_a_role_on_one_cluster_wins_over_that_on_all() -> None:
    ann = tokens_of([f"ann admin {LONG}", f"ann read {LONG} east"], FILE).visitor_with(LONG)

    assert ann is not None
    assert (Role.READ, Role.ADMIN) == (ann.role_on("east"), ann.role_on("west"))


def test_another_token_of_the_same_name_has_its_own_roles() -> None:
    lines = [f"ci read {LONG}", f"ci admin {OTHER}", "ci operate -"]
    tokens = tokens_of(lines, FILE)

    found = [tokens.visitor_with(LONG), tokens.visitor_with(OTHER), tokens.visitor_named("ci")]

    assert [("ci", Role.READ), ("ci", Role.ADMIN), ("ci", Role.OPERATE)] == [
        (each.name, each.role_on("any")) for each in found if each is not None
    ]


def test_a_proxy_does_not_name_those_who_have_a_token() -> None:
    tokens = tokens_of([f"ann admin {LONG}", "* read -"], FILE)

    ann = tokens.visitor_named("ann")
    assert ann is not None
    assert Role.READ == ann.role_on("any")


@pytest.mark.parametrize(
    "content",
    [
        f"\ufeff# comment\nann read {LONG}\n",
        f"\ufeffann read {LONG}",
        f"#\r\n\r\n  ann\tread  {LONG} # and more\r\n",
    ],
)
def test_a_file_of_another_editor_is_read(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens"
    path.write_bytes(content.encode())
    path.chmod(0o600)

    ann = read_tokens(path).visitor_with(LONG)

    assert ann is not None
    assert ("ann", Role.READ) == (ann.name, ann.role_on("any"))


def test_a_sign_within_a_token_begins_no_comment() -> None:
    tokens = tokens_of([f"ann read {LONG}#{OTHER}  #east"], FILE)

    assert tokens.visitor_with(LONG) is None
    ann = tokens.visitor_with(f"{LONG}#{OTHER}")
    assert ann is not None
    assert Role.READ == ann.role_on("west")


@pytest.mark.parametrize("token", ["", "-", LONG[:-1], LONG + "x", LONG.upper(), OTHER, "\udcff"])
def test_no_other_token_is_taken(token: str) -> None:
    tokens = tokens_of([f"ann admin {LONG}", "bob read -"], FILE)

    assert tokens.visitor_with(token) is None


def test_a_proxy_may_name_those_in_the_file_and_any_other_where_it_says_so() -> None:
    closed = tokens_of(["ann admin -"], FILE)
    open_ = tokens_of(["ann admin -", "* read -"], FILE)

    assert closed.visitor_named("eve") is None
    eve = open_.visitor_named("eve")
    assert eve is not None
    assert ("eve", Role.READ) == (eve.name, eve.role_on("any"))


def test_a_file_is_made_once_with_a_strong_token_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "tokens"

    made = [make_token_file(path), make_token_file(path)]

    assert [True, False] == made
    assert 0o600 == path.stat().st_mode & 0o777
    token = path.read_text().splitlines()[-1].split()[2]
    assert len(token) >= 43
    visitor = read_tokens(path).visitor_with(token)
    assert visitor is not None
    assert Role.ADMIN == visitor.role_on("any")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "tokens"
    make_token_file(path)
    path.chmod(mode)

    with pytest.raises(BadTokenFile, match="others can read or write it") as raised:
        read_tokens(path)

    assert f"chmod 600 {path}" == raised.value.hint


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "tokens"
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o600)

    with pytest.raises(BadTokenFile, match=str(path)):
        read_tokens(path)
