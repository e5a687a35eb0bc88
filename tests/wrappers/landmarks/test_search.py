"""The smallest extraction problem: the paper's running example, its errata, and the searches against slow definitions."""

import inspect
import re
import sys
from functools import cache
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unweave
from tests.oracles import incompressible, smallest_extraction
from unweave.wrappers.landmarks.costs import IncompressibleCost
from unweave.wrappers.landmarks.exact import (
    compute_common_length,
    compute_lower_bound,
    find_removable_tokens,
    is_root_of_best_tree,
    search_exact,
)
from unweave.wrappers.landmarks.regions import TokenTable, build_token_table, count_tokens
from unweave.wrappers.landmarks.search import (
    Greedy,
    Ties,
    WorkBudget,
    compute_cost,
    search_astar,
    search_greedy,
    search_random,
)
from unweave.wrappers.landmarks.tokens import (
    UNMATCHED,
    Landmark,
    Token,
    TokenSequence,
    TokenUnit,
    list_conditions,
    list_generalizations,
    tokenize,
)


def tokens(row: str) -> TokenSequence:
    """TokenSequence parted by spaces: ``<b>`` begins an element, ``</b>`` ends it, ``<br/>`` is both, others are words.

    ``<b:odd>`` is an element of the class odd.
    """
    found, partners, open_ = [], [], []
    for word in row.split():
        name = word.strip("</>")
        partners.append(len(found))
        if word.startswith("</"):
            if open_ and open_[-1][0] == name:
                start = open_.pop()[1]
                partners[start], partners[-1] = len(found), start
            else:
                partners[-1] = UNMATCHED
            found.append(Token(None))
        elif word.startswith("<"):
            if not word.endswith("/>"):
                open_.append((name, len(found)))
            tag, _, style = name.partition(":")
            attributes = {"class": style} if style else {}
            found.append(Token(None, tag, list_conditions(attributes)))
        else:
            found.append(Token(word, text_node=len(found)))
    for _, start in open_:
        partners[start] = UNMATCHED
    return TokenSequence(found, partners)


def sample(*rows: str, k: int = 2) -> TokenTable:
    return build_token_table([tokens(row) for row in rows], k)


HEAD = "<b> Title </b> <div> Price </div> Descr. <div> {} </div> <br/> <span> {} </span> {}"
EVERYTHING = HEAD.format("The Price of Everything", "35.22", "A US documentary")
STAR_WARS = HEAD.format("Star Wars", "9.98", "The saga directed by <b> G. Lucas </b>")


def landmarks(own: TokenTable, regions) -> set[str]:
    return {str(own.landmarks[split.landmark]) for split in own.find_splits(regions)}


def split_at(own: TokenTable, regions, name: str):
    return next(
        split for split in own.find_splits(regions) if str(own.landmarks[split.landmark]) == name
    )


def test_the_running_example_has_the_candidates_of_the_paper():
    own = sample(EVERYTHING, STAR_WARS)
    assert [stop for _, _, stop in own.whole_pages] == [20, 23]
    assert landmarks(own, own.whole_pages) == {"<br>", "<span>", '"Descr."', '"The"', '"Title"'}
    left, _, _ = own.split_regions(own.whole_pages, split_at(own, own.whole_pages, "<br>"))
    assert "<b>" in landmarks(own, left)
    assert IncompressibleCost(own, own.whole_pages).cost == 14


@pytest.mark.parametrize(
    "find",
    [search_exact, search_greedy, search_astar],
    ids=["branch and bound", "greedy", "A*"],
)
def test_the_running_example_has_the_optimum_of_table_1(find):
    own = sample(EVERYTHING, STAR_WARS)
    assert find(own).cost == 8 + 11


@pytest.mark.parametrize(("root", "best"), [('"The"', 27), ('"Title"', 23), ("<br>", 19)])
def test_roots_of_the_running_example_that_are_worse_than_others(root, best):
    own = sample(EVERYTHING, STAR_WARS)
    finished, parts = own.apply_split(own.whole_pages, split_at(own, own.whole_pages, root))
    assert finished + sum(smallest_extraction(own, part) for part in parts) == best


