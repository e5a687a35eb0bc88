"""A spider that reads the lists of a shop with a wrapper that was learned before.

python examples/bigshop/make.py shop --pages 100          # a shop of our own making
python examples/bigshop/serve.py shop --port 8765 &
unweave learn shop/shop/*/index.html --method records -o cards.json
scrapy runspider examples/spider.py -a start=http://127.0.0.1:8765/ -a wrapper=cards.json -O cards.csv
"""

from collections.abc import Iterator
from typing import Any

import scrapy

from unweave.spiders import Rows


class ShopSpider(scrapy.Spider):
    """Follows the categories of the shop and the pages of each, and gives a row for every card."""

    name = "shop"
    custom_settings = {"ROBOTSTXT_OBEY": True, "AUTOTHROTTLE_ENABLED": True}  # noqa: RUF012 - Scrapy wants it so

    def __init__(self, start: str, wrapper: str, **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = [start]
        self.rows = Rows(wrapper)

    def parse(self, response: Any) -> Iterator[Any]:
        """The home page: it leads to the categories."""
        yield from response.follow_all(css="a[href*='/shop/']", callback=self.parse_list)

    def parse_list(self, response: Any) -> Iterator[Any]:
        """A page of a category: its cards, and the next page."""
        yield from self.rows(response)
        yield from response.follow_all(css="a[rel=next]", callback=self.parse_list)
