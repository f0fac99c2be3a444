"""Sessions of browsers: when do they end, and which form is theirs?"""

from kadmin.web.sessions import AGE_S_MAX, IDLE_S, SESSION_COUNT_MAX, Sessions

NOW_S = 1000.0


def test_a_session_ends_when_it_is_idle_and_when_it_is_old() -> None:
    sessions = Sessions()
    idle, _ = sessions.begin("ann", None, NOW_S)
    used, _ = sessions.begin("bob", None, NOW_S)

    lives = [
        sessions.find(used, NOW_S + hours * 3600) is not None for hours in (7, 14, 21, 24.001, 7)
    ]

    assert sessions.find(idle, NOW_S + IDLE_S + 1) is None
    assert [True, True, True, False, False] == lives
    assert AGE_S_MAX == 24 * 3600


def test_only_its_own_id_finds_a_session() -> None:
    sessions = Sessions()
    session_id, session = sessions.begin("ann", None, NOW_S)

    assert session is sessions.find(session_id, NOW_S)
    assert [None, None] == [sessions.find(text, NOW_S) for text in ("", "\udcff" + session_id)]
    sessions.end(session_id)
    assert sessions.find(session_id, NOW_S) is None


def test_a_csrf_token_is_of_one_session() -> None:
    sessions = Sessions()
    (_, one), (_, other) = (sessions.begin("ann", None, NOW_S) for _ in range(2))

    assert [True, False, False] == [one.has_csrf(text) for text in (one.csrf, other.csrf, "")]


def test_the_session_that_was_used_least_gives_way() -> None:
    sessions = Sessions()
    first, _ = sessions.begin("first", None, NOW_S)
    second, _ = sessions.begin("second", None, NOW_S)
    sessions.find(first, NOW_S)
    for number in range(SESSION_COUNT_MAX - 1):
        sessions.begin(str(number), None, NOW_S)

    assert sessions.find(second, NOW_S) is None
    assert sessions.find(first, NOW_S) is not None
