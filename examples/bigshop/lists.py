"""The pages with lists: categories of products, and the index of the magazine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from random import Random

from examples.bigshop.frame import Links, Sheet, advert, next_link, page_path, pager, picture
from examples.bigshop.stock import ARTICLES_A_PAGE, PRODUCTS_A_PAGE, Shop, chunks
from examples.bigshop.things import Article, Category, Product
from examples.bigshop.words import BRANDS, MATERIALS, long_day, slug

_MAGAZINE = "/magazine/"


def category_pages(shop: Shop) -> Iterator[tuple[Sheet, Sequence[Product]]]:
    """The pages of all categories, and the products on each."""
    for category, products in shop.categories.items():
        pages = chunks(products, PRODUCTS_A_PAGE)
        for number, shown in enumerate(pages, 1):
            yield _category_page(shop, category, shown, number, len(pages), len(products)), shown


def index_pages(shop: Shop) -> Iterator[tuple[Sheet, Sequence[Article]]]:
    """The pages of the magazine's index, and the articles on each."""
    pages = chunks(shop.articles, ARTICLES_A_PAGE)
    for number, shown in enumerate(pages, 1):
        yield _index_page(shop, shown, number, len(pages)), shown


def price_block(product: Product, chance: Random) -> str:
    """The price, the old one with it, or nothing if it is sold out."""
    if product.price is None:
        return ""
    space = chance.choice([" ", "&nbsp;"])
    now = product.price.text.replace(" ", space)
    if product.old_price is None:
        return f'<div class="price"><span class="amount">{now}</span></div>'
    was = product.old_price.text.replace(" ", space)
    return f'<div class="price reduced"><del>{was}</del> <ins class="amount">{now}</ins></div>'


# ---- products --------------------------------------------------------------------------------------------------


def _category_page(
    shop: Shop, category: Category, shown: Sequence[Product], number: int, count: int, products: int
) -> Sheet:
    path = page_path(category.path, number)
    chance = shop.chance("page", path)
    links = Links(path, chance)
    first = (number - 1) * PRODUCTS_A_PAGE + 1
    main = f"""<div class="two">
{_filters(category, chance)}
<main>
<h1>{escape(category.name)}</h1>
<p class="intro">{_intro(category)}</p>
<div class="bar"><span>{first}–{first + len(shown) - 1} of {products} products</span>
<label>Sort by <select name="sort">\
<option>Recommended</option><option>Price</option><option>Newest</option></select></label></div>
<ul class="grid">
{_cards(shown, links, chance)}
</ul>
{pager(category.path, number, count, links)}
{_seen(shop, links, chance)}
</main>
</div>"""
    return Sheet(
        path,
        category.name,
        main,
        f"archive tax-product_cat term-{slug(category.name)} term-{len(category.name) * 7 + 100} paged-{number}",
        "category",
        [(category.department, category.path)],
        head=next_link(category.path, number, count),
    )


def _intro(category: Category) -> str:
    return (
        f"Every {escape(category.thing)} in this list was used by one of us for a month. What broke is not sold. "
        f"See also all of <b>{escape(category.department)}</b>."
    )


def _cards(shown: Sequence[Product], links: Links, chance: Random) -> str:
    cards = [_card(product, links, chance) for product in shown]
    if chance.random() < 0.3 and len(cards) > 8:
        promo = (
            '<li class="tile-promo"><a href="/magazine/?utm_source=tile"><strong>Made to last</strong>'
            "<span>How we choose what we sell</span></a></li>"
        )
        cards.insert(chance.choice([4, 6, 8]), promo)
    return "\n".join(cards)


def _card(product: Product, links: Links, chance: Random) -> str:
    """A product in a list. Some still link to the address that it had before."""
    link = links.to(product.old_path if chance.random() < 0.08 else product.path)
    title = escape(product.title)
    shown = (
        picture(product.number, product.title, 220)
        if chance.random() < 0.95
        else '<span class="nopic">No picture yet</span>'
    )
    badge = '<span class="badge">New</span>' if chance.random() < 0.12 else ""
    sold_out = "" if product.price else '<p class="soldout">Sold out</p>'
    return f"""<li class="card product post-{product.number}{"" if product.price else " outofstock"}">
<a class="media" {link} tabindex="-1">{shown}{badge}</a>
<h3><a {link}>{title}</a></h3>
{_rating(product)}{price_block(product, chance)}{sold_out}
<button type="button" class="wish" aria-label="Remember" data-id="{product.number}">♡</button>
</li>"""


