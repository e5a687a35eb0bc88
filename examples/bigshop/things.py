"""The things that the pages tell of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from examples.bigshop.words import slug

DEPARTMENTS: dict[str, tuple[str, ...]] = {
    "Light": ("table lamp", "floor lamp", "pendant lamp", "wall lamp", "lantern", "candle holder"),
    "Kitchen": (
        "saucepan",
        "kettle",
        "mixing bowl",
        "chopping board",
        "bread knife",
        "teapot",
        "storage jar",
    ),
    "Living": ("armchair", "side table", "bookshelf", "wall clock", "mirror", "vase"),
    "Textiles": ("rug", "cushion", "blanket", "curtain", "table cloth"),
    "Bath & bed": ("bath towel", "pillow", "laundry basket", "soap dish", "bath mat", "duvet"),
    "Garden": ("planter", "garden bench", "watering can", "bird house", "parasol", "lawn rake"),
}
"""The things of each department; each is a category."""

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Price:
    """An amount of money."""

    cents: int

    @property
    def text(self) -> str:
        """As the shop writes it."""
        return f"€ {self.value:,.2f}"

    @property
    def value(self) -> float:
        """The number."""
        return self.cents / 100


@dataclass(frozen=True)
class Category:
    """A kind of thing."""

    thing: str
    department: str

    @property
    def name(self) -> str:
        """What the menu says."""
        plural = {
            "bookshelf": "bookshelves",
            "bread knife": "bread knives",
            "soap dish": "soap dishes",
        }
        return plural.get(
            self.thing, self.thing + ("es" if self.thing.endswith("ch") else "s")
        ).capitalize()

    @property
    def path(self) -> str:
        """The address of its first page."""
        return f"/shop/{slug(self.name)}/"


@dataclass(frozen=True)
class Review:
    """What somebody thinks of a product."""

    author: str
    day: date
    stars: int
    text: str


@dataclass(frozen=True)
class Product:
    """Something to be sold."""

    number: int
    title: str
    category: Category
    price: Price | None
    """None if it is sold out."""
    old_price: Price | None
    availability: str
    rating: float | None
    ratings: int
    specifications: tuple[tuple[str, str], ...]
    """Labels and what they say, in the order of its page."""
    description: tuple[str, ...]
    reviews: tuple[Review, ...]

    @property
    def path(self) -> str:
        """Its address."""
        return f"/products/{slug(self.title)}-{self.number}.html"

    @property
    def old_path(self) -> str:
        """Its address before the shop moved: the server sends those who ask for it to the new one."""
        return f"/p/{self.number}"


@dataclass(frozen=True)
class Article:
    """A story of the magazine."""

    number: int
    title: str
    author: str
    day: date
    standfirst: str
    paragraphs: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def path(self) -> str:
        """Its address."""
        return f"/magazine/{self.day:%Y/%m}/{slug(self.title)}-{self.number}/"


@dataclass(frozen=True)
class Store:
    """A branch of the shop."""

    town: str
    street: str
    postcode: str
    telephone: str
    manager: str
    hours: tuple[str, ...]
    """Of the seven days of the week."""

    @property
    def path(self) -> str:
        """Its address."""
        return f"/stores/{slug(self.town)}"
