"""Microdata, RDFa and Open Graph of a page: what they say, and how much of it is read."""

import json
import pickle
from glob import glob

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from unweave import Page
from unweave.page import structured_data
from unweave.page.structured_data import MAX_DEPTH, MAX_ITEMS


def read(markup, syntax="microdata"):
    return Page.parse(f"<body>{markup}<p>x").structured_data[syntax]


def test_a_name_of_a_million_characters_is_read_at_once():
    """Its local name is what is behind the last separator, here nothing."""
    name = "a" * 1_000_000 + ":"
    assert read(f"<div itemscope><b itemprop='{name} b'>x</b></div>") == [{"b": "x"}]


def test_a_long_vocabulary_is_not_in_all_types(monkeypatch):
    monkeypatch.setattr(structured_data, "_MAX_CHARACTERS", 10_000)
    items = "<i typeof=A><b property=x>y</b></i>" * 100
    found = read(f"<div vocab='https://x.example/{'v' * 1_000}/'>{items}</div>", "rdfa")
    assert 5 <= len(found) < 20


class TestMicrodata:
    def test_values_are_those_of_the_elements(self):
        """The examples of values in the standard: meta, links, pictures, times, data and texts."""
        markup = """<div itemscope itemtype="https://schema.org/Event https://x.example/Event">
            <b itemprop="name alternateName">Fair <i>2026</i></b>
            <meta itemprop=currency content=EUR><link itemprop=availability href="https://schema.org/InStock">
            <a itemprop=url href="/fair">more</a><img itemprop=image src="a.png">
            <time itemprop=startDate datetime="2026-05-01">May</time>
            <data itemprop=price value="4.5">4,50</data><i itemprop=empty></i></div>"""
        assert read(markup) == [
            {
                "@type": "https://schema.org/Event",
                "name": "Fair 2026",
                "alternateName": "Fair 2026",
                "currency": "EUR",
                "availability": "https://schema.org/InStock",
                "url": "/fair",
                "image": "a.png",
                "startDate": "2026-05-01",
                "price": "4.5",
            }
        ]

    def test_items_are_inside_of_others_and_repeat(self):
        markup = """<div itemscope itemtype=Band><b itemprop=name>Weir</b>
            <p itemprop=member itemscope itemtype=Person><b itemprop=name>Ada</b></p>
            <p itemprop=member itemscope><b itemprop=name>Bo</b></p><p itemscope><b itemprop=name>not a member</b></p>
            </div><b itemprop=name>nobody's</b>"""
        assert read(markup) == [
            {
                "@type": "Band",
                "name": "Weir",
                "member": [{"@type": "Person", "name": "Ada"}, {"name": "Bo"}],
            },
            {"name": "not a member"},
        ]

    def test_the_url_of_an_item_is_its_identity(self):
        (item,) = read("<p itemscope itemtype=Book itemid=urn:isbn:1><b itemprop=name>Weirs</b>")
        assert item == {"@type": "Book", "@id": "urn:isbn:1", "name": "Weirs"}

    def test_the_items_of_a_page_have_their_nodes(self):
        page = Page.parse("<main itemscope><p itemprop=a>1")
        (item,) = page.data_items
        assert page.xpath(item.node) == "/html/body/main"


class TestRdfa:
    def test_the_example_of_the_primer(self):
        """RDFa Lite 1.1, section 2: vocab, typeof, property, resource and prefix."""
        markup = """<p vocab="http://schema.org/" prefix="ov: http://open.vocab.org/terms/"
            resource="#manu" typeof="Person">My name is <span property="name">Manu Sporny</span> and you can
            give me a ring via <span property="telephone">1-800-555-0199</span>.
            <img property="image" src="http://manu.sporny.org/images/manu.png">
            My favorite animal is the <span property="ov:preferredAnimal">Liger</span>.</p>"""
        assert read(markup, "rdfa") == [
            {
                "@type": "http://schema.org/Person",
                "@id": "#manu",
                "name": "Manu Sporny",
                "telephone": "1-800-555-0199",
                "image": "http://manu.sporny.org/images/manu.png",
                "preferredAnimal": "Liger",
            }
        ]

    def test_items_are_inside_of_others(self):
        markup = """<div vocab="https://schema.org/" typeof=Product><b property=name>Lamp</b>
            <div property=offers typeof=Offer><i property=price content="5.00">5 €</i></div>
            <div property=offers typeof="schema:Offer"><i property="schema:price https://schema.org/amount">6</i></div></div>"""
        assert read(markup, "rdfa") == [
            {
                "@type": "https://schema.org/Product",
                "name": "Lamp",
                "offers": [
                    {"@type": "https://schema.org/Offer", "price": "5.00"},
                    {"@type": "schema:Offer", "price": "6", "amount": "6"},
                ],
            }
        ]

    def test_meta_elements_alone_are_no_item(self):
        assert read("<meta property='og:title' content=x>", "rdfa") == []

    def test_both_syntaxes_in_one_element(self):
        markup = "<div itemscope itemtype=A typeof=B><b itemprop=x property=y>1</b></div>"
        assert read(markup) == [{"@type": "A", "x": "1"}]
        assert read(markup, "rdfa") == [{"@type": "B", "y": "1"}]


