"""What the shop has: products in categories, articles, and stores, all drawn by one seed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import TypeVar

from examples.bigshop.things import DEPARTMENTS, Article, Category, Price, Product, Review, Store
from examples.bigshop.words import BRANDS, COLOURS, MATERIALS, Words

Item = TypeVar("Item")

PRODUCTS_A_PAGE = 24
ARTICLES_A_PAGE = 12
FEWEST_PAGES = 80
MOST_PAGES = 20_000

_SINGLE_PAGES = 5
_FEWEST_ARTICLES = 26
_FEWEST_STORES = 8
_MOST_STORES = 120
_PRODUCTS_A_CATEGORY = 46
_TAGS = (
    "repair|interview|recipes|care|small flats|winter|wood|clay|wool|at the maker’s|gardens".split(
        "|"
    )
)
_NEWEST = date(2024, 9, 30)


class Shop:
    """Everything that the pages tell. The number of pages that it needs is exactly the one that is asked for."""

    def __init__(self, pages: int, seed: int) -> None:
        if not FEWEST_PAGES <= pages <= MOST_PAGES:
            raise ValueError(f"a shop has {FEWEST_PAGES} to {MOST_PAGES} pages, not {pages}")
        self.seed = seed
        articles = max(_FEWEST_ARTICLES, pages // 8)
        stores = max(_FEWEST_STORES, min(pages * 3 // 100, _MOST_STORES))
        index = len(chunks(range(articles), ARTICLES_A_PAGE))
        self.categories, spare = self._filled(pages - _SINGLE_PAGES - stores - articles - index)
        """The products of every category."""
        self.articles = self._written(articles)
        """The articles, newest first. No two have the same title."""
        self.stores = self._opened(stores + spare)
        """The stores by town."""

    def chance(self, *about: object) -> Random:
        """A chance of its own for everything, so that nothing depends on the order in which things are made."""
        return Random(f"{self.seed} {about}")

    @cached_property
    def products(self) -> list[Product]:
        """All products."""
        return [product for products in self.categories.values() for product in products]

    def _filled(self, pages: int) -> tuple[dict[Category, list[Product]], int]:
        """Categories with products for a number of pages, and how many pages are left: a product may need two."""
        chance = self.chance("categories")
        every = [
            Category(thing, department)
            for department, things in DEPARTMENTS.items()
            for thing in things
        ]
        count = max(2, min(len(every), pages // _PRODUCTS_A_CATEGORY))
        chosen = sorted(chance.sample(every, count), key=every.index)
        filled: dict[Category, list[Product]] = {category: [] for category in chosen}
        weights = [chance.uniform(0.5, 1.6) for _ in chosen]
        number = 1000
        while pages > 1:
            category = chance.choices(chosen, weights)[0]
            pages -= 1 if len(filled[category]) % PRODUCTS_A_PAGE else 2
            number += chance.randint(1, 4)
            filled[category].append(self._product(number, category))
        return filled, pages

    def _written(self, count: int) -> list[Article]:
        words = Words(self.chance("headlines"))
        titles: dict[str, None] = {}
        while len(titles) < count:
            titles[words.headline()] = None
        written = [self._article(number, title) for number, title in enumerate(titles, 1)]
        return sorted(written, key=lambda article: article.day, reverse=True)

    def _opened(self, count: int) -> list[Store]:
        words = Words(self.chance("towns"))
        towns: dict[str, None] = {}
        while len(towns) < count:
            towns[words.town()] = None
        return [self._store(town) for town in sorted(towns)]

    def _product(self, number: int, category: Category) -> Product:
        chance = self.chance("product", number)
        words = Words(chance)
        material, colour = (
            chance.choice(MATERIALS[category.department].split("|")),
            chance.choice(COLOURS),
        )
        price = Price(
            chance.choice([99, 50, 0, 90, 95]) + 100 * int(4 + 30 * chance.lognormvariate(0, 1))
        )
        is_sold_out, is_reduced = chance.random() < 0.07, chance.random() < 0.22
        has_ratings = chance.random() < 0.85
        stars = chance.uniform(2.6, 4.9)
        return Product(
            number,
            f"{words.model()} {category.thing}, {chance.choice([material, colour])}",
            category,
            None if is_sold_out else price,
            Price(round(price.cents * chance.uniform(1.1, 1.6) / 100) * 100)
            if is_reduced and not is_sold_out
            else None,
            "Sold out"
            if is_sold_out
            else chance.choice(
                ["In stock", "In stock", "In stock, 3 left", "Ready in 2 to 3 weeks"]
            ),
            round(stars, 1) if has_ratings else None,
            chance.randint(8, 240) if has_ratings else 0,
            _specifications(chance, number, category, material, colour),
            tuple(words.praise() for _ in range(chance.randint(1, 3))),
            tuple(_reviews(chance, stars)) if has_ratings else (),
        )

    def _article(self, number: int, title: str) -> Article:
        words = Words(self.chance("article", number))
        chance = words.chance
        return Article(
            number,
            title,
            words.person(),
            _NEWEST - timedelta(days=chance.randint(0, 1400)),
            words.paragraph(1, 1),
            tuple(words.paragraph() for _ in range(chance.randint(4, 20))),
            tuple(sorted(chance.sample(_TAGS, chance.randint(1, 5)))),
        )

    def _store(self, town: str) -> Store:
        words = Words(self.chance("store", town))
        chance = words.chance
        opens, closes = (
            chance.choice(["8:30", "9:00", "9:30", "10:00"]),
            chance.choice(["18:00", "18:30", "19:00", "20:00"]),
        )
        week = [f"{opens} – {closes}"] * 5
        if chance.random() < 0.4:
            week[chance.randrange(5)] = f"{opens} – {chance.choice(['12:30', '13:00', '21:00'])}"
        weekend = [f"{opens} – {chance.choice(['14:00', '16:00', '17:00'])}", "closed"]
        return Store(
            town,
            words.street(),
            str(chance.randint(1001, 9899)),
            f"0555 {chance.randint(100, 999):03} {chance.randint(100, 999):03}",
            words.person(),
            (*week, *weekend),
        )


def _specifications(
    chance: Random, number: int, category: Category, material: str, colour: str
) -> tuple[tuple[str, str], ...]:
    """Rows of a label and a value. Some are missing, and neighbours change places now and then."""
    size = [chance.randint(4, 180) for _ in range(3)]
    own = {
        "Light": ("Socket", chance.choice(["E14", "E27", "GU10", "LED, built in"])),
        "Kitchen": ("Capacity", f"{chance.randint(2, 60) / 10:.1f} l"),
        "Textiles": ("Care", chance.choice(["Wash at 30 °C", "Wash at 60 °C", "Dry clean only"])),
    }
    rows = [
        (1.0, "Brand", chance.choice(BRANDS)),
        (0.85, "Material", material.capitalize()),
        (0.75, "Colour", colour.capitalize()),
        (0.85, "Weight", f"{chance.randint(1, 240) / 10:.1f} kg"),
        (0.7, "Dimensions", f"{size[0]} × {size[1]} × {size[2]} cm"),
        *((0.8, *row) for row in [own.get(category.department)] if row),
        (0.55, "Warranty", f"{chance.randint(2, 10)} years"),
        (0.15, "Designed by", Words(chance).person()),
        (1.0, "Article number", f"QM-{number:05}"),
    ]
    kept = [(label, text) for share, label, text in rows if chance.random() < share]
    if chance.random() < 0.3:
        place = chance.randrange(len(kept) - 1)
        kept[place], kept[place + 1] = kept[place + 1], kept[place]
    return tuple(kept)


def _reviews(chance: Random, stars: float) -> list[Review]:
    words = Words(chance)
    count = chance.choice([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8])
    return [
        Review(
            words.reviewer(),
            _NEWEST - timedelta(days=chance.randint(1, 900)),
            max(1, min(5, round(chance.gauss(stars, 0.9)))),
            words.opinion(),
        )
        for _ in range(count)
    ]


def chunks(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Items in pages of a size."""
    return [items[begin : begin + size] for begin in range(0, len(items), size)]