def test_figure_2b_leaves_more_than_figure_2a():
    own = sample(EVERYTHING, STAR_WARS)
    decisions, regions = {}, own.whole_pages
    for name in ('"Descr."',):
        decisions[regions] = split_at(own, regions, name)
    left, _, right = own.split_regions(regions, decisions[regions])
    decisions[left] = split_at(own, left, '"Price"')
    first, _, _ = own.split_regions(left, decisions[left])
    decisions[first] = split_at(own, first, '"Title"')
    assert (
        compute_cost(own, decisions) - count_tokens(right) == 8
    )  # <b>, </b> <div> and </div> of both pages
    assert smallest_extraction(own, right) == 8 + 11


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
    wrapper = unweave.learn(FILMS, method="landmark", **options)
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
    assert [list(unweave.apply(wrapper, page)[0].values()) for page in FILMS] == FILM_FIELDS


def test_figure_2b_is_a_grammar_that_extracts_parts_of_the_template():
    """ "Descr." at the root, "Price" to its left and "Title" to the left of that: Table 2, with 12 and 15 tokens.

    Trees at random are such trees now and then. They may miss landmarks among the elements around every page, too, each
    of which is two tokens on both pages.
    """
    branch = re.compile(
        r'→ (part_\d+) "Descr\." part_\d+\n\1 → (part_\d+) "Price"\n\2 → (part_\d+ )?"Title"$',
        re.MULTILINE,
    )
    pages = [unweave.load_page(page) for page in FILMS]
    found = 0
    for seed in range(300):
        wrapper = unweave.learn(pages, method="landmark", search="random", seed=seed)
        grammar = "\n".join(wrapper.format_pattern())
        values = [list((unweave.apply(wrapper, page)[0] or {}).values()) for page in pages]
        if branch.search(grammar) and values == FILM_FIELDS:
            found += 1
            missing = sum(tag not in grammar for tag in ("<html>", "<head>", "<body>"))
            assert wrapper.cost == 12 + 15 + 4 * missing
    assert found


def test_the_bound_of_the_paper_misleads_its_search():
    own = sample("u c a b", "a b c b")
    assert compute_cost(own, search_astar(own, is_printed=True).tree) == 6
    assert (
        search_astar(own).cost
        == search_exact(own).cost
        == smallest_extraction(own, own.whole_pages)
        == 4
    )


def test_a_tag_that_lost_its_partner_is_no_landmark_and_counts_as_one_of_its_kind():
    own = sample("<p> a", "<p> a", "<p> </p> b", "<p> </p> b")
    assert "<p>" not in landmarks(own, own.whole_pages)
    assert "<p>" in landmarks(own, own.whole_pages[2:])


@st.composite
def rows(draw, depth=0):
    parts = []
    for _ in range(draw(st.integers(0, 4 if depth < 2 else 1))):
        name = draw(st.sampled_from("abcdexyz"))
        style = draw(st.sampled_from(["", "", ":odd", ":even"]))
        element = f"<{name}{style}> {draw(rows(depth + 1))} </{name}{style}>"
        parts.append(element if name in "xyz" and depth < 3 else name)
    return " ".join(parts)


samples = st.builds(
    lambda pages, k: sample(*pages, k=k),
    st.lists(rows(), min_size=1, max_size=4),
    st.integers(min_value=1, max_value=3),
)


@given(samples, st.randoms(use_true_random=False))
def test_one_sweep_counts_what_every_split_leaves(own, chance):
    assume(own.find_splits(own.whole_pages))
    waiting = [own.whole_pages]
    while waiting:
        regions = waiting.pop()
        splits = own.find_splits(regions)
        sweep = IncompressibleCost(own, regions)
        assert sweep.cost == incompressible(own, regions)
        expected = []
        for split in splits:
            finished, parts = own.apply_split(regions, split)
            expected.append(finished + sum(incompressible(own, part) for part in parts))
        assert sweep.compute_after(splits, cutoff=10**6) == expected
        if splits:
            left = IncompressibleCost(own, regions).compute_after(splits)
            assert min(left) == min(expected)
            assert [value == min(left) for value in left] == [
                value == min(left) for value in expected
            ]
            waiting.extend(own.apply_split(regions, chance.choice(splits))[1])


@settings(max_examples=200)
@given(samples)
def test_branch_and_bound_and_a_star_find_the_optimum(own):
    optimum = smallest_extraction(own, own.whole_pages)
    best = search_exact(own)
    assert best.cost == best.bound == compute_cost(own, best.tree) == optimum
    if count_tokens(own.whole_pages) < 20:
        assert search_astar(own).cost == optimum


@given(samples, st.integers(0, 200))
def test_with_a_budget_the_optimum_is_between_the_bound_and_a_tree_no_worse_than_the_greedy_one(
    own, budget
):
    best = search_exact(own, budget=budget)
    assert (
        best.bound
        <= smallest_extraction(own, own.whole_pages)
        <= best.cost
        <= search_greedy(own).cost
    )
    assert compute_cost(own, best.tree) == best.cost