class TestOpenGraph:
    def graph(self, *pairs):
        metas = "".join(f'<meta property="{name}" content="{text}">' for name, text in pairs)
        return read(metas, "opengraph")

    def test_properties_of_properties_and_lists(self):
        """The arrays of the protocol: a width belongs to the picture before it."""
        assert self.graph(
            ("og:title", "Fair"),
            ("og:image", "a.png"),
            ("og:image:width", "300"),
            ("og:image:width", "400"),
            ("og:image", "b.png"),
            ("OG:Image", "c.png"),
            ("og:image:url", "c.png"),
            ("og:image:alt", "third"),
            ("article:tag", "x"),
            ("article:tag", "y"),
            ("og:locale:alternate", "fr_FR"),
            ("twitter:card", "summary"),
            ("og:", "no name"),
            ("og:video:width", "300"),
        ) == {
            "og:title": "Fair",
            "og:image": [
                {"url": "a.png", "width": "300"},
                "b.png",
                {"url": "c.png", "alt": "third"},
            ],
            "article:tag": ["x", "y"],
            "og:locale:alternate": "fr_FR",
        }

    def test_a_single_picture_with_properties(self):
        assert self.graph(("og:image:url", "a.png"), ("og:image:height", "5")) == {
            "og:image": {"url": "a.png", "height": "5"}
        }

    def test_names_are_read_from_both_attributes(self):
        assert read("<meta name='og:title' content=x>", "opengraph") == {"og:title": "x"}


@pytest.mark.parametrize("page", sorted(glob("examples/shop/*.html")))
def test_all_forms_of_a_page_agree(page):
    data = unweave.load_page(page).structured_data
    (product,) = data["jsonld"]
    (item,) = data["microdata"]
    assert item["@type"].endswith("schema.org/Product")
    assert item["name"] == product["name"] == data["opengraph"]["og:title"]
    assert item["offers"]["price"] == product["offers"]["price"]


def test_pickled_pages_have_the_same_data():
    page = unweave.load_page("examples/shop/lamp.html")
    expected = page.structured_data
    pickled = pickle.loads(pickle.dumps(unweave.load_page("examples/shop/lamp.html")))
    assert pickled.structured_data == expected


class TestLimits:
    def test_deep_items_are_cut(self):
        data = read("<div itemscope itemprop=a itemtype=T>" * 200 + "<b itemprop=name>x</b>")
        assert json.dumps(data).count('"@type"') <= 200
        depth, item = 0, data[0]
        while "a" in item:
            depth, item = depth + 1, item["a"]
        assert depth == MAX_DEPTH

    def test_items_with_several_names_are_one(self):
        """Otherwise the size of what is read would be ten to the power of the depth."""
        names = " ".join("abcdefghij")
        data = read(f"<div itemscope itemprop='{names}'>" * 18 + "<b itemprop=name>x</b>")
        assert len(json.dumps(data)) < 10_000

    def test_the_number_of_items_is_limited(self):
        page = Page.parse("<p itemscope><b itemprop=n>x</b></p>" * (MAX_ITEMS + 10))
        assert len(page.data_items) == MAX_ITEMS

    def test_the_text_of_nested_properties_is_limited(self, monkeypatch):
        monkeypatch.setattr(structured_data, "_MAX_CHARACTERS", 1_000)
        markup = "<div itemscope>" + "<div itemprop=n>" * 100 + "x" * 300
        (item,) = read(markup)
        assert len(item["n"]) == 4

    @given(st.text(alphabet="<>/=\"' abitemscopepropertyofvc:#\n", max_size=200))
    def test_any_markup_is_read(self, text):
        markup = (
            f"<div itemscope typeof='{text}' itemtype=\"{text}\"><b {text} property='{text}'>x</b>"
        )
        json.dumps(Page.parse(f"<body><p>y{markup}").structured_data)
