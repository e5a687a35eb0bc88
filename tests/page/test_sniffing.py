"""Bytes of many encodings become the text that a reader expects."""

import pytest

from unweave import Page

JAPANESE = "中古の自転車、ほぼ新品です。表示価格は税込みです。"
CHINESE = "关于城区公交线路优化调整的公告，请各位市民注意出行时间。"
FRENCH = "Crème brûlée à l’orange – 12 €, déjà épuisée"
RUSSIAN = "Объявления о продаже велосипедов, новые и подержанные"
KOREAN = "중고 자전거 판매, 거의 새것입니다. 가격은 협상 가능합니다."


def page(text, codec, meta=None):
    head = f'<meta charset="{meta}">' if meta else ""
    return f"<!doctype html><html><head>{head}<title>t</title></head><body><p>{text}</p></body></html>".encode(
        codec
    )


def body(markup, **options):
    read = Page.parse(markup, **options)
    return read.text(read.tree.labels.index("body"))


@pytest.mark.parametrize(
    ("text", "codec", "meta"),
    [
        (CHINESE, "gbk", "gb2312"),
        (CHINESE, "gbk", "gbk"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "utf-8", "utf-8"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc-jp", "euc-jp"),
        (JAPANESE, "iso-2022-jp", "iso-2022-jp"),
        (KOREAN, "euc-kr", "euc-kr"),
        (FRENCH, "windows-1252", "windows-1252"),
        (FRENCH, "windows-1252", "iso-8859-1"),
        (RUSSIAN, "windows-1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
    ],
)
def test_a_label_determines_the_encoding(text, codec, meta):
    assert body(page(text, codec, meta)) == text


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (CHINESE, "gbk"),
        (CHINESE, "utf-8"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (KOREAN, "euc-kr"),
        (FRENCH, "windows-1252"),
        (FRENCH, "utf-8"),
        (RUSSIAN, "windows-1251"),
    ],
)
def test_without_a_label_the_encoding_is_detected(text, codec):
    assert body(page(text, codec)) == text


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_utf_16_with_and_without_a_mark(codec):
    assert body(page(JAPANESE, codec)) == JAPANESE


def test_the_transport_has_precedence_over_the_label():
    assert body(page(RUSSIAN, "windows-1251", meta="koi8-r"), charset="windows-1251") == RUSSIAN


def test_a_byte_order_mark_has_precedence_over_the_transport():
    assert body(page(FRENCH, "utf-8-sig"), charset="windows-1251") == FRENCH


@pytest.mark.parametrize("name", ["latin-1", "utf_8", "CP1252", "ISO-8859-1"])
def test_python_names_of_encodings_are_understood(name):
    parsed = Page.parse(page("café", name), charset=name)
    assert parsed.text().endswith("café")
    assert parsed.warnings == ()


def test_an_unknown_charset_is_ignored_with_a_note():
    read = Page.parse(page(FRENCH, "utf-8", meta="utf-8"), charset="klingon-8")
    assert read.text(read.tree.labels.index("p")) == FRENCH
    assert read.warnings == ("unknown charset 'klingon-8' was ignored",)


def test_a_wrong_label_of_utf8_is_ignored():
    """Whoever saved the page wrote UTF-8 and left the old label in."""
    assert body(page(FRENCH, "utf-8", meta="iso-8859-1")) == FRENCH


def test_a_label_is_used_unless_the_bytes_contradict():
    assert Page.parse(page("plain", "ascii", meta="windows-1251")).encoding == "windows-1251"


def test_a_broken_character_is_replaced_with_a_note():
    broken = page(FRENCH, "utf-8").replace("û".encode(), b"\xc3")
    read = Page.parse(broken)
    assert read.text(read.tree.labels.index("p")) == FRENCH.replace("û", "\ufffd")
    assert read.warnings == ("some bytes are not UTF-8 and were replaced by \ufffd",)


def test_a_large_page_is_detected_from_a_part_of_it():
    filler = "<p>plain</p>" * 200_000
    markup = f"<html><body>{filler}{f'<p>{RUSSIAN}</p>' * 200}</body></html>".encode("windows-1251")
    read = Page.parse(markup)
    assert read.encoding == "windows-1251"
    assert read.texts[-1] == RUSSIAN


def test_lone_surrogates_are_replaced():
    assert Page.parse("<p>a\ud800b").text() == "a\ufffd\ufffd\ufffdb"


@pytest.mark.parametrize(
    ("name", "expected"), [("documents-gbk", "GBK"), ("auction-sjis", "Shift_JIS")]
)
def test_the_example_pages_in_other_encodings(name, expected):
    assert Page.load(f"examples/{name}.html").encoding == expected


def test_iso_8859_1_means_windows_1252_as_in_browsers():
    read = Page.load("examples/bookstore-1998.html")
    assert read.encoding == "windows-1252"
    assert not any("\x80" <= letter < "\xa0" for text in read.texts for letter in text)
