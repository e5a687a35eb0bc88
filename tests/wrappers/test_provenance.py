"""The text nodes that the fields and cells of wrappers come from."""

import re
from pathlib import Path

import pytest

import unweave
from unweave.wrappers.learning import LEARNERS

ROW = "<tr><th>{}</th><td>{}</td></tr>"
REVIEW = "<li class=review><b>{}</b><p>{}</p></li>"


def page(number):
    """A page with a heading, rows of a label and a value, a list of tags, and reviews."""
    rows = "".join(
        ROW.format(f"Label {place}", f"value {number * 10 + place}") for place in range(4)
    )
    tags = "".join(f"<a class=tag>tag {number}-{place}</a> " for place in range(2 + number % 3))
    reviews = "".join(
        REVIEW.format(f"Name {number}{place}", f"Text {place} of {number}")
        for place in range(2 + number % 3)
    )
    return unweave.load_page(
        f"<title>Shop</title><h1>Thing <i>number</i> {number}</h1>"
        f"<p>Always the same</p><table>{rows}</table>"
        f"<div class=tags>{tags}</div><ul class=reviews>{reviews}</ul>"
        "<footer>Shop of things</footer>"
    )


PAGES = [page(number) for number in range(8)]


@pytest.mark.parametrize(
    ("method", "parameters"),
    [("fields", {}), ("pattern", {}), ("landmark", {"search": "greedy", "tokens": "texts"})],
)
def test_text_nodes_of_fields_have_their_values(method, parameters):
    wrapper = LEARNERS.make(method, parameters).learn(PAGES[:6])
    for page in PAGES:
        found = wrapper.apply(page).fields
        provenance = wrapper.provenance(page)
        assert provenance
        assert provenance.keys() == (found or {}).keys()
        for name, chunks in provenance.items():
            assert chunks == sorted(set(chunks))
            value = found[name]
            said = " ".join(filter(None, value)) if isinstance(value, list) else value
            assert " ".join(page.texts[chunk] for chunk in chunks) == said


def test_words_of_a_text_come_from_the_whole_text_node():
    wrapper = LEARNERS.make("landmark", {"search": "greedy"}).learn(PAGES[:6])
    for page in PAGES:
        found = wrapper.apply(page).fields
        provenance = wrapper.provenance(page)
        assert provenance
        for name, chunks in provenance.items():
            assert found[name] in " ".join(page.texts[chunk] for chunk in chunks)


@pytest.mark.parametrize("name", ["products", "search", "jobs", "news", "forum", "people"])
def test_text_nodes_of_cells_have_their_values(name):
    page = unweave.load_page(Path("examples", f"{name}.html"))
    wrapper = LEARNERS.make("records", {}).learn([page])
    table = wrapper.apply(page).table
    provenance = wrapper.provenance(page)
    addresses = {column.name for column in table.columns if column.type in ("url", "image")}
    assert provenance.keys() == set(table.names) - addresses
    for name, chunks in provenance.items():
        cells = [row[table.names.index(name)] for row in table.rows]
        assert words(page.texts[chunk] for chunk in chunks) == words(
            cell for cell in cells if cell is not None
        )


def words(texts):
    return re.findall(r"\w+", " ".join(texts))


def test_a_page_of_another_template_has_no_provenance():
    other = unweave.load_page("<p>Nothing of the kind")
    for method in ("fields", "pattern", "records"):
        wrapper = LEARNERS.make(method, {}).learn(PAGES[:6])
        assert not wrapper.apply(other)
        assert wrapper.provenance(other) == {}
