"""The file of tokens: who may log in, with which token, as what, on which clusters?

Each line is `NAME ROLE TOKEN [CLUSTER…]`; `#` begins a comment.  A token of `-` is none: a reverse
proxy has to name that visitor, and `*` is any other whom it names.
"""

import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kadmin.errors import UsageError
from kadmin.quoting import quoted
from kadmin.web.roles import EVERY_CLUSTER, Role, Visitor
from kadmin.web.sessions import digest_of

TOKEN_SIZE_MIN: Final = 20
"""Shorter ones can be guessed, or are passwords that are used elsewhere."""

COMMENT: Final = re.compile(r"(^|\s)#.*")
"""Within a word `#` is part of a token."""

NO_TOKEN: Final = "-"
ANY_OTHER: Final = "*"

FIRST_LINES: Final = """\
# Who may log in to the page of 'kadmin serve': NAME ROLE TOKEN [CLUSTER...]
# Roles: read, operate, admin. Without clusters, on all. It is read again when it changes.
admin admin {token}
"""


class BadTokenFile(UsageError):
    """The file at *path* cannot be used."""

    def __init__(self, path: Path, problem: str, hint: str) -> None:
        super().__init__(f"the token file {path}: {problem}", hint=hint)
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The visitors of a token file, by the digests of their tokens, and by the names that a proxy
    may give."""

    by_digest: Mapping[bytes, Visitor]
    by_name: Mapping[str, Visitor]

    def visitor_with(self, token: str) -> Visitor | None:
        """Return the visitor whose *token* it is, None if it is of none.

        Takes as long for a token that is nearly right: digests of all are compared.
        """
        given = digest_of(token)
        found = None
        for digest, visitor in self.by_digest.items():
            if hmac.compare_digest(digest, given):
                found = visitor
        return found

    def visitor_named(self, name: str) -> Visitor | None:
        """Return the visitor whom a trusted proxy calls *name*, None if such may not log in."""
        found = self.by_name.get(name)
        if found is None and ANY_OTHER in self.by_name:
            found = Visitor(name=name, grants=self.by_name[ANY_OTHER].grants)
        return found


def make_token_file(path: Path) -> bool:
    """Create the file with one strong token of an admin, unless there is one; returns whether.

    Raises:
        BadTokenFile: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        hint = "name a place that you may write to with --token-file FILE"
        raise BadTokenFile(path, error.strerror or str(error), hint) from error
    with os.fdopen(descriptor, "w") as file:
        file.write(FIRST_LINES.format(token=secrets.token_urlsafe(32)))
    return True


def read_tokens(path: Path) -> Tokens:
    """Read the file at *path*.

    Raises:
        BadTokenFile: others can read it, it cannot be read, or a line is wrong.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                problem = f"others can read or write it (its mode is {mode:o})"
                raise BadTokenFile(path, problem, f"chmod 600 {quoted(str(path))}")
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        hint = "check its owner, or name another one with --token-file FILE"
        raise BadTokenFile(path, reason or str(error), hint) from error
    return tokens_of(lines, path)


def tokens_of(lines: list[str], path: Path) -> Tokens:
    """Understand the *lines* of the file at *path*.

    A token has the roles of its own lines: another token of the same name has others.

    Raises:
        BadTokenFile: a line is wrong, or there is none.
    """
    owners: dict[bytes, str] = {}
    by_token: dict[bytes, dict[str, Role]] = {}
    by_proxy: dict[str, dict[str, Role]] = {}
    for number, words in meaningful(lines):

        def wrong(problem: str, number: int = number) -> BadTokenFile:
            return BadTokenFile(path, f"line {number}: {problem}", "NAME ROLE TOKEN [CLUSTER...]")

        if len(words) < 3:
            raise wrong("a name, a role and a token are expected")
        name, role, token, *clusters = words
        if role not in list(Role):
            raise wrong(f"'{role}' is no role: read, operate or admin")
        if token != NO_TOKEN:
            if name == ANY_OTHER:
                raise wrong("'*' are visitors whom a proxy names: its token is -")
            if len(token) < TOKEN_SIZE_MIN:
                raise wrong(f"the token is shorter than {TOKEN_SIZE_MIN} characters")
            digest = digest_of(token)
            if owners.setdefault(digest, name) != name:
                raise wrong(f"the token is that of {owners[digest]}, too")
            grants = by_token.setdefault(digest, {})
        else:
            grants = by_proxy.setdefault(name, {})
        for cluster in clusters or [EVERY_CLUSTER]:
            if grants.setdefault(cluster, Role(role)) != role:
                where = "all clusters" if cluster == EVERY_CLUSTER else cluster
                raise wrong(f"{name} has the role {grants[cluster]} on {where} by another line")
    if not by_token and not by_proxy:
        raise BadTokenFile(path, "it has no line", "write NAME ROLE TOKEN [CLUSTER...] into it")
    return Tokens(
        by_digest={
            digest: Visitor(name=owners[digest], grants=given) for digest, given in by_token.items()
        },
        by_name={name: Visitor(name=name, grants=given) for name, given in by_proxy.items()},
    )


def meaningful(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield number and words of each line that has any, without comments."""
    for number, line in enumerate(lines, 1):
        words = COMMENT.sub("", line).split()
        if words:
            yield number, words
