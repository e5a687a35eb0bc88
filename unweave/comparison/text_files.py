"""Tables in text files: JSON Lines, JSON and CSV. The files are untrusted, and read in UTF-8."""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from io import BufferedReader
from typing import Any, TextIO

from unweave.comparison.objects import iter_object_rows
from unweave.comparison.rows import RowCollector, RowTable, check_column_count
from unweave.errors import SourceError
from unweave.names import UniqueNames
from unweave.sinks.cells import MAX_ROW_BYTES, UNNAMED

MAX_JSON_BYTES = 256 * 2**20
"""The size of a JSON file that is not JSON Lines: it is held in memory."""
# Python refuses to parse thousands of digits.
_MAX_DIGITS = 400
_WHITE_SPACE = re.compile(r"[ \t\r\n]*")
_SEPARATORS = ",;\t|"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_json_lines(file: BufferedReader, name: str, table_number: int = 1) -> RowTable:
    """Return the rows of a file with an object on each line."""
    collector = RowCollector(name)
    for number, line in enumerate(_read_lines(_open_text(file, newline="\n"), name), start=1):
        if not line.isspace():
            location = f"{name}, line {number}"
            data, end = _parse_object(line, _skip_white_space(line, 0), location)
            if _skip_white_space(line, end) < len(line):
                raise SourceError(f"{location}: text follows the JSON object")
            for cells in iter_object_rows(data, table_number):
                collector.add(cells)
    return collector.build()


def read_json(file: BufferedReader, name: str, table_number: int = 1) -> RowTable:
    """Return the rows of a file with an array of objects, or with JSON Lines."""
    data = file.read(MAX_JSON_BYTES + 1)
    if len(data) > MAX_JSON_BYTES:
        raise SourceError(
            f"{name}: has more than {MAX_JSON_BYTES >> 20} MB; JSON Lines may be larger"
        )
    text = data.decode(_choose_encoding(data))
    position = _skip_white_space(text, 0)
    if text.startswith("{", position):
        return read_json_lines(io.BufferedReader(io.BytesIO(data)), name, table_number)
    collector = RowCollector(name)
    if position == len(text):
        return collector.build()
    if text[position] != "[":
        raise SourceError(f"{name}: is not an array of JSON objects")
    position = _skip_white_space(text, position + 1)
    count = 0
    while not text.startswith("]", position):
        count += 1
        item, position = _parse_object(text, position, f"{name}, item {count}")
        for cells in iter_object_rows(item, table_number):
            collector.add(cells)
        position = _skip_white_space(text, position)
        if text.startswith(",", position):
            position = _skip_white_space(text, position + 1)
        elif not text.startswith("]", position):
            raise SourceError(f"{name}: the array does not continue after item {count}")
    if _skip_white_space(text, position + 1) < len(text):
        raise SourceError(f"{name}: text follows the JSON array")
    return collector.build()


def read_csv(file: BufferedReader, name: str, table_number: int = 1) -> RowTable:
    """Return the rows of a CSV file with a header; the separator is that of the header.

    Whatever the number of the table is, the file has only one.
    """
    # The limit belongs to the whole program, and may be higher already.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_BYTES))
    lines = _read_lines(_open_text(file, newline=""), name)
    first = next((line for line in lines if line.strip("\r\n")), None)
    if first is None:
        return RowTable(name)
    separator = _detect_separator(first)
    reader = csv.reader(_chain(first, lines), delimiter=separator)
    try:
        texts = next(reader)
        check_column_count(name, len(texts))
        unique = UniqueNames()
        header = [unique.add(text or UNNAMED) for text in texts]
        collector = RowCollector(name, header)
        for cells in reader:
            if len(cells) > len(header):
                raise SourceError(
                    f"{name}, line {reader.line_num}: the row has {len(cells)} cells,"
                    f" and the header {len(header)}"
                )
            if cells:
                collector.add(zip(header, cells, strict=False))
    except csv.Error as error:
        raise SourceError(f"{name}, line {reader.line_num}: is not CSV: {error}") from None
    return collector.build()


def _chain(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _detect_separator(header: str) -> str:
    """Return the separator that cuts a header into most names; a comma if there is none."""
    return max(_SEPARATORS, key=lambda mark: len(next(csv.reader([header], delimiter=mark))))


def _open_text(file: BufferedReader, newline: str) -> TextIO:
    return io.TextIOWrapper(file, encoding=_choose_encoding(file.peek(2)), newline=newline)


def _choose_encoding(data: bytes) -> str:
    """Return UTF-8, or UTF-16 if the data begins with its byte-order mark."""
    return "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8-sig"


def _read_lines(file: TextIO, name: str) -> Iterator[str]:
    """Yield the lines of a file. Raises SourceError if one is too long."""
    for line in iter(lambda: file.readline(MAX_ROW_BYTES + 1), ""):
        if len(line) > MAX_ROW_BYTES:
            raise SourceError(f"{name}: a line has more than {MAX_ROW_BYTES >> 20} MB")
        yield line


def _skip_white_space(text: str, position: int) -> int:
    match = _WHITE_SPACE.match(text, position)
    return match.end() if match else position


def _parse_object(text: str, position: int, location: str) -> tuple[Mapping[str, Any], int]:
    """Return the JSON object at a position of a text, and where it ends. Raises SourceError."""
    try:
        data, end = _DECODER.raw_decode(text, position)
    except RecursionError:
        raise SourceError(f"{location}: the JSON has too many levels") from None
    except ValueError:
        raise SourceError(f"{location}: is not a JSON object") from None
    if not isinstance(data, dict):
        raise SourceError(f"{location}: is not a JSON object")
    return data, end


def _parse_int(digits: str) -> int | str:
    return int(digits) if len(digits) < _MAX_DIGITS else digits


def _parse_float(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_float=_parse_float)
