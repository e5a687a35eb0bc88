"""The pages of products."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from random import Random

from examples.bigshop.frame import CART, ORIGIN, Links, Sheet, advert, picture
from examples.bigshop.lists import price_block
from examples.bigshop.stock import Shop
from examples.bigshop.things import Product, Review
from examples.bigshop.words import long_day, slug

_GONE = "/products/vimoria-teapot-oak-907.html"


def product_pages(shop: Shop) -> Iterator[tuple[Sheet, Product]]:
    """The pages of all products."""
    return ((_product_page(shop, product), product) for product in shop.products)


def _product_page(shop: Shop, product: Product) -> Sheet:
    chance = shop.chance("page", product.path)
    links = Links(product.path, chance)
    description = "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in product.description)
    main = f"""<main class="product" id="product-{product.number}">
<div class="columns">
{_gallery(product, chance)}
<div class="summary">
<h1>{escape(product.title)}</h1>
{_rating(product)}
{price_block(product, chance)}
<p class="stock {slug(product.availability)}">{escape(product.availability)}</p>
{_form(product)}
<ul class="promises"><li>Free delivery from €&nbsp;60</li><li>60&nbsp;days to return</li>\
<li>Spare parts for ten years</li></ul>
</div>
</div>
<section class="description"><h2>Description</h2>
{description}
</section>
{advert(chance, 0.25)}
<section class="details"><h2>Details</h2>
<table class="specs">
{_specifications(product, chance)}
</table></section>
{_reviews(product, chance)}
{_related(shop, product, links, chance)}
</main>"""
    return Sheet(
        product.path,
        product.title,
        main,
        f"single single-product postid-{product.number} category-{slug(product.category.name)}",
        "product",
        [
            (product.category.department, product.category.path),
            (product.category.name, product.category.path),
        ],
        description=product.description[0][:150],
        data=_data(product),
    )


def _gallery(product: Product, chance: Random) -> str:
    if chance.random() < 0.04:
        return '<div class="gallery"><span class="nopic">No picture yet</span></div>'
    thumbs = "".join(
        picture(product.number + more, "", 70) for more in range(1, chance.randint(1, 5))
    )
    more = f'<div class="thumbs">{thumbs}</div>' if thumbs else ""
    return f'<div class="gallery">{picture(product.number, product.title, 420)}{more}</div>'


def _rating(product: Product) -> str:
    if product.rating is None:
        return "<!-- rating: none -->"
    return (
        f'<p class="rating"><span class="score">{product.rating}</span> of 5 '
        f'<a href="#reviews">{product.ratings} ratings</a></p>'
    )


def _form(product: Product) -> str:
    if product.price is None:
        return (
            f'<form class="tell" action="{CART}tell" method="post"><p>Tell me when it is back:</p>'
            '<input type="email" name="mail"><button>Tell me</button></form>'
        )
    return (
        f'<form class="buy" action="{CART}add" method="post"><input type="hidden" name="id" value="{product.number}">'
        '<input type="number" name="n" value="1"><button>Add to basket</button></form>'
        f'<p class="later"><a href="{CART}add?remember={product.number}" rel="nofollow">Remember it</a></p>'
    )


def _specifications(product: Product, chance: Random) -> str:
    """The rows; brands have links on some pages, because the shop once had pages of brands."""
    rows = []
    for label, text in product.specifications:
        shown = (
            f'<a href="#brand">{escape(text)}</a>'
            if label == "Brand" and chance.random() < 0.3
            else escape(text)
        )
        rows.append(f"<tr><th>{label}</th><td>{shown}</td></tr>")
    return "\n".join(rows)


def _reviews(product: Product, chance: Random) -> str:
    if not product.reviews:
        written = '<p class="none">Nobody has written a review yet.</p>'
    else:
        written = (
            "<ol>\n" + "\n".join(_review(review, chance) for review in product.reviews) + "\n</ol>"
        )
    return f'<section class="reviews" id="reviews"><h2>Reviews</h2>\n{written}</section>'


def _review(review: Review, chance: Random) -> str:
    checked = ' <em class="checked">bought here</em>' if chance.random() < 0.4 else ""
    return f"""<li class="review"><div class="who"><b class="by">{escape(review.author)}</b>{checked} \
<time datetime="{review.day}">{long_day(review.day)}</time></div>
<div class="stars s{review.stars}">{review.stars} out of 5</div>
<p>{escape(review.text)}</p></li>"""


def _related(shop: Shop, product: Product, links: Links, chance: Random) -> str:
    """Other products; few pages still name one that is gone."""
    others = [
        own for own in chance.sample(shop.products, min(6, len(shop.products))) if own != product
    ]
    items = [
        f"<li><a {links.related(own.path)}>{picture(own.number, '', 140)}<span>{escape(own.title)}</span></a>"
        f"{price_block(own, chance)}</li>"
        for own in others[: chance.randint(3, 5)]
    ]
    if chance.random() < 0.01:
        items.append(
            f'<li><a href="{_GONE}">{picture(907, "", 140)}<span>Vimoria teapot, oak</span></a></li>'
        )
    return f'<aside class="related"><h2>Goes well with</h2><ul>{"".join(items)}</ul></aside>'


def _data(product: Product) -> dict[str, object]:
    specifications = dict(product.specifications)
    told: dict[str, object] = {
        "@type": "Product",
        "name": product.title,
        "sku": specifications["Article number"],
        "url": ORIGIN + product.path,
        "brand": {"@type": "Brand", "name": specifications["Brand"]},
    }
    if product.price:
        told["offers"] = {
            "@type": "Offer",
            "price": f"{product.price.value:.2f}",
            "priceCurrency": "EUR",
        }
    return told
