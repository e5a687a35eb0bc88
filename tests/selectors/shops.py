"""Generated detail pages with fields by label, by column header and by path."""

import parsel

from unweave.selectors.evaluation import read_text
from unweave.wrappers.base import is_value

COLOURS = ["red", "green", "blue", "white", "black", "brown"]
MAKERS = ["Morwen", "Aldous & Sons", "O'Hara", 'The "Works"', "Brightwater", "Haldane"]
TAGS = [["iron", "oak"], ["tin"], ["oak", "wool", "glass"], ["wool"], ["glass", "tin"], ["iron"]]


def make_page(number):
    """Return a product page; odd numbers have one more row."""
    optional = f"<tr><td>Noise:</td><td>{30 + number} dB</td></tr>" if number % 2 else ""
    tags = ", ".join(f"<a href='/t/{tag}'>{tag}</a>" for tag in TAGS[number % 6])
    sizes = "".join(
        f"<tr><td>{size}</td><td>{number + 2}.{size}0</td><td>{number % 3} left</td></tr>"
        for size in (4, 5, 6)
    )
    return f"""<!doctype html><html><head><title>Thing {number} | Shop</title></head><body>
<div id=head><a href=/>Home</a> <a href=/all>All things</a></div>
<p><table class=layout><tr><td><h1>Thing {number}</h1>
<div class="price now" itemprop=price>{number + 1}.50</div>\
<div class="price old">{number + 3}.00</div>
<table class=spec>
<tr><td>Colour:</td><td>{COLOURS[number % 6]}</td></tr>
<tr><td>Weight:</td><td>{number + 3} kg</td></tr>
{optional}
<tr><td>Made by:</td><td>{MAKERS[number % 6]}</td></tr></table>
<dl><dt>Height</dt><dd>{number + 11} cm</dd><dt>Width</dt><dd>{number + 21} cm</dd>
<dt>Depth</dt><dd>{number + 31} cm</dd></dl>
<ul class=facts><li><b>Item no.</b> T-{number:04}</li><li><b>Stock</b> {number * 7 + 1}</li>
<li><b>Guarantee</b> {number % 4 + 1} years</li></ul>
<p class=made>Origin: <b>{COLOURS[(number + 2) % 6].title()}land</b></p>
<p class=tags><span>Tags:</span> {tags}</p>
<table class=sizes><thead><tr><th>Size</th><th>Price</th><th>Stock</th></tr></thead>\
<tbody>{sizes}</tbody></table>
</td></tr></table><div class=foot>All rights reserved</div></body></html>"""


def run_selectors(markup, exported, form):
    """Return what exported selectors find, run as a user would."""
    root = parsel.Selector(text=markup)
    values = {}
    for field in exported["fields"]:
        if field["selector"] is None:
            continue
        nodes = root.xpath(field["selector"]) if form == "xpath" else root.css(field["selector"])
        texts = [" ".join(read_text(node).split()) for node in nodes]
        texts = [" ".join(texts)] if field.get("joined") else texts
        texts = list(filter(is_value, texts))
        if texts:
            values[field["name"]] = texts if field["many"] else texts[0]
    return values