def _rating(product: Product) -> str:
    if product.rating is None:
        return ""
    score, count = (
        f'<span class="score">{product.rating}</span>',
        f'<span class="count">({product.ratings})</span>',
    )
    return f'<div class="rating">{score} {count}</div>'


def _filters(category: Category, chance: Random) -> str:
    def box(name: str, values: Sequence[str]) -> str:
        items = "".join(
            f'<li><label><input type="checkbox" name="{name}"> {escape(value)} <i>{chance.randint(1, 40)}</i></label></li>'
            for value in sorted(values)
        )
        return f"<fieldset><legend>{name.capitalize()}</legend><ul>{items}</ul></fieldset>"

    brands = box("brand", chance.sample(BRANDS, chance.randint(4, 9)))
    known = MATERIALS[category.department].split("|")
    materials = box(
        "material", [value.capitalize() for value in chance.sample(known, chance.randint(3, 7))]
    )
    return f'<aside class="filters"><h2>Filter</h2>{brands}{materials}{advert(chance, 0.4)}</aside>'


def _seen(shop: Shop, links: Links, chance: Random) -> str:
    """What others looked at, on some pages."""
    if chance.random() > 0.3:
        return ""
    items = "".join(
        f"<li><a {links.related(own.path)}>{escape(own.title)}</a></li>"
        for own in chance.sample(shop.products, 4)
    )
    return f'<section class="seen"><h2>Others looked at</h2><ul>{items}</ul></section>'


# ---- articles --------------------------------------------------------------------------------------------------


def _index_page(shop: Shop, shown: Sequence[Article], number: int, count: int) -> Sheet:
    path = page_path(_MAGAZINE, number)
    chance = shop.chance("page", path)
    links = Links(path, chance)
    teasers = [_teaser(article, links, chance) for article in shown]
    if chance.random() < 0.5 and len(teasers) > 5:
        teasers.insert(
            5, '<div class="box-letter"><h3>A letter a month</h3><p>No more, no less.</p></div>'
        )
    most_read = "".join(
        f"<li><a {links.to(own.path)}>{escape(own.title)}</a></li>"
        for own in chance.sample(shop.articles, 5)
    )
    newline = "\n"
    main = f"""<div class="two right">
<main class="stories">
<h1>The magazine</h1>
{newline.join(teasers)}
{pager(_MAGAZINE, number, count, links)}
</main>
<aside><h2>Most read</h2><ol>{most_read}</ol>{advert(chance, 0.5)}</aside>
</div>"""
    classes = f"blog archive paged-{number} group-{chance.randint(1, 9)}"
    title = "The magazine" if number == 1 else f"The magazine, page {number}"
    return Sheet(path, title, main, classes, "index", head=next_link(_MAGAZINE, number, count))


def _teaser(article: Article, links: Links, chance: Random) -> str:
    link = links.to(article.path)
    shown = (
        f'<a class="media" {link}>{picture(article.number, "", 160)}</a>'
        if chance.random() < 0.8
        else ""
    )
    comments = (
        f' · <span class="comments">{chance.randint(1, 30)} comments</span>'
        if chance.random() < 0.4
        else ""
    )
    tag = (
        f'<a class="kicker" href="#{slug(article.tags[0])}">{escape(article.tags[0])}</a>'
        if chance.random() < 0.7
        else ""
    )
    return f"""<article class="teaser post-{article.number} tag-{slug(article.tags[0])}">{shown}
<div>{tag}<h2><a {link}>{escape(article.title)}</a></h2>
<p>{escape(article.standfirst)}</p>
<p class="meta">By <span class="author">{escape(article.author)}</span>, \
<time datetime="{article.day}">{long_day(article.day)}</time>{comments}</p></div>
</article>"""
