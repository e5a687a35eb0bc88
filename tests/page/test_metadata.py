"""Metadata of a page, from meta elements and JSON-LD."""

import pickle

import pytest

from unweave import Page


def metadata(head):
    return Page.parse(f"<head>{head}</head><p>x").metadata


def test_meta_elements_by_their_names():
    result = metadata(
        "<meta property='og:title' content=' A  title '><meta name=Author content=Ida><meta name=author content=Per>"
    )
    assert result.meta_contents == {"og:title": ["A title"], "author": ["Ida", "Per"]}
    assert result.find_first("none", "author") == "Ida"
    assert result.find_first("none") == ""


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ('{"name": "a"}', ["a"]),
        ('[{"name": "a"}, {"name": "b"}]', ["a", "b"]),
        ('{"@graph": [{"name": "a"}, {"name": "b"}]}', [None, "a", "b"]),
        ('{"name": "two\nlines"}', ["two\nlines"]),
        ("{&quot;name&quot;: &quot;a&quot;}", ["a"]),
        ('{"name": "said &quot;a&quot;"}', ["said &quot;a&quot;"]),
        ("{not json}", []),
        ('"text"', []),
        ("[" * 100_000, []),
    ],
)
def test_json_ld(script, names):
    result = metadata(f'<script type="application/ld+json">{script}</script>')
    assert [thing.get("name") for thing in result.jsonld_objects] == names


def test_metadata_are_pickled_with_the_page():
    page = Page.parse("<meta name=author content=Ida><p>x")
    assert pickle.loads(pickle.dumps(page)).metadata.find_first("author") == "Ida"
