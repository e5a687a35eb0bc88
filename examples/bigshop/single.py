"""The pages of the stores, and the pages of which there is one each: home, list of stores, and plain pages."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from examples.bigshop.frame import NAME, Links, Sheet, advert, picture
from examples.bigshop.lists import price_block
from examples.bigshop.stock import Shop
from examples.bigshop.things import DAYS, Store
from examples.bigshop.words import Words, slug


def store_pages(shop: Shop) -> Iterator[tuple[Sheet, Store]]:
    """The pages of all stores."""
    return ((_store_page(shop, store), store) for store in shop.stores)


def single_pages(shop: Shop) -> Iterator[Sheet]:
    """The pages that are like no other."""
    yield _home(shop)
    yield _stores(shop)
    yield from (_plain(shop, path, title) for path, title in _PLAIN.items())


_PLAIN = {"/imprint": "Imprint", "/service/shipping": "Shipping & returns", "/contact": "Contact"}
_SERVICES = (
    "Parking behind the house",
    "Café",
    "Repairs while you wait",
    "Gift wrapping",
    "Step-free",
    "Delivery by bicycle",
)


def _store_page(shop: Shop, store: Store) -> Sheet:
    chance = shop.chance("page", store.path)
    links = Links(store.path, chance)
    hours = "\n".join(
        f"<tr><th>{day}</th><td>{own}</td></tr>" for day, own in zip(DAYS, store.hours, strict=True)
    )
    services = "".join(f"<li>{own}</li>" for own in chance.sample(_SERVICES, chance.randint(0, 5)))
    notice = (
        '<p class="alert">Closed for stocktaking on 2 January.</p>' if chance.random() < 0.2 else ""
    )
    near = chance.sample([own for own in shop.stores if own != store], 3)
    neighbours = "".join(f"<li><a {links.to(own.path)}>{escape(own.town)}</a></li>" for own in near)
    main = f"""<main class="store vcard">
<h1>{NAME} {escape(store.town)}</h1>
{notice}<div class="columns">
<div class="where"><h2>Where we are</h2>
<address>{escape(store.street)}<br>{store.postcode} {escape(store.town)}</address>
<dl><dt>Telephone</dt><dd>{store.telephone}</dd>
<dt>Manager</dt><dd>{escape(store.manager)}</dd>
<dt>E-mail</dt><dd><a href="mailto:{slug(store.town)}@quillmere.example">{slug(store.town)}@quillmere.example</a></dd></dl>
{f'<h2>In this store</h2><ul class="services">{services}</ul>' if services else ""}</div>
<div class="when"><h2>Opening hours</h2>
<table class="hours">
{hours}
</table>
{picture(len(store.town), "", 260) if chance.random() < 0.7 else ""}</div></div>
<p>{escape(Words(chance).paragraph(2, 4))}</p>
<h2>Stores nearby</h2><ul class="near">{neighbours}</ul>{advert(chance, 0.2)}
</main>"""
    classes = f"page page-id-{4000 + len(store.manager) * 31} store-{slug(store.town)}"
    return Sheet(
        store.path, f"{NAME} {store.town}", main, classes, "store", [("Stores", "/stores/")]
    )


def _home(shop: Shop) -> Sheet:
    chance = shop.chance("home")
    links = Links("/", chance)
    tiles = "\n".join(
        f"<li><a {links.to(category.path)}>{picture(number * 5, '', 200)}<b>{escape(category.name)}</b></a></li>"
        for number, category in enumerate(shop.categories)
    )
    offers = "\n".join(
        f"<li><a {links.to(own.path, 'home')}>{escape(own.title)}</a>{price_block(own, chance)}</li>"
        for own in chance.sample(shop.products, 6)
    )
    stories = "\n".join(
        f"<li><a {links.to(own.path)}>{escape(own.title)}</a></li>" for own in shop.articles[:3]
    )
    main = f"""<main class="home"><section class="hero"><h1>Things for a long life</h1>
<p>Made well, mended gladly.</p></section>
<section><h2>All categories</h2><ul class="tiles">{tiles}</ul></section>
<section class="related"><h2>This week</h2><ul>{offers}</ul></section>
<section><h2>From the magazine</h2><ul>{stories}</ul><p><a href="/magazine/">All stories</a></p></section></main>"""
    return Sheet("/", "Things for a long life", main, "home page page-id-2", "home")


def _stores(shop: Shop) -> Sheet:
    links = Links("/stores/", shop.chance("stores"))
    items = "\n".join(
        f"<li><a {links.to(own.path)}>{escape(own.town)}</a> <span>{escape(own.street)}</span></li>"
        for own in shop.stores
    )
    main = f'<main><h1>Our stores</h1><p>Come and sit on it first.</p><ul class="stores">{items}</ul></main>'
    return Sheet("/stores/", "Our stores", main, "page page-id-31", "stores")


def _plain(shop: Shop, path: str, title: str) -> Sheet:
    words = Words(shop.chance("plain", path))
    text = "\n".join(
        f"<h2>{escape(words.subhead())}</h2><p>{escape(words.paragraph())}</p>" for _ in range(4)
    )
    main = f"<main><h1>{escape(title)}</h1>{text}</main>"
    return Sheet(path, title, main, f"page page-{slug(title)}", "page")