@given(samples, st.randoms(use_true_random=False))
def test_no_tree_leaves_less_than_the_bounds_say(own, chance):
    waiting = [own.whole_pages]
    while waiting:
        regions = waiting.pop()
        optimum = smallest_extraction(own, regions)
        for max_steps in (0, 40, 10**6):
            removable = find_removable_tokens(own, regions, max_steps=max_steps)
            assert compute_lower_bound(own, regions, removable) <= optimum
        assert compute_lower_bound(own, regions, removable) >= incompressible(own, regions)
        splits = own.find_splits(regions)
        for split in splits:
            if is_root_of_best_tree(own, regions, split, removable):
                finished, parts = own.apply_split(regions, split)
                assert finished + sum(smallest_extraction(own, part) for part in parts) == optimum
        if splits:
            waiting.extend(own.apply_split(regions, chance.choice(splits))[1])


def test_tokens_that_nothing_can_part_are_never_landmarks():
    own = sample("<li> a </li> <li> b </li>", "<li> c </li> <li> d </li>")
    assert IncompressibleCost(own, own.whole_pages).cost == 4  # a, b, c, d
    assert compute_lower_bound(
        own, own.whole_pages, find_removable_tokens(own, own.whole_pages)
    ) == count_tokens(own.whole_pages)
    parted = sample("<li> a </li> x <li> b </li>", "<li> c </li> x <li> d </li>")
    assert (
        compute_lower_bound(
            parted, parted.whole_pages, find_removable_tokens(parted, parted.whole_pages)
        )
        == search_exact(parted).cost
        == 4
    )


def test_a_tag_is_parted_from_another_that_was_a_landmark_by_its_class():
    own = sample("<ul> a </ul> <ul:more> b </ul:more>", "<ul> c </ul> <ul:more> d </ul:more>")
    assert (
        compute_lower_bound(own, own.whole_pages, find_removable_tokens(own, own.whole_pages))
        == search_exact(own).cost
        == 4
    )


def test_where_all_regions_are_needed_landmarks_keep_their_order():
    own = sample("a b c d", "d c b a")
    assert IncompressibleCost(own, own.whole_pages).cost == 0
    assert (
        compute_lower_bound(own, own.whole_pages, find_removable_tokens(own, own.whole_pages))
        == search_exact(own).cost
        == 6
    )


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_longest_common_subsequence(left, right):
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            rows[i + 1][j + 1] = (
                rows[i][j] + 1 if one == other else max(rows[i][j + 1], rows[i + 1][j])
            )
    assert compute_common_length(left, right) == rows[-1][-1]


@given(samples)
def test_splits_are_counted_once_and_for_every_region(own):
    by_greedy, by_a_star = search_greedy(own), search_astar(own, budget=2000)
    assert by_greedy.splits.total == len(by_greedy.tree)
    for found in (by_greedy, by_a_star, search_exact(own)):
        assert found.splits.total >= len(found.tree)
        assert (
            own.k * found.splits.total
            <= found.splits.by_region_size.total()
            <= len(own.whole_pages) * found.splits.total
        )


@given(samples, st.integers(0, 60), st.booleans())
def test_a_star_with_a_budget_leaves_no_more_than_greedy_and_knows_a_bound(own, budget, is_printed):
    found = search_astar(own, budget=budget, is_printed=is_printed)
    assert (
        found.bound
        <= smallest_extraction(own, own.whole_pages)
        <= found.cost
        == compute_cost(own, found.tree)
    )


def test_a_star_without_work_gives_the_greedy_tree(monkeypatch):
    own = shuffled(30)
    monkeypatch.setattr("unweave.wrappers.landmarks.search.MAX_WORK", 5000)
    found = search_astar(own)
    assert found.tree == search_greedy(own).tree
    assert found.bound < found.cost


@given(samples, st.integers())
def test_trees_of_all_searches_end_where_no_candidate_is_left(own, seed):
    assume(own.find_splits(own.whole_pages))
    for decisions in (
        search_greedy(own, ties=Ties.RANDOM, random=Random(seed)).tree,
        search_random(own, Random(seed)).tree,
        search_exact(own, budget=30).tree,
    ):
        waiting = [own.whole_pages]
        while waiting:
            regions = waiting.pop()
            assert (regions in decisions) == bool(own.find_splits(regions))
            if regions in decisions:
                waiting.extend(own.apply_split(regions, decisions[regions])[1])


