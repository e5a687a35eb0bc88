"""The main content of pages of every type, made up in a few lines."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unweave import Page
from unweave.content.block_features import describe_blocks
from unweave.content.blocks import Block, find_all_blocks, find_blocks
from unweave.content.main_content import (
    MIN_PROBABILITY,
    MIN_REPEATED_WORDS,
    find_main_content,
    find_main_contents,
    find_readable_page,
    select_blocks,
)
from unweave.content.page_type import PAGE_TYPES, choose_type, list_page_words

MENU = (
    "<header class='site-header'><nav class='main-nav'><ul><li><a href=/>Home</a></li><li><a href=/a>About us</a></li>"
    "<li><a href=/c>Contact</a></li><li><a href=/l>Sign in</a></li></ul></nav></header>"
)
FOOTER = (
    "<footer class='site-footer'><ul><li><a href=/p>Privacy policy</a></li><li><a href=/t>Terms of use</a></li>"
    "</ul><p>© 2025 The Harbour Company. All rights reserved.</p></footer>"
)
SENTENCES = [
    "The ferry to the outer islands will sail twice a day from the first of May, the harbour board said.",
    "Islanders had asked for a later crossing, which the company had called too dear to run in the dark.",
    "A ticket will cost the same as before, and those who live on the islands will travel for half of it.",
    "The old boat stays in the harbour for the winter, when storms close the narrow channel for days.",
    "Last year more than nine thousand people took the boat, most of them in the weeks before midsummer.",
    "The board will look at the figures again in the autumn and then decide about the following year.",
]


def page(body, head="<title>The outer islands</title>"):
    return Page.parse(
        f"<html><head>{head}</head><body>{MENU}<main>{body}</main>{FOOTER}</body></html>"
    )


def read(body, **options):
    return find_main_content(page(body, **options))


def show(found):
    return [block.text for block in found.blocks]


def paragraphs(texts):
    return "".join(f"<p>{text}</p>" for text in texts)


ARTICLE = (
    f"<article class='post'><h1>Ferry to sail twice a day</h1>{paragraphs(SENTENCES)}</article>"
)
DOCUMENTATION = (
    "<div class='markdown docs-content'><h1>Configuration</h1><p>The program reads its options from a file.</p>"
    "<h2>Installation</h2><p>Install the package with the tool of your system, then run this command:</p>"
    "<pre><code>tide install --harbour outer</code></pre><h2>Options</h2>"
    "<p>The option <code>depth</code> sets how deep the channel is, in metres. It must be a number.</p>"
    "<pre><code>depth = 4  # in metres at low water, as the harbour chart has it</code></pre><p>All other options are described in the reference of the program.</p></div>"
)
FORUM = (
    "<h1>Which boat for the channel?</h1><div class='thread'>"
    + "".join(
        f"<div class='post'><div class='post-user'><a href=/u{n}>sailor{n}</a> <span>{n} posts</span></div>"
        f"<div class='post-body message'><p>{text}</p></div>"
        f"<div class='post-actions'><a href=#>Reply</a> <a href=#>Quote</a> <a href=#>Report</a></div></div>"
        for n, text in enumerate(SENTENCES)
    )
    + "</div>"
)
LISTING = (
    "<h1>Boats this week</h1><ul class='results'>"
    + "".join(
        f"<li class='result-item'><h3><a href=/b{n}>Crossing number {n} to the outer islands</a></h3><p>{text}</p></li>"
        for n, text in enumerate(SENTENCES)
    )
    + "</ul>"
)
PRODUCT = (
    "<div class='product'><h1 class='product-title'>Oilskin coat</h1><span class='price'>$129.00</span>"
    f"<div class='product-description'><h2>Description</h2>{paragraphs(SENTENCES[:3])}</div>"
    "<h2>Specifications</h2><table class='specs'><tr><th>Weight</th><td>1.4 kg of waxed cotton</td></tr>"
    "<tr><th>Length</th><td>110 cm from collar to hem</td></tr></table><button>Add to cart</button></div>"
)
SERVICE = (
    "<section class='hero'><h1>We bring your boat home</h1><p>Towing day and night, in all the waters of the coast.</p>"
    "</section><section><h2>How it works</h2>" + paragraphs(SENTENCES[3:]) + "</section>"
)
BODIES = {
    "article": (ARTICLE, SENTENCES),
    "documentation": (
        DOCUMENTATION,
        [
            "tide install --harbour outer",
            "depth = 4 # in metres at low water, as the harbour chart has it",
        ],
    ),
    "forum": (FORUM, SENTENCES),
    "listing": (LISTING, SENTENCES[:2]),
    "product": (PRODUCT, SENTENCES[:3]),
    "service": (SERVICE, SENTENCES[3:]),
}


@pytest.mark.parametrize("name", BODIES)
def test_content_is_found_and_what_surrounds_it_is_left_out(name):
    body, wanted = BODIES[name]
    shown = show(read(body))
    for text in wanted:
        assert text in shown
    for text in (
        "Home",
        "Sign in",
        "Privacy policy",
        "© 2025 The Harbour Company. All rights reserved.",
    ):
        assert text not in shown


def test_a_title_type_and_confidence_are_given():
    found = read(ARTICLE)
    assert found.title == "Ferry to sail twice a day"
    assert found.kind in PAGE_TYPES
    assert 1 / len(PAGE_TYPES) <= found.confidence <= 1


def test_metadata_and_structure_tell_the_type():
    head = '<meta property=og:type content=article><script type=application/ld+json>{"@type": "NewsArticle"}</script>'
    assert read(ARTICLE, head=head).kind == "article"
    product = (
        "<title>Oilskin coat</title><meta property=og:type content=product><link rel=canonical href=https://a.example/products/coat>"
        '<script type=application/ld+json>{"@type": "Product", "offers": {"@type": "Offer"}}</script>'
    )
    assert read(PRODUCT, head=product).kind == "product"


def test_words_of_a_page_come_from_metadata_address_names_and_texts():
    made = page(
        PRODUCT,
        head="<title>A coat</title><link rel=canonical href=https://a.example/shop/coat-12>",
    )
    words = list_page_words(describe_blocks(made, find_blocks(made)))
    assert {"title:coat", "path:shop", "depth:2", "host:example"} <= {*words["head"]}
    assert "description" in words["names"]
    assert "=oilskin coat" in words["phrases"]


def test_words_of_a_page_come_from_the_paths_of_its_links():
    links = "/shop/wool-coat-7 /shop/coats?page=2 https://a.example/ https://b.example/x/y mailto:a@b.example http://["
    made = page(
        "".join(f"<p><a href='{link}'>link</a></p>" for link in links.split()),
        head="<link rel=canonical href=https://www.a.example/shop>",
    )
    words = list_page_words(describe_blocks(made, find_blocks(made)))["links"]
    assert words[:4] == ["0:shop", "1:coat", "1:coats", "1:wool"]
    assert {"below", "depth:0", "depth:2", "external"} < {*words[4:]}


def test_folded_and_hidden_parts_are_blocks_of_their_own():
    made = page(
        "<button>How long does it take?</button><div hidden><p>Two days.</p></div><p>More</p>"
    )
    shown = [block.text for block in find_blocks(made, with_hidden=True)]
    assert shown[4:7] == ["How long does it take?", "Two days.", "More"]
    assert "Two days." not in [block.text for block in find_blocks(made)]


PARTS = (
    *("<p>A gauge", "</p>", "<div hidden>", "</div>", "<span style='display:none'>left", "</span>"),
    *("<button>More", "</button>", "<br>", "<br><br>", "<a href=/a>link", "</a>", "<li>item"),
    "word " * 90,
)


@given(st.lists(st.sampled_from(PARTS), max_size=14))
def test_blocks_with_and_without_hidden_ones_are_those_of_separate_calls(parts):
    made = page("".join(parts))
    found = find_all_blocks(made)
    assert found.with_hidden == find_blocks(made, with_hidden=True)
    assert found.visible == find_blocks(made)


def test_an_article_is_as_likely_as_among_pages_of_all_types():
    article, forum = PAGE_TYPES.index("article"), PAGE_TYPES.index("forum")
    shares = [0.0] * len(PAGE_TYPES)
    shares[article], shares[forum] = 0.6, 0.4
    kind, confidence = choose_type(shares)
    assert kind == "forum"
    assert confidence == pytest.approx(0.4 / (0.4 + 0.6 * 0.4))
    shares[article], shares[forum] = 0.9, 0.1
    assert choose_type(shares)[0] == "article"


def test_posts_in_noscript_markup_are_read():
    posts = "".join(
        f"<div class=post><p>{text} {n}</p></div>" for n, text in enumerate(SENTENCES * 4)
    )
    made = Page.parse(f"<body><p>Loading</p><noscript><h1>Boats</h1>{posts}</noscript>")
    assert find_readable_page(made) is not made
    found = find_main_content(made)
    assert found.page is not made
    texts = [block.text for block in found.blocks]
    assert f"{SENTENCES[0]} 0" in texts
    assert f"{SENTENCES[1]} 7" in texts


def test_noscript_markup_beside_the_text_is_not_read():
    made = page(ARTICLE + "<noscript>" + "<img src=/pixel.gif>" * 200 + "</noscript>")
    assert find_readable_page(made) is made


def test_a_page_without_text_has_no_content():
    made = Page.parse(
        "<head><meta name=description content='All boats of the harbour'></head><body><div id=app></div>"
    )
    found = find_main_content(made)
    assert (found.blocks, found.title, found.page) == ((), None, made)


def test_a_page_that_scripts_fill_has_no_content():
    footer = "".join(
        f"<li><a href=/{name}>{name}</a></li>" for name in ("Help", "Terms", "Contact")
    )
    made = page(
        f"<header><a href=/>Harbour shop</a></header><div id=root></div><footer><ul>{footer}</ul></footer>",
        head="<title>A coat | Harbour shop</title>",
    )
    assert find_blocks(made)
    assert find_main_content(made).blocks == ()


def test_what_the_pages_of_a_template_share_is_left_out():
    notice = (
        "Please note that the office of the harbour board is closed on all days between the years."
    )
    pages = [
        page(
            f"<article><h1>Number {n}</h1><p>{SENTENCES[n]}</p><p>{SENTENCES[n + 3]}</p><p>{notice}</p></article>"
        )
        for n in range(3)
    ]
    together = find_main_contents(pages)
    assert len(together) == 3
    for n, found in enumerate(together):
        assert SENTENCES[n] in show(found)
        assert notice not in show(found)
    assert notice in show(find_main_content(pages[0]))


# ---- laws ----------------------------------------------------------------------------------------

TEXTS = st.sampled_from(
    [*SENTENCES, "Reply", "Home", "12 May 2025", "$12.00", "Read more", "A. B."]
)
MARKUP = st.recursive(
    TEXTS.map(lambda text: f"<p>{text}</p>"),
    lambda inner: st.builds(
        lambda tag, name, parts: f"<{tag} class='{name}'>{''.join(parts)}</{tag}>",
        st.sampled_from("div section ul li table tr td nav aside h2 pre blockquote button".split()),
        st.sampled_from(["post", "comment", "content", "menu", "item card", ""]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(MARKUP)
def test_blocks_are_in_page_order_and_no_long_text_is_there_twice(body):
    found = read(body)
    starts = [block.start for block in found.blocks]
    assert starts == sorted(set(starts))
    long = [block.text for block in found.blocks if block.words >= MIN_REPEATED_WORDS]
    assert len(long) == len(set(long))
    assert replace(found, page=None) == replace(read(body), page=None)


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1)), max_size=30))
def test_selected_blocks_are_the_most_probable_ones(given_blocks):
    blocks = [
        Block(0, range(n, n + 1), f"text {n}", words, 0.0)
        for n, (words, _) in enumerate(given_blocks)
    ]
    probabilities = [probability for _, probability in given_blocks]
    chosen = select_blocks(blocks, probabilities)
    assert chosen == sorted(set(chosen))
    left_out = [probabilities[n] for n in range(len(blocks)) if n not in chosen]
    kept = [probability for probability in left_out if probability >= MIN_PROBABILITY]
    if chosen:
        assert min(probabilities[n] for n in chosen) >= max(left_out, default=0)
    else:  # it is as likely that there is no content
        assert math.prod(1 - probability for probability in kept) >= max(kept, default=0)


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 240 + f"<p>{SENTENCES[0]}</p>",
        "<p>a</p>" * 30_000,
        f"<ul>{'<li><a href=/>Home</a>' * 20_000}</ul>",
        "<table><tr><td>" + "<b>x</b> " * 50_000,
        f"<p class='{'post ' * 20_000}'>{'word ' * 100_000}</p>",
    ],
    ids=["deep", "many blocks", "one list", "one block", "long class and text"],
)
def test_hostile_pages_are_read(body):
    found = find_main_content(Page.parse(body))
    assert found.kind in PAGE_TYPES
