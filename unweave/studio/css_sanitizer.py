"""Sanitize untrusted CSS: the result has no URLs to load, and calls only known functions.

A list of what is dangerous is never complete: the next version of CSS has another function that
loads something, and escapes are other spellings of the old ones. So the text is read token by
token, as a browser does, and written again from what is allowed. Escapes are decoded on the way, so
that nothing in the result has a hidden meaning.
"""

from __future__ import annotations

import re

# Functions of values, selectors and conditions that load nothing. All others are dropped:
# image-set, cross-fade, element, src, paint, attr, and those of future versions.
_FUNCTIONS = frozenset(
    "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix color-contrast light-dark"
    " contrast-color device-cmyk calc calc-size min max clamp round mod rem abs sign sin cos tan"
    " asin acos atan atan2 pow sqrt hypot log exp var env counter counters symbols if"
    " sibling-index sibling-count linear-gradient radial-gradient conic-gradient"
    " repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient"
    " -webkit-gradient -webkit-linear-gradient -webkit-radial-gradient"
    " -webkit-repeating-linear-gradient -webkit-repeating-radial-gradient -moz-linear-gradient"
    " -o-linear-gradient from to color-stop matrix matrix3d perspective rotate rotate3d rotatex"
    " rotatey rotatez scale scale3d scalex scaley scalez skew skewx skewy translate translate3d"
    " translatex translatey translatez blur brightness contrast drop-shadow grayscale hue-rotate"
    " invert opacity saturate sepia cubic-bezier steps linear minmax repeat fit-content anchor"
    " anchor-size scroll view inset rect xywh circle ellipse polygon path shape ray not is where"
    " has matches any -webkit-any -moz-any nth-child nth-last-child nth-of-type nth-last-of-type"
    " nth-col nth-last-col lang dir host host-context slotted part cue state highlight"
    " view-transition-group selector style layer supports local format tech".split()
)
# Rules that contain rules or declarations. All others are dropped: @import loads, @namespace and
# @charset change how the rest is parsed.
_AT_RULES = frozenset(
    "media supports font-face keyframes -webkit-keyframes -moz-keyframes -o-keyframes layer"
    " container page counter-style property scope starting-style font-feature-values"
    " font-palette-values position-try view-transition viewport -ms-viewport".split()
)
# URLs that load nothing: images and fonts as data, and fragments of the same page.
_HARMLESS_URL = re.compile(
    r"#[^\n]*|data:(?:image/|font/|application/(?:x-)?font|application/vnd\.ms-fontobject"
    r"|application/octet-stream)[^\n]*",
    re.IGNORECASE,
)
_UNQUOTED_URL = re.compile(r"[!#-&*-\[\]-~]+")
_NO_VALUE = "none"  # replaces a dropped value
_GAP = "/**/"  # replaces anything else: without it, its neighbours could become one token

_ESCAPE = r"\\(?:[0-9a-f]{1,6}[ \t\n]?|[^\n0-9a-f])"
_NAME = rf"(?:[-\w\x80-\U0010ffff]|{_ESCAPE})++"
_COMMENT = r"(?P<comment>/\*[\s\S]*?(?:\*/|\Z))"
_STRING = (
    r"""(?:"(?P<double>(?:[^"\\\n]|\\[\s\S]|\\\Z)*+)(?:"|\Z)"""
    r"""|'(?P<single>(?:[^'\\\n]|\\[\s\S]|\\\Z)*+)(?:'|\Z))"""
)
_BROKEN_STRING = r"""(?P<broken>"(?:[^"\\\n]|\\[\s\S])*+|'(?:[^'\\\n]|\\[\s\S])*+)"""
# Most of a style sheet is plain names and punctuation, which are copied in long runs.
_TOKEN = re.compile(
    r"(?P<plain>(?:[ \t\n{}()\[\];:,.>+~*=|^$!&%?<#]|/(?!\*)|[-\w]++(?![\\(\x80-\U0010ffff]))++)"
    rf"|{_COMMENT}|{_STRING}|{_BROKEN_STRING}|@(?P<rule>{_NAME})|(?P<call>{_NAME})\("
    rf"|(?P<name>{_NAME})|(?P<other>[\s\S])",
    re.IGNORECASE,
)
# A URL is a string, or everything up to the next bracket that is not escaped.
_URL_ARGUMENT = re.compile(
    rf"[ \t\n]*+(?:{_STRING}[ \t\n]*+(?:\)|\Z)|(?P<bare>(?!['\"])(?:[^)\\]|\\[\s\S]|\\\Z)*+)\)?)"
)
# Inside of what is dropped only brackets count, and what may hide them.
_BRACKET = re.compile(
    rf"{_COMMENT}|{_STRING}|{_BROKEN_STRING}|(?P<call>{_NAME})\("
    rf"|(?P<bracket>[\[\](){{}};])|{_NAME}|[\s\S]",
    re.IGNORECASE,
)
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})[ \t\n]?|\n|([\s\S])|\Z)", re.IGNORECASE)
_LINE_ENDS = re.compile(r"\r\n?|\f")
_UNSAFE_IN_STRING = re.compile(r"""["'\\\x00-\x1f\x7f<]""")
_UNSAFE_IN_NAME = re.compile(r"[^-\w]|^-?[0-9]", re.ASCII)
_MAX_CODE_POINT = 0x10FFFF