def test_ties_go_to_texts_then_to_longer_ones_then_to_what_is_higher_in_the_page():
    own = sample("<x> aa </x> bbb <br/>", "<x> aa </x> bbb <br/>")
    ordered = sorted(own.find_splits(own.whole_pages), key=lambda split: split.rank)
    assert [str(own.landmarks[split.landmark]) for split in ordered] == [
        '"bbb"',
        '"aa"',
        "<x>",
        "<br>",
    ]


def test_work_that_runs_out_leaves_what_is_not_yet_split():
    own = sample("a b c d e f", "a b c d e f")
    work = WorkBudget(83)
    search = Greedy(own, work=work)
    assert search.choose_split(own.whole_pages)[0] is not None  # 12 tokens, 12 marks, and 16 moves
    assert 0 <= work.left <= 20
    assert search.choose_split(((0, 0, 5), (1, 0, 5))) == (None, 0)  # 10 tokens and as many marks
    assert (
        compute_cost(own, search_exact(own, budget=0).tree) == 0
    )  # the greedy tree is not part of that budget


def shuffled(words: int, pages: int = 3) -> TokenTable:
    """Pages of the same words in different orders: every split moves nearly all tokens from side to side."""
    chance = Random(1)
    return sample(
        *(
            " ".join(chance.sample([f"w{number}" for number in range(words)], words))
            for _ in range(pages)
        )
    )


def test_a_set_whose_splits_move_all_tokens_costs_no_more_than_its_work():
    own = shuffled(300)
    work = WorkBudget(20_000)
    split, _ = Greedy(own, work=work).choose_split(own.whole_pages)
    assert split is not None
    assert (
        -2 * count_tokens(own.whole_pages) <= work.left <= 0
    )  # what one split more than allowed moves


def moved_tokens(monkeypatch, own: TokenTable, **options: int) -> int:
    """How many tokens the exact search moves."""
    moved = 0
    move = IncompressibleCost._move_tokens

    def counted(sweep, first, last, side):
        nonlocal moved
        moved += max(0, last - first)
        move(sweep, first, last, side)

    with monkeypatch.context() as patch:
        patch.setattr(IncompressibleCost, "_move_tokens", counted)
        best = search_exact(own, **options)
    assert best.bound <= best.cost == compute_cost(own, best.tree)
    return moved


def test_the_exact_search_moves_no_more_tokens_than_its_work(monkeypatch):
    own = shuffled(100)
    of_greedy_tree = moved_tokens(monkeypatch, own, budget=0)
    monkeypatch.setattr("unweave.wrappers.landmarks.exact.MAX_WORK", 50_000)
    assert (
        10_000
        < moved_tokens(monkeypatch, own) - of_greedy_tree
        < 50_000 + 4 * count_tokens(own.whole_pages)
    )


def test_without_time_for_the_greedy_tree_no_better_one_is_looked_for(monkeypatch):
    own = shuffled(200)
    monkeypatch.setattr("unweave.wrappers.landmarks.search.MIN_GREEDY_WORK", 30_000)
    monkeypatch.setattr("unweave.wrappers.landmarks.search.GREEDY_WORK_PER_PAGE", 10_000)
    assert 20_000 < moved_tokens(monkeypatch, own) < 30_000 + 4 * count_tokens(own.whole_pages)


def test_a_deep_tree_needs_no_deep_stack():
    words = 200  # every landmark parts one word from the rest
    row = " ".join(f"w{number:03}" for number in range(words))
    own = sample(row, row)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + words // 2)
    try:
        best = search_exact(own, budget=10**9)
    finally:
        sys.setrecursionlimit(limit)
    assert best.cost == 0
    assert depth(own, best.tree) == words - 1


def depth(own: TokenTable, decisions) -> int:
    """How many splits follow each other from the whole pages to a leaf, at most."""
    deepest = 0
    waiting = [(own.whole_pages, 0)]
    while waiting:
        regions, above = waiting.pop()
        deepest = max(deepest, above)
        if regions in decisions:
            waiting.extend(
                (part, above + 1) for part in own.apply_split(regions, decisions[regions])[1]
            )
    return deepest


# ---- tokens ----------------------------------------------------------------------------------------------------


