"""What belongs to an article and what does not, in pages of a few lines."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unweave
from unweave import Page
from unweave.content.blocks import count_words, find_blocks
from unweave.content.shared_template import find_copies
from unweave.content.title import (
    HeadTitles,
    choose_title,
    find_best_title,
    find_title_candidates,
    split_title,
)
from unweave.text_similarity import compute_dice, count_terms

SENTENCE = "The ferry to the outer islands will sail twice a day from the first of May, the harbour board said on Monday."
OTHER = "Islanders had asked for a later crossing, which the company had called too dear to run in the dark months."
THIRD = "A ticket will cost the same as before, and those who live on the islands will travel for half of that price."


def page(body, head="<title>Ferry to sail twice a day - The Gazette</title>"):
    return f"<html><head>{head}</head><body>{body}</body></html>"


def article(body, **options):
    (found,) = unweave.news([page(body, **options)])
    return found


def paragraphs(*texts):
    return "".join(f"<p>{text}</p>" for text in texts)


STORY = f"<h1>Ferry to sail twice a day</h1>{paragraphs(SENTENCE, OTHER, THIRD)}"


def test_title_and_paragraphs():
    found = article(f"<nav><a href=/>Home</a> <a href=/w>Weather</a></nav><div>{STORY}</div>")
    assert found.title == "Ferry to sail twice a day"
    assert found.body == f"{SENTENCE}\n{OTHER}\n{THIRD}"
    assert found


def test_menus_boxes_and_comments_are_left_out():
    links = "".join(
        f"<li><a href=/{n}>Another story of the day, number {n}</a></li>" for n in range(6)
    )
    comments = f"<h3>3 comments</h3><p>{OTHER.replace('Islanders', 'My neighbours')}</p>"
    found = article(
        f"<div>{STORY}<ul>{links}</ul><p>Advertisement</p>{comments}</div><footer><p>{OTHER} Yes.</p></footer>"
    )
    assert found.paragraphs == (SENTENCE, OTHER, THIRD)


def test_a_lead_between_title_and_body_opens_the_article():
    lead = "From May on there will be an evening boat again, after two winters in which the last one left at four."
    body = f"<h1>Ferry to sail twice a day</h1><p class='lead'>{lead}</p><img><div>{paragraphs(SENTENCE, OTHER, THIRD)}</div>"
    assert article(body).paragraphs[0] == lead


def test_paragraphs_separated_by_breaks():
    found = article(
        f"<table><tr><td><b>Ferry to sail twice a day</b><br><br>{SENTENCE}<br><br>{OTHER}<br>{THIRD}</td></tr></table>"
    )
    assert found.title == "Ferry to sail twice a day"
    assert found.paragraphs == (SENTENCE, f"{OTHER} {THIRD}")


def test_what_is_hidden_is_left_out_unless_it_is_the_article():
    assert article(
        f"<div>{STORY}<p style='display: none'>{OTHER} Hidden.</p></div>"
    ).paragraphs == (SENTENCE, OTHER, THIRD)
    hidden = f"<div style='display:none'>{paragraphs(SENTENCE, OTHER, THIRD, SENTENCE + ' Again.', OTHER + ' Again.')}</div>"
    assert len(article(f"<h1>Ferry to sail twice a day</h1>{hidden}").paragraphs) == 5


def test_json_ld_completes_a_body_that_is_not_shown():
    whole = "\\n".join(
        [
            SENTENCE,
            OTHER,
            THIRD,
            "The board will look at the figures again when the first winter is over.",
        ]
    )
    data = f'<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{whole}"}}</script>'
    body = f"<h1>Ferry to sail twice a day</h1><p>{SENTENCE}</p>"
    assert len(article(body, head=data).paragraphs) == 4
    assert article(body + paragraphs(OTHER, THIRD), head=data).paragraphs == (
        SENTENCE,
        OTHER,
        THIRD,
    )


def test_teasers_are_not_an_article():
    teasers = "".join(
        f"<div><h2><a href=/{n}>Story {n} of today</a></h2><p>{n} {text}</p></div>"
        for n, text in enumerate([SENTENCE, OTHER, THIRD])
    )
    assert not article(teasers)
    assert article(teasers, head='<meta property="og:type" content="article">')


def test_the_title_is_the_line_that_the_head_names():
    body = f"<h2>The Gazette</h2><h2>Island life</h2><p>Ferry to sail twice a day</p>{paragraphs(SENTENCE, OTHER, THIRD)}"
    assert article(body).title == "Ferry to sail twice a day"


def test_a_heading_broken_into_lines_is_one_title():
    body = f"<h1><div>Ferry to sail</div><div>twice a day</div></h1>{paragraphs(SENTENCE, OTHER, THIRD)}"
    assert article(body).title == "Ferry to sail twice a day"


TITLE_LINES = [
    "Ferry to sail",
    "twice a day",
    "Island life",
    "By Ann Dew",
    "The Gazette",
    "2 May 2024",
    "ferry day.",
]
TITLE_TAGS = ["h1", "h2", "h4", "p", "p class=headline", "p class=byline", "a href=/x"]


@given(
    st.lists(st.tuples(st.sampled_from(TITLE_TAGS), st.sampled_from(TITLE_LINES)), max_size=12),
    st.integers(0, 12),
    st.sampled_from(
        ["", "<title>Ferry to sail twice a day - The Gazette</title>", "<title>Island"]
    ),
)
def test_the_best_title_is_the_one_chosen_among_all(lines, place, head):
    markup = [f"<div><{tag}>{text}</{tag.split()[0]}></div>" for tag, text in lines]
    markup.insert(place, paragraphs(SENTENCE, OTHER))
    made = Page.parse(page("".join(markup), head))
    blocks = find_blocks(made)
    body = [block for block in blocks if block.text in (SENTENCE, OTHER)]
    best = find_best_title(made, blocks, body)
    assert best == choose_title(find_title_candidates(made, blocks, body))


NOTICE = "Readers of this paper get every story a day before anybody else, and pay less for it than for a cup of coffee."
TOWNS = ["Averley", "Corran", "Tansy", "Marden"]


@pytest.mark.parametrize(
    "box", ["<p>{}</p></div>", "</div><div><p>{0}</p><p>{0} Really.</p></div>"]
)
def test_shared_blocks_of_a_site_are_not_in_the_body(box):
    stories = [STORY.replace("ferry", town).replace("Islanders", town) for town in TOWNS]
    pages = [page(f"<div>{story}{box.format(NOTICE)}") for story in stories]
    for town, found in zip(TOWNS, unweave.news(pages), strict=True):
        assert town in found.paragraphs[0]
        assert not any(NOTICE in text for text in found.paragraphs)


def test_pages_with_the_same_notices_are_no_copies_of_each_other():
    pages = [
        find_blocks(
            Page.parse(
                f"<p>{NOTICE}</p><p>{NOTICE} Really.</p><p>{town} has nothing to say today.</p>"
            )
        )
        for town in TOWNS
    ]
    assert find_copies(pages) == [0, 1, 2, 3]


def test_one_article_at_two_urls_counts_once():
    pages = [
        f"<p>{SENTENCE}</p><p>{OTHER}</p>",
        f"<p>{THIRD}</p><p>{THIRD} Yes.</p>",
        f"<p>{SENTENCE}</p><p>{OTHER}</p><p>One.</p>",
    ]
    assert find_copies([find_blocks(Page.parse(own)) for own in pages]) == [0, 1, 0]


def test_copies_of_one_page_are_read_as_one():
    found = unweave.news([page(f"<div>{STORY}</div>")] * 5)
    assert {(own.title, own.paragraphs) for own in found} == {
        ("Ferry to sail twice a day", (SENTENCE, OTHER, THIRD))
    }


def test_a_short_sentence_may_open_an_article_and_a_line_may_not():
    found = article(
        f"<h1>Ferry to sail twice a day</h1><p>Harbour news</p><p>Nobody saw it coming.</p>{paragraphs(SENTENCE, OTHER)}"
    )
    assert found.paragraphs[0] == "Nobody saw it coming."


def test_words_about_comments_and_rights_are_text():
    lines = [
        "Comments from the minister draw fire",
        "Copyright law in the islands is changing as well, said the board.",
    ]
    assert set(lines) <= set(
        article(f"<div>{STORY}{paragraphs(*lines, THIRD + ' Yes.')}</div>").paragraphs
    )


def test_the_title_is_not_in_the_body_once_more():
    title = "Ferry to the outer islands is going to sail twice a day from May on, says the board"
    found = article(
        f"<div><h2>{title}</h2>{paragraphs(SENTENCE, OTHER, THIRD)}</div>",
        head=f"<title>{title}</title>",
    )
    assert (found.title, found.paragraphs[0]) == (title, SENTENCE)


def test_hidden_words_in_a_paragraph_hide_only_themselves():
    found = article(f"<div>{STORY}<p><span style='display:none'>Ad</span>{THIRD} Yes.</p></div>")
    assert found.paragraphs[-1] == f"{THIRD} Yes."


def test_date_and_authors_from_metadata():
    data = """<script type="application/ld+json">
      {"@type": "NewsArticle", "headline": "x", "datePublished": "2024-03-05T10:00:00Z",
       "author": [{"name": "Ida Holm"}, {"name": "Per Lund"}]}</script>"""
    found = article(STORY, head=data)
    assert found.date == "2024-03-05T10:00:00+00:00"
    assert found.authors == ("Ida Holm", "Per Lund")


def test_date_and_authors_from_the_byline():
    line = "<p>By Ida Holm and Per Lund | March 5, 2024</p>"
    body = f"<h1>Ferry to sail twice a day</h1>{line}{paragraphs(SENTENCE, OTHER, THIRD)}"
    found = article(body)
    assert found.date == "2024-03-05"
    assert found.authors == ("Ida Holm", "Per Lund")
    assert found.paragraphs == (SENTENCE, OTHER, THIRD)


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Di Leedham", ("Di Leedham",)),
        ("Kim In Sung", ("Kim In Sung",)),
        ("Holm, Ida", ("Holm, Ida",)),
        ("Tom &amp; Ida", ("Tom & Ida",)),
        (["Ida Holm", {"name": "Per Lund"}, 7, None, ["x"]], ("Ida Holm", "Per Lund")),
        ("https://example.org/ida", ()),
        ({"name": {"name": "Ida"}}, ()),
    ],
)
def test_names_in_the_data_are_names_as_they_are(author, names):
    data = json.dumps({"@type": ["NewsArticle", "Thing"], "headline": "x", "author": author})
    assert (
        article(STORY, head=f'<script type="application/ld+json">{data}</script>').authors == names
    )


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("By Ida Holm in Berlin", ("Ida Holm",)),
        ("Von: Ida Holm", ("Ida Holm",)),
        ("By Ida Holm, Monday", ("Ida Holm",)),
        ("By IDA HOLM Associated Press Writer", ("IDA HOLM",)),
        ("By the way", ()),
    ],
)
def test_names_in_a_line(line, names):
    assert article(STORY.replace("</h1>", f"</h1><p>{line}</p>")).authors == names


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ('<meta name=date content="0001-01-01">', None),
        (
            '<meta name=date content="unknown"><meta name=pubdate content="2024-03-05">',
            "2024-03-05",
        ),
        ('<meta name=date content="2024-W10-2">', "2024-03-05"),
        ('<meta name=date content="9999-01-01">', None),
    ],
)
def test_dates_in_the_data(head, date):
    assert article(STORY, head=head).date == date


def test_a_date_in_the_text_is_not_the_date_of_the_text():
    old = "The last ferry sank on 3 March 1995 with all hands, and nobody has forgotten that."
    assert article(STORY.replace("</h1>", f"</h1><p>{old}</p>")).date is None


def test_no_date_and_no_author_where_none_is_given():
    found = article(STORY)
    assert (found.date, found.authors) == (None, ())


def test_an_article_in_a_script_without_spaces():
    text = "港務局星期一表示，從五月一日起，前往外島的渡輪將每天開航兩次，島民可以搭乘晚班船回家，票價維持不變。"
    found = article(
        f"<h1>渡輪每日兩班</h1>{paragraphs(text, text.replace('五', '六'), text.replace('五', '七'))}",
        head="<title>渡輪每日兩班</title>",
    )
    assert found.title == "渡輪每日兩班"
    assert len(found.paragraphs) == 3
    assert 20 < count_words(text) < 30


def test_blocks_are_split_by_elements_and_by_two_breaks():
    blocks = find_blocks(Page.parse("<div>one<br>two<br><br>three <a href=x>four</a><p>five</div>"))
    assert [block.text for block in blocks] == ["one two", "three four", "five"]
    assert [block.linked for block in blocks] == [0, 0.5, 0]


def test_parts_of_a_name():
    assert next(split_title("A | B | C")) == "A | B | C"
    assert set(split_title("A | B | C")) == {"A | B | C", "A | B", "A", "B | C", "B", "C"}


def test_names_of_the_site_do_not_count():
    names = HeadTitles(Page.parse(page("x")), {"The Gazette"})
    assert "The Gazette" not in names.terms
    assert names.measure_similarity(count_terms("Ferry to sail twice a day")) == 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_bounded(one, other):
    a, b = count_terms(one), count_terms(other)
    assert compute_dice(a, b) == compute_dice(b, a)
    assert 0 <= compute_dice(a, b) <= 1
    assert not a or compute_dice(a, a) == 1


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "<div>",
                "</div>",
                "<br>",
                "<h1>",
                "<a href=x>",
                "</a>",
                SENTENCE,
                "Word.",
                "<li>",
                "By A",
            ]
        ),
        max_size=30,
    )
)
def test_any_page_around_a_story_gives_an_article(parts):
    (found,) = unweave.news([page(f"<div>{STORY}</div>x" + "".join(parts))])
    assume(found)
    assert bool(found) == (found.body is not None)
    assert all(text == " ".join(text.split()) for text in found.paragraphs)


def test_no_pages_and_one_page():
    assert unweave.news([]) == []
    assert unweave.news("<p>one page</p>") == unweave.news(["<p>one page</p>"])


def test_hostile_names_and_styles_take_linear_time():
    deep = 200
    hidden = (
        "<div hidden rel=author itemprop=author>" * deep
        + paragraphs(*["Nobody sees this."] * 2_000)
        + "</div>" * deep
    )
    found = article(f"<div>{STORY}</div>{hidden}")
    assert found.paragraphs == (SENTENCE, OTHER, THIRD)
    assert found.authors == ()
    assert article(f"<p>By <a rel=author>Ann Miller</a></p><div>{STORY}</div>{hidden}").authors == (
        "Ann Miller",
    )
