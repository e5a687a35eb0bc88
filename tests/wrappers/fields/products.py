"""Detail pages of a small shop, and ways to redesign them, for tests of wrappers for fields."""

from __future__ import annotations

import re

import unweave
from unweave.wrappers.fields.path_matching import PathMatcher

COLOURS = ["red", "green", "blue", "white"]
MAKERS = ["Arno Lind", "Berta Holm", "Carl Moss", "Dora Falk", "Emil Rask"]
NAMES = ["Desk lamp", "Kettle", "Wall clock", "Toaster", "Radio", "Camera", "Fan", "Scale"]

LEARNED = range(8)
NEW = range(20, 26)


def list_rows(number):
    """Return the labels and values of a product."""
    rows = {
        "Colour": COLOURS[number % 4],
        "Weight": f"{number % 7 + 3} kg",
        "Maker": MAKERS[number % 5],
        "Year": str(1990 + number),
    }
    if number % 4 == 1:
        rows["Guarantee"] = f"{number % 3 + 1} years"
    return rows


def make_specification(rows):
    cells = "".join(
        f"<tr><td class='label'>{label}</td><td class='value'>{value}</td></tr>"
        for label, value in rows.items()
    )
    return f"<table class='specs'>{cells}</table>"


def make_product(number, *, rows=None, specification=make_specification):
    """Return the page of a product."""
    name = f"{NAMES[number % 8]} {number}"
    note = f"<div class='note'>Only {number} left</div>" if number % 3 else ""
    return (
        f"<html><head><title>{name}</title></head><body class='shop'>"
        "<ul class='menu'><li>Home</li><li>Shop</li><li>Contact</li></ul>"
        f"<div id='main' class='content'><h1 class='name'>{name}</h1>"
        f"<p class='price'><b>EUR {number}.50</b></p>{note}"
        f"<p class='text'>The {name} was made with care in {1990 + number}.</p>"
        f"{specification(rows or list_rows(number))}</div>"
        f"<div class='foot'><p>All rights reserved</p></div></body></html>"
    )


def learn_products(make=make_product):
    return unweave.learn([make(number) for number in LEARNED], method="fields")


def wrap_content(markup):
    return markup.replace("<div id='main'", "<div class='grid'><div id='main'").replace(
        "<div class='foot'>", "</div><div class='foot'>"
    )


def rename_class(markup, old, new):
    return re.sub(rf"class='{old}'", f"class='{new}'", markup)


def rename_all_classes(markup):
    return re.sub(r"(class|id)='(\w+)'", r"\1='x\2y'", markup)


def use_strong(markup):
    return markup.replace("<b>", "<strong>").replace("</b>", "</strong>")


def insert_advertisement(markup):
    advertisement = "<div class='banner'><p><b>Summer sale</b></p><p>Save now on all</p></div>"
    return markup.replace("<h1", f"{advertisement}<h1")


def use_other_tags(markup):
    return markup.replace("<p class", "<div class").replace("</p>", "</div>")


REDESIGNS = {
    "a div around the content": wrap_content,
    "one class": lambda markup: rename_class(markup, "price", "cost"),
    "all classes": rename_all_classes,
    "strong instead of b": use_strong,
    "an advertisement": insert_advertisement,
    "div instead of p": use_other_tags,
    "a div and all classes": lambda markup: wrap_content(rename_all_classes(markup)),
}


def make_matcher(wrapper):
    """Return what matches the elements of changed pages with the template paths of a wrapper."""
    texts = {}
    for path, _, text in sorted(wrapper.anchors.labels):
        texts.setdefault(path, []).append(text)
    paths = wrapper.anchors.paths
    return PathMatcher(paths, wrapper.statistics, texts, paths.numbers.values())


def read_values(wrapper, markup):
    """Return the values of the fields of a page and the others, without the title in its head."""
    extraction = unweave.apply(wrapper, markup)
    fields = {**(extraction.fields or {}), **extraction.others}
    fields.pop("page_title", None)
    return fields
