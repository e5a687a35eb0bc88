"""The pages of the magazine's articles."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from random import Random

from examples.bigshop.frame import NAME, ORIGIN, Links, Sheet, advert, picture
from examples.bigshop.stock import Shop
from examples.bigshop.things import Article
from examples.bigshop.words import Words, long_day, slug

_GONE = "/magazine/2019/11/the-quiet-drawer-3/"


def article_pages(shop: Shop) -> Iterator[tuple[Sheet, Article]]:
    """The pages of all articles."""
    return ((_article_page(shop, article), article) for article in shop.articles)


def _article_page(shop: Shop, article: Article) -> Sheet:
    chance = shop.chance("page", article.path)
    links = Links(article.path, chance)
    lead = f'<p class="lead">{escape(article.standfirst)}</p>' if chance.random() < 0.5 else ""
    tags = "".join(
        f'<li><a href="/magazine/#{slug(tag)}" rel="tag">{escape(tag)}</a></li>'
        for tag in article.tags
    )
    main = f"""<div class="two right">
<main>
<article class="story" id="post-{article.number}">
<header><h1>{escape(article.title)}</h1>
{lead}
<p class="meta">By <span class="author">{escape(article.author)}</span> · \
<time datetime="{article.day}">{long_day(article.day)}</time></p></header>
<div class="text">
{_body(shop, article, links, chance)}
</div>
<footer><ul class="tags">{tags}</ul>
<p class="share">Share: <a href="https://social.example.org/share?p={article.number}">Pictures</a> \
<a href="mailto:?subject=Story">Mail</a></p></footer>
</article>
{_comments(chance)}
</main>
<aside>{_related(shop, article, links, chance)}{advert(chance, 0.5)}</aside>
</div>"""
    return Sheet(
        article.path,
        article.title,
        main,
        f"single single-post postid-{article.number} "
        + " ".join(f"tag-{slug(tag)}" for tag in article.tags),
        "story",
        [("Magazine", "/magazine/")],
        description=article.standfirst,
        head=_head(article),
        data=_data(article) if chance.random() < 0.7 else {},
    )


def _body(shop: Shop, article: Article, links: Links, chance: Random) -> str:
    """The paragraphs, and what stands between some of them."""
    parts: list[str] = []
    for number, paragraph in enumerate(article.paragraphs):
        if number and chance.random() < 0.2:
            parts.append(f"<h2>{escape(Words(chance).subhead())}</h2>")
        parts.append(f"<p>{_marked(paragraph, chance)}</p>")
        if number < len(article.paragraphs) - 1 and chance.random() < 0.15:
            parts.append(_between(shop, paragraph, links, chance))
    return "\n".join(parts)


def _marked(paragraph: str, chance: Random) -> str:
    """The paragraph; some have a word that stands out, and some were written in an editor that knows the hard way."""
    words = [escape(word) for word in paragraph.split(" ")]
    if chance.random() < 0.25:
        place = chance.randrange(len(words))
        words[place] = f"<em>{words[place]}</em>"
    return " ".join(words).replace("“", "&ldquo;") if chance.random() < 0.3 else " ".join(words)


def _between(shop: Shop, paragraph: str, links: Links, chance: Random) -> str:
    kind = chance.choice(["figure", "quote", "product"])
    if kind == "figure":
        caption = f"Photograph: {Words(chance).person()}"
        return f"<figure>{picture(chance.randrange(99), '', 560)}<figcaption>{caption}</figcaption></figure>"
    if kind == "quote":
        return f'<aside class="pull">{escape(paragraph.split(". ")[0])}</aside>'
    product = chance.choice(shop.products)
    return f'<div class="inshop">In our shop: <a {links.related(product.path)}>{escape(product.title)}</a></div>'


def _comments(chance: Random) -> str:
    if chance.random() < 0.6:
        return '<section class="comments"><h3>Comments</h3><p>Be the first to write.</p></section>'
    words = Words(chance)
    written = "".join(
        f"<li><b>{escape(words.reviewer())}</b> <p>{escape(words.opinion())}</p></li>"
        for _ in range(chance.randint(1, 6))
    )
    return f'<section class="comments"><h3>Comments</h3><ol>{written}</ol></section>'


def _related(shop: Shop, article: Article, links: Links, chance: Random) -> str:
    others = [
        own for own in chance.sample(shop.articles, min(6, len(shop.articles))) if own != article
    ]
    items = [
        f"<li><a {links.to(own.path)}>{escape(own.title)}</a></li>"
        for own in others[: chance.randint(3, 5)]
    ]
    if chance.random() < 0.03:
        items.append(f'<li><a href="{_GONE}">The quiet drawer</a></li>')
    return f"<h2>Read on</h2><ul>{''.join(items)}</ul>"


def _head(article: Article) -> str:
    return (
        '<meta property="og:type" content="article">\n'
        f'<meta property="og:title" content="{escape(article.title)}">\n'
        f'<meta property="og:site_name" content="{NAME}">\n'
    )


def _data(article: Article) -> dict[str, object]:
    return {
        "@type": "Article",
        "headline": article.title,
        "datePublished": str(article.day),
        "author": {"@type": "Person", "name": article.author},
        "mainEntityOfPage": ORIGIN + article.path,
    }
