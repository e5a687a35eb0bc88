"""Names from labels, classes and ids."""

import pytest

from unweave.values.naming import make_name, name_from_class


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("price", "price"),
        ("productPrice", "product_price"),
        ("product-price", "product_price"),
        ("c-entry-box--compact__title", "title"),
        ("s-item__price", "price"),
        ("result-date", "date"),
        ("col-md-4", ""),
        ("btn-primary", ""),
        ("a-size-medium", ""),
        ("sc-bdVaJa", ""),
        ("css1x2y3z", ""),
        ("", ""),
    ],
)
def test_only_words_with_a_meaning_become_names(word, name):
    assert name_from_class(word) == name


def test_a_label_becomes_a_name():
    assert [make_name(text) for text in ("Author:", "Temp. (°C)", "価格", "  ", "a" * 60)] == [
        "author",
        "temp_c",
        "価格",
        "",
        "a" * 40,
    ]
