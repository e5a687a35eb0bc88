"""Learning landmark grammars: the figures and tables of the paper, and its errors."""

import re

import pytest

import unweave
from tests.extraction import extract
from unweave.errors import UsageError, WrapperError
from unweave.wrappers.landmarks.learn import LandmarkLearner

FILM = "<b>Title</b><div>Price</div>Descr.<div>{}</div><br><span>{}</span>{}"


FILMS = [
    FILM.format("The Price of Everything", "35.22", "A US documentary"),
    FILM.format("Star Wars", "9.98", "The saga directed by <b>G. Lucas</b>"),
]


FILM_FIELDS = [
    ["The Price of Everything", "35.22", "A US documentary"],
    ["Star Wars", "9.98", "The saga directed by G. Lucas"],
]


AROUND = [
    "part_1 → <html> part_2 </html>",
    "part_2 → <head> </head> part_3",
    "part_3 → <body> part_4 </body>",
]


@pytest.mark.parametrize(
    "options", [{"search": "astar"}, {"variant": "printed"}], ids=["corrected", "printed"]
)
def test_figure_2a_is_the_grammar_that_the_search_of_the_paper_learns(options):
    """The root is the line break, and the path of <B> goes to the left of it once (section 3.1)."""
    wrapper = unweave.learn(FILMS, method=LandmarkLearner(**options))
    assert list(wrapper.format_pattern()) == [
        *AROUND,
        "part_4 → part_5 <br> part_11",
        "part_5 → <b> part_6 </b> part_7",
        'part_6 → "Title"',
        'part_7 → part_8 "Descr." part_10',
        "part_8 → <div> part_9 </div>",
        'part_9 → "Price"',
        "part_10 → <div> field_1 </div>",
        "part_11 → <span> field_2 </span> field_3",
    ]
    assert wrapper.cost == 8 + 11
    assert [list(extract(wrapper, page)[0].values()) for page in FILMS] == FILM_FIELDS


def test_figure_2b_is_a_grammar_that_extracts_parts_of_the_template():
    """ "Descr." at the root, "Price" and "Title" to the left: Table 2, with 12 and 15 tokens.

    Some random trees are such trees. They may also miss landmarks among the elements around every
    page, each of which is two tokens on both pages.
    """
    branch = re.compile(
        r'→ (part_\d+) "Descr\." part_\d+\n\1 → (part_\d+) "Price"\n\2 → (part_\d+ )?"Title"$',
        re.MULTILINE,
    )
    pages = [unweave.load_page(page) for page in FILMS]
    found = 0
    for seed in range(300):
        wrapper = unweave.learn(pages, method=LandmarkLearner(search="random", seed=seed))
        grammar = "\n".join(wrapper.format_pattern())
        values = [list((extract(wrapper, page)[0] or {}).values()) for page in pages]
        if branch.search(grammar) and values == FILM_FIELDS:
            found += 1
            missing = sum(tag not in grammar for tag in ("<html>", "<head>", "<body>"))
            assert wrapper.cost == 12 + 15 + 4 * missing
    assert found


@pytest.mark.parametrize(
    ("classes", "others", "landmark"),
    [
        ("odd odd", [], "<tr>"),
        ("odd odd", ["class=even align=y"], '<tr class="odd">'),
        ("odd even", ["align=y"], "<tr class=*>"),
        ("odd odd", ["class=odd"], "<tr align=*>"),
        ("odd odd", ["class=odd", "class=even align=y"], '<tr align=* class="odd">'),
        ("odd even", ["class=odd", "class=even", "align=y"], "<tr align=* class=*>"),
        ("odd odd", ["class=odd align=y bgcolor=blue"], None),  # colours do not tell rows apart
    ],
)
def test_the_lattice_of_figure_5_as_landmarks_of_a_wrapper(classes, others, landmark):
    """The landmark of the row is the most general that matches no other row; others occur twice."""

    def page(style, value):
        rows = "".join(f"<tr {other}><td>{value}</td></tr>" * 2 for other in others)
        row = f"<tr class={style} align=x bgcolor=red><td>first {value}</td></tr>"
        return f"<table>{row}{rows}</table>"

    pages = [
        page(style, value) for style, value in zip(classes.split(), ("one", "two"), strict=True)
    ]
    wrapper = unweave.learn(pages, method="landmark")
    learned = [
        str(node.landmark) for node in wrapper.nodes if node.landmark and node.landmark.tag == "tr"
    ]
    assert learned == ([landmark] if landmark else [])
    fields, _ = extract(wrapper, page("odd", "three"))
    assert ("three" in fields.values()) == bool(landmark)
    plain = unweave.learn(pages, method=LandmarkLearner(attributes=False))
    assert (plain.cost > wrapper.cost) == (landmark not in (None, "<tr>"))


@pytest.mark.parametrize("search", ["exact", "astar", "greedy"])
def test_table_1_is_found_by_all_searches(search):
    wrapper = unweave.learn(FILMS, method=LandmarkLearner(search=search))
    assert wrapper.cost == 8 + 11
    assert list(extract(wrapper, FILMS[0])[0].values()) == FILM_FIELDS[0]
    landmarks = sum(node.landmark is not None for node in wrapper.nodes)
    assert wrapper.splits == landmarks if search == "greedy" else wrapper.splits >= landmarks


def test_the_printed_estimate_of_section_5_1_misses_the_optimum():
    pages = ["<p>u c a b</p>", "<p>a b c b</p>"]
    printed, corrected, default = (
        unweave.learn(pages, method=LandmarkLearner(**options))
        for options in ({"variant": "printed"}, {"search": "astar"}, {})
    )
    assert (printed.cost, corrected.cost, default.cost) == (6, 4, 4)
    assert printed.bound < printed.cost
    assert corrected.bound == default.bound == 4
    assert (
        unweave.learn(pages, method=LandmarkLearner(search="astar", variant="printed")) == printed
    )


def test_the_seed_determines_a_random_tree():
    first, same, *others = (
        unweave.learn(FILMS, method=LandmarkLearner(search="random", seed=seed))
        for seed in (3, 3, 4, 5, 6, 7)
    )
    assert first == same
    assert any(other != first for other in others)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "best"}, "unknown search 'best'; choose from exact, astar, greedy, random"),
        ({"tokens": "letters"}, "unknown tokens 'letters'"),
        ({"ties": "x"}, "unknown ties 'x'"),
        ({"budget": -1}, "budget must be at least 0, not -1"),
        ({"variant": "best"}, "unknown variant 'best'; choose from printed, corrected, improved"),
        ({"k": 0}, "k must be at least 1, not 0"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(UsageError, match=message):
        unweave.learn(FILMS, method=LandmarkLearner(**options))


def test_pages_without_landmarks():
    with pytest.raises(WrapperError, match="no landmark"):
        unweave.learn(FILMS[:1], method="landmark")
