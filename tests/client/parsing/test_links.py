"""Link headers: RFC 8288, and nothing that a header can hold breaks it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pettui.client.headers import Link, first_target, links

ALPHABET = st.text(alphabet='<>;,="\\ anchorelx*\t/?:')


def test_a_link_has_a_target_and_relations() -> None:
    assert links(['<a>; rel="Next last", <b>; REL=prev']) == (
        Link("a", frozenset({"next", "last"})),
        Link("b", frozenset({"prev"})),
    )


def test_a_link_of_another_resource_is_not_the_responses_own() -> None:
    found = links(['<a>; rel=next; anchor="#x", <b>; rel=next'])
    assert first_target(found, "next") == "b"


def test_what_comes_before_a_malformed_link_counts() -> None:
    assert [link.target for link in links(["<a>; rel=next, <b>; rel=x y, <c>; rel=last"])] == ["a"]


@given(st.lists(ALPHABET))
def test_no_header_whatever_breaks_it(values: list[str]) -> None:
    for link in links(values):
        assert "<" not in link.target


@settings(deadline=None)
@given(st.text(alphabet='<>;,="\\ a', min_size=1, max_size=8))
def test_the_longest_header_is_read_in_one_go(piece: str) -> None:
    # A pattern that tries every way of cutting would not come back from here.
    links([piece * (90_000 // len(piece))])