def spelled(markup: str, unit: TokenUnit = TokenUnit.WORDS) -> str:
    page = tokenize(unweave.load_page(markup), unit, attributes=False)
    return " ".join(
        token.text or (f"<{token.tag}>" if token.tag else f"</{page.tokens[partner].tag}>")
        for token, partner in zip(page.tokens, page.partners, strict=True)
    )


def test_tokens_of_a_page_stand_in_its_order():
    markup = "<p>One <b>two</b> three<br>four</p><ul><li>five<li>six</ul>seven"
    inner = (
        "<p> One <b> two </b> three <br> four </p> <ul> <li> five </li> <li> six </li> </ul> seven"
    )
    assert spelled(markup) == f"<html> <head> </head> <body> {inner} </body> </html>"


def test_a_text_may_be_one_token():
    page = tokenize(
        unweave.load_page("<p>One two <b>three</b></p>"), TokenUnit.TEXTS, attributes=False
    )
    assert [token.text for token in page.tokens if token.text] == ["One two", "three"]


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<b>", "</b>", "<br>", "<ul>", "<li>", "one two", " three"]
        ),
        max_size=15,
    )
)
def test_partners_nest_and_texts_keep_their_words(parts):
    page = unweave.load_page("<body>" + "".join(parts) + "&nbsp;.")
    for unit in TokenUnit:
        row = tokenize(page, unit, attributes=False)
        assert [row.partners[partner] for partner in row.partners] == list(range(len(row.tokens)))
        depth = 0
        for place, partner in enumerate(row.partners):
            depth += (partner > place) - (partner < place)
            assert depth >= 0
        assert row.join_text(0, len(row.tokens)) == page.text()


def test_the_lattice_of_figure_5():
    traits = list_conditions({"class": "odd", "align": "x", "bgcolor": "red"})
    names = {str(own) for count in range(3) for own in list_generalizations("tr", traits, count)}
    assert names == {
        "<tr>",
        '<tr class="odd">',
        "<tr class=*>",
        "<tr align=*>",
        '<tr align=* class="odd">',
        "<tr align=* class=*>",
    }


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
    """The row of the figure gets its most general name that no other row of the page has: of those, there are two each."""

    def page(style, value):
        rows = "".join(f"<tr {other}><td>{value}</td></tr>" * 2 for other in others)
        return f"<table><tr class={style} align=x bgcolor=red><td>wanted {value}</td></tr>{rows}</table>"

    pages = [
        page(style, value) for style, value in zip(classes.split(), ("one", "two"), strict=True)
    ]
    wrapper = unweave.learn(pages, method="landmark")
    learned = [
        str(node.landmark) for node in wrapper.nodes if node.landmark and node.landmark.tag == "tr"
    ]
    assert learned == ([landmark] if landmark else [])
    fields, _ = unweave.apply(wrapper, page("odd", "three"))
    assert ("three" in fields.values()) == bool(landmark)
    plain = unweave.learn(pages, method="landmark", attributes=False)
    assert (plain.cost > wrapper.cost) == (landmark not in (None, "<tr>"))


@cache
def shop(number: int) -> str:
    return f"<body><div class=name>Kettle {number}</div><div class=price>{number} euro</div><div>odd {number * 7}</div>"


def test_attributes_make_a_landmark_of_what_a_name_alone_is_not():
    pages = [unweave.load_page(shop(number)) for number in (3, 5)]
    plain, dynamic = (
        build_token_table(
            [tokenize(page, TokenUnit.WORDS, attributes=attributes) for page in pages], 2
        )
        for attributes in (False, True)
    )
    assert '<div class="price">' in landmarks(dynamic, dynamic.whole_pages)
    assert not any(name.startswith("<div") for name in landmarks(plain, plain.whole_pages))
    assert search_exact(dynamic).cost < search_exact(plain).cost


def test_of_landmarks_at_the_same_places_the_most_general_is_taken():
    pages = [unweave.load_page(f"<body><p class=x id=y>{number}</p>") for number in (3, 5)]
    own = build_token_table([tokenize(page, TokenUnit.WORDS, attributes=True) for page in pages], 2)
    assert {str(name) for name in own.landmarks} >= {"<p>"}
    assert landmarks(own, own.whole_pages) == {"<html>", "<head>", "<body>", "<p>"}


def test_a_landmark_is_text_or_a_tag_with_its_end():
    assert (str(Landmark("Price:")), Landmark("Price:").end_tag) == ('"Price:"', "")
    assert (str(Landmark(None, "br")), Landmark(None, "br").end_tag) == ("<br>", "")
    assert Landmark(None, "div").end_tag == "</div>"