def sanitize_css(text: str) -> str:
    """Return a style sheet, a list of declarations or a value without what would be loaded."""
    css = _LINE_ENDS.sub("\n", text).replace("\0", "\ufffd")
    parts: list[str] = []
    position = 0
    while position < len(css):
        token = _TOKEN.match(css, position)
        assert token is not None  # noqa: S101 - the last alternative takes anything
        position = token.end()
        group = token.lastgroup
        if group == "plain":
            parts.append(token[0])
        elif group == "call":
            call, position = _rewrite_call(css, token["call"], position)
            parts.append(call)
        elif group == "name":
            parts.append(_encode_name(_decode(token["name"])))
        elif group in ("double", "single"):
            parts.append(_encode_string(_decode(token[group])))
        elif group == "rule" and (name := _decode(token["rule"]).lower()) in _AT_RULES:
            parts.append(f"@{name}")
        else:
            if group == "rule":
                position = _skip_rule(css, position)
            parts.append(_GAP)
    return "".join(parts)


def _rewrite_call(css: str, written_name: str, start: int) -> tuple[str, int]:
    """Return a harmless call, and where to read on; ``start`` is after its opening bracket."""
    name = _decode(written_name)
    if name.isascii() and name.lower() in _FUNCTIONS:
        return f"{name}(", start  # not in lower case: attributes of SVG take skewX only
    if name.lower() != "url":
        return _NO_VALUE, _skip_to_closer(css, start, ")")
    argument = _URL_ARGUMENT.match(css, start)
    if argument is None:  # a string with something after it
        return _NO_VALUE, _skip_to_closer(css, start, ")")
    written = next(
        group for group in argument.group("double", "single", "bare") if group is not None
    )
    value = _decode(written).strip(" \t\n")
    if not _HARMLESS_URL.fullmatch(value):
        return _NO_VALUE, argument.end()
    if not _UNQUOTED_URL.fullmatch(value):
        value = _encode_string(value)
    return f"url({value})", argument.end()


def _skip_to_closer(css: str, start: int, closer: str) -> int:
    """Return the position after the bracket that closes what was opened before ``start``."""
    open_brackets = [closer]
    position = start
    while open_brackets and position < len(css):
        bracket, position = _read_bracket(css, position)
        if bracket in _CLOSERS:
            open_brackets.append(_CLOSERS[bracket])
        elif bracket == open_brackets[-1]:
            open_brackets.pop()
    return position


def _skip_rule(css: str, start: int) -> int:
    """Return the position after the semicolon or block of a rule whose name ends at ``start``.

    A rule without either ends before the bracket that closes the block that contains it.
    """
    position = start
    while position < len(css):
        before = position
        bracket, position = _read_bracket(css, position)
        if bracket == ";":
            return position
        if bracket == "}":
            return before
        if bracket in _CLOSERS:
            position = _skip_to_closer(css, position, _CLOSERS[bracket])
            if bracket == "{":
                return position
    return position


def _read_bracket(css: str, position: int) -> tuple[str, int]:
    """Return the bracket or semicolon of the next token, or "", and the position after it."""
    token = _BRACKET.match(css, position)
    assert token is not None  # noqa: S101 - the last alternative takes anything
    if token["call"] is None:
        return token["bracket"] or "", token.end()
    is_url = _decode(token["call"]).lower() == "url"
    argument = _URL_ARGUMENT.match(css, token.end()) if is_url else None
    return ("", argument.end()) if argument else ("(", token.end())


def _decode(written: str) -> str:
    """Return a name or a string with its escapes decoded."""
    return _ESCAPED.sub(_decode_escape, written) if "\\" in written else written


def _decode_escape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[2] or ""  # an escaped character, or a continued line
    code = int(escape[1], 16)
    is_character = 0 < code <= _MAX_CODE_POINT and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_character else "\ufffd"


def _encode_string(value: str) -> str:
    return '"' + _UNSAFE_IN_STRING.sub(_encode_last, value) + '"'


def _encode_name(name: str) -> str:
    return _UNSAFE_IN_NAME.sub(_encode_last, name)


def _encode_last(match: re.Match[str]) -> str:
    """Return what matched with its last character as a numeric escape."""
    return f"{match[0][:-1]}\\{ord(match[0][-1]):x} "
