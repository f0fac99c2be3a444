"""What the page of the audit log makes of its lines."""

from kadmin.web.pages.audit import one_each, shown_line


def test_a_change_is_one_line_with_its_plan_and_its_outcome() -> None:
    done = {"id": "1", "stage": "done", "action": "Grow", "written": ["w"]}
    begun = {"id": "1", "stage": "begun", "action": "Grow", "plan": ["p"]}
    refused = {"id": "2", "stage": "refused", "action": "POST"}
    cut = {"id": "3", "stage": "begun", "action": "Delete"}

    assert [cut, refused, begun | done] == one_each([cut, refused, done, begun])


def test_a_line_shows_its_time_in_seconds() -> None:
    line = shown_line({"time": "2026-11-29T03:03:34.619Z", "id": "1", "plan": ["p"]})

    assert ("2026-11-29 03:03:34", '{\n "plan": [\n  "p"\n ]\n}') == (line["time"], line["more"])
