"""Is the table of line formats whole, and can every line of it be written and told apart?"""

from itertools import pairwise

from kadmin.statechange.columns import PLACEHOLDERS, Shape
from kadmin.statechange.examples import RELEASES, releases_of
from kadmin.statechange.grammar import first_word
from kadmin.statechange.kinds import Kind, Level, Role
from kadmin.statechange.language import Template, pieces, variants
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import LOG_PREFIXES, TEMPLATES, log_prefix_of

OF_NO_TEMPLATE = {Kind.CONTINUATION, Kind.OTHER}


def template_id(template: Template) -> str:
    return f"{template.kind}-{template.text[:40]}"


def test_every_kind_but_what_is_not_understood_has_a_template() -> None:
    assert set(Kind) - OF_NO_TEMPLATE == {template.kind for template in TEMPLATES}


def test_no_line_format_is_listed_twice() -> None:
    listed = [(template.role, text) for template in TEMPLATES for text in variants(template.text)]

    assert sorted(listed, key=str) == sorted(set(listed), key=str)


def test_every_line_has_a_release_that_writes_it_at_a_level() -> None:
    for template in TEMPLATES:
        versions = releases_of(template)

        assert versions, template
        assert all(template.levels_in(version) for version in versions), template


def test_values_of_a_line_stand_apart_and_its_first_word_is_text() -> None:
    for text in (text for template in TEMPLATES for text in variants(template.text)):
        parts = list(pieces(text))

        assert isinstance(parts[0], str), text
        assert " " in parts[0] or len(parts) == 1, text
        assert first_word(text) == first_word(parts[0]), text
        assert not any(
            isinstance(part, tuple) and isinstance(following, tuple)
            for part, following in pairwise(parts)
        ), text


def test_every_payload_of_a_line_has_a_form_in_all_its_releases() -> None:
    missing = [
        (version, name, template.text)
        for template in TEMPLATES
        for name, placeholder in PLACEHOLDERS.items()
        if placeholder.shape is Shape.PAYLOAD and f"{{{name}}}" in template.text
        for version in releases_of(template)
        if not any(form.family == name and form.first <= version <= form.last for form in PAYLOADS)
    ]

    assert [] == missing


def test_every_form_of_a_payload_is_used_by_a_line_of_its_time() -> None:
    unused = [
        form
        for form in PAYLOADS
        if not any(
            f"{{{form.family}}}" in template.text
            and template.first <= form.last
            and form.first <= template.last
            for template in TEMPLATES
        )
    ]

    assert [] == unused


def test_levels_change_with_the_release() -> None:
    elected = next(template for template in TEMPLATES if "with state {elected}" in template.text)

    assert (Level.TRACE,) == elected.levels_in((2, 5))
    assert (Level.INFO,) == elected.levels_in((2, 6))


def test_every_way_to_name_the_writer_is_one_of_some_release() -> None:
    used = {log_prefix_of(t, version) for t in TEMPLATES for version in releases_of(t)}

    assert set(LOG_PREFIXES) | {None} == used
    assert {tag.role for tag in LOG_PREFIXES} == set(Role)


def test_releases_are_in_order() -> None:
    assert sorted(RELEASES) == list(RELEASES)
