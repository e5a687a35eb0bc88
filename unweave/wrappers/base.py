"""The interface of all wrappers, their files, and what they extract from a page.

A wrapper is learned from pages of one template and reads other pages of it. Its file is plain JSON
with a version, never code, and is untrusted.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from unweave.errors import SourceError, UsageError, WrapperError
from unweave.files import write_text
from unweave.loading import PageInput
from unweave.notebook import MAX_ROWS, format_items, format_link, format_table, format_text
from unweave.page.page import Page
from unweave.text_cleaning import strip_label, strip_stray_punctuation
from unweave.values.naming import make_name

if TYPE_CHECKING:
    from unweave.column_selection import ColumnSpec
    from unweave.schema import Schema
    from unweave.selectors.evaluation import SamplePage
    from unweave.selectors.export import Export
    from unweave.table import Table

FORMAT_VERSION = 1
MAX_FILE_BYTES = 64 * 1024 * 1024

Fields = dict[str, str | list[str] | list[str | None]]
"""Texts by the names of their fields; a list where a page may have several.

The columns of a table inside a page are lists of one length, with None for the empty cells.
"""

EXPECTED_SHARE = 0.9
"""What at least this share of the learned pages had is expected on every page."""

MIN_FIT = 0.5
"""A page with a lower fit is unlike the learned pages (docs/explanation/quality.md)."""

RESERVED_NAMES = frozenset(["page", "fit"])
"""The keys of an output line beside the fields."""

_MAX_REASON_LENGTH = 200

_WORD_CHARACTER = re.compile(r"\w")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")

_DAMAGE_ERRORS = (
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""The errors of reading wrong data, besides KeyError."""


@dataclass(frozen=True)
class Extraction:
    """A table or fields that a wrapper extracts from a page; false if nothing was extracted."""

    table: Table | None = None
    fields: Fields | None = None
    others: Fields = field(default_factory=dict)
    """What is hardly ever wanted: constant and rare fields, and labels that no learned page had."""
    fit: float = 0.0
    """How well the page matches the wrapper, from 0 to 1."""
    missing: tuple[str, ...] = ()
    """The names of what is expected on every page and absent from this one."""
    moved: tuple[str, ...] = ()
    """The names of the fields that were found in another place than on the learned pages."""
    unusual: tuple[str, ...] = ()
    """The names of the fields whose value does not look like those of the learned pages."""
    values: dict[str, Any] = field(default_factory=dict)
    """The values of the fields of requested types: numbers, dates and so on."""
    invalid: tuple[str, ...] = ()
    """The names of the fields whose value is not of the type or choice that a schema demands."""
    warnings: tuple[str, ...] = ()
    """What the parser of the page could not read as it was given."""
    text_labels: Mapping[str, str] = field(default_factory=dict)
    """The labels that the texts of fields start with: "Brand" if they are "Brand: Nikon"."""

    def clean_fields(self) -> Fields:
        """Return the fields as tables have them: see ``clean_fields``."""
        return clean_fields(self.fields or {}, self.text_labels)

    def clean_others(self) -> Fields:
        """Return the others as tables have them."""
        return clean_fields(self.others, self.text_labels)

    def __bool__(self) -> bool:
        return self.table is not None or self.fields is not None

    def _repr_html_(self) -> str:
        """Return the table or the fields as HTML for notebooks, with the fit below."""
        below = f"<p>fit {self.fit:.2f}"
        if self.missing:
            below += f"; missing: {format_text(', '.join(self.missing))}"
        below += "</p>"
        if self.table is not None:
            return self.table._repr_html_() + below
        if self.fields is None:
            return f"<p>nothing was extracted</p>{below}"
        rows = [
            [format_text(name), format_items(value, format_link)]
            for name, value in islice(self.fields.items(), MAX_ROWS)
        ]
        rest = len(self.fields) - len(rows)
        more = f"and {rest:,} more fields" if rest else ""
        return format_table(["field", "value"], rows, more) + below


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """A field or a column of a wrapper, described for people."""

    name: str
    located_by: str
    is_list: bool
    share: float | None = None
    """The share of the learned pages that had it; None if the wrapper does not record it."""
    examples: tuple[str, ...] = ()
    table: str | None = None
    """The name of the table inside the page that it is a column of."""
    is_other: bool = False
    """Whether it is given in ``Extraction.others``."""


@dataclass(frozen=True, slots=True)
class Description:
    """A wrapper described for people."""

    summary: str
    lines: tuple[str, ...] = ()
    fields: tuple[FieldDescription, ...] | None = None
    """The fields with their statistics, of wrappers that record them."""


class Wrapper(ABC):
    """What reads pages of one template. Sub-classes are registered by their method."""

    method: ClassVar[str]
    """The method that it is learned by, as files name it."""
    gives_fields: ClassVar[bool]
    """Whether it extracts fields; else it extracts a table."""
    knows_missing: ClassVar[bool] = False
    """Whether ``Extraction.missing`` names what a page lacks."""

    # ---- pages -----------------------------------------------------------------------------------

    @abstractmethod
    def apply(self, page: Page) -> Extraction:
        """Extract the table or the fields of a page."""

    @abstractmethod
    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes that each field or column of a page came from."""

    # ---- description -----------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """The schema of the result: the names and types of its fields or columns."""
        raise WrapperError(f"a wrapper of method {self.method} has no schema")

    @property
    def nested_tables(self) -> Mapping[str, Sequence[str]]:
        """The tables inside detail pages: the names of their columns by the names of the tables."""
        return {}

    @abstractmethod
    def describe(self) -> Description:
        """Describe the wrapper as a whole."""

    @abstractmethod
    def describe_fields(self) -> Iterable[FieldDescription]:
        """Describe each field or column."""

    def select(self, *columns: ColumnSpec | str) -> Wrapper:
        """Return the wrapper with these fields or columns only, renamed and retyped, in this order.

        Each is a ``ColumnSpec``, or a text such as ``price=cost:number``.
        """
        raise WrapperError(f"the fields of a wrapper of method {self.method} cannot be selected")

    def drop_selection(self) -> Wrapper:
        """Return the wrapper with all columns under the names that ``describe_fields`` has."""
        return self

    def drop_unknown(self) -> Wrapper:
        """Return the wrapper without the selected fields or columns that it does not have."""
        return self

    def rename_fields(self, names: Mapping[str, str], old: Wrapper) -> Wrapper:
        """Return the wrapper with new names of its fields or columns, and the choices of another.

        Args:
            names: The new name of every field or column.
            old: A wrapper of the same method, whose order and selection of columns are kept.
        """
        raise WrapperError(f"the fields of a wrapper of method {self.method} have no names")

    def pair_reworded(self, old: Wrapper) -> Mapping[str, str]:
        """Return how an old wrapper's fields are located, if the label now has other words.

        Both are as ``FieldDescription.located_by`` has them; the keys are those of the old wrapper.
        """
        return {}

    def add_fields(
        self,
        old: Wrapper,
        nodes: Mapping[str, set[tuple[int, int]]],
        pages: Sequence[Page],
    ) -> Wrapper:
        """Return the wrapper with fields of an old one that it can locate, too.

        Args:
            old: A wrapper of the same method.
            nodes: For the names of its fields, the numbers of pages and text nodes that it reads.
            pages: The pages.
        """
        return self

    def describe_gap(self) -> str | None:
        """Describe how far the wrapper may be from the best; None if it is the best or unknown."""
        return None

    def format_pattern(self) -> Iterable[str]:
        """Return the lines of the pattern or grammar, of wrappers that are one."""
        return ()

    def to_landmark_tree(
        self, examples: Mapping[str, Sequence[str]], *, max_levels: int
    ) -> dict[str, Any] | None:
        """Return the tree of landmarks as plain data; None for wrappers without landmarks."""
        return None

    # ---- selectors -------------------------------------------------------------------------------

    def selectors(
        self,
        form: str = "xpath",
        pages: PageInput | Iterable[PageInput | SamplePage] = (),
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Export:
        """Return selectors for the fields or columns, in XPath 1.0 or Scrapy's CSS.

        With pages, each selector is tested on them as Scrapy would run it, and the simplest one is
        chosen that gives what the wrapper extracts; this needs the extra ``crawl``. ``progress`` is
        called with the number of fields that are done and the number of all of them.
        """
        from unweave.selectors.evaluation import load_sample_page
        from unweave.selectors.export import no_progress
        from unweave.selectors.expressions import Form

        if form not in list(Form):
            raise UsageError(f"unknown form {form!r}; choose from {', '.join(Form)}")
        sources = [pages] if isinstance(pages, (Page, bytes, str, PathLike)) else pages
        samples = [load_sample_page(source) for source in sources]
        return self.build_selectors(form, samples, progress or no_progress)

    def build_selectors(
        self, form: str, samples: Sequence[SamplePage], progress: Callable[[int, int], None]
    ) -> Export:
        """Do the work of ``selectors``; wrappers without selectors raise WrapperError."""
        raise WrapperError(
            f"a wrapper of method {self.method} has no selectors: learn one with method fields,"
            " or with method records for lists"
        )

    def to_spider(
        self,
        pages: PageInput | Iterable[PageInput | SamplePage] = (),
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> str:
        """Return the source of a Scrapy spider that extracts what the wrapper extracts."""
        from unweave.selectors.spider import format_spider

        return format_spider(self.selectors("xpath", pages, progress=progress))

    def to_page_object(
        self,
        pages: PageInput | Iterable[PageInput | SamplePage] = (),
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> str:
        """Return the source of a page object of web-poet that extracts what the wrapper does.

        It handles the URLs of the host that all the pages name as theirs.
        """
        from unweave.selectors.evaluation import load_sample_page
        from unweave.selectors.page_object import find_hosts, format_page_object

        sources = [pages] if isinstance(pages, (Page, bytes, str, PathLike)) else pages
        samples = [load_sample_page(source) for source in sources]
        export = self.selectors("xpath", samples, progress=progress)
        return format_page_object(export, find_hosts(sample.page for sample in samples))

    # ---- files -----------------------------------------------------------------------------------

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data."""

    @classmethod
    @abstractmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the wrapper that untrusted plain data describes.

        It may raise WrapperError, or the errors of reading wrong data such as KeyError and
        ValueError, which ``loads`` turns into a WrapperError.
        """

    def dumps(self) -> str:
        """Return the wrapper as JSON."""
        head = {"unweave": "wrapper", "version": FORMAT_VERSION, "kind": self.method}
        text = json.dumps({**head, **self.to_json()}, indent=1, ensure_ascii=False)
        if len(text) > MAX_FILE_BYTES:
            raise WrapperError(
                "the wrapper would be too large to be read again: learn from smaller pages"
            )
        return text

    @staticmethod
    def loads(text: str) -> Wrapper:
        """Return the wrapper that an untrusted JSON text describes, or raise WrapperError."""
        try:
            data: Any = json.loads(text)
        except (ValueError, RecursionError):
            raise WrapperError("the wrapper is not JSON") from None
        if not isinstance(data, dict) or data.get("unweave") != "wrapper":
            raise WrapperError("this is JSON, but not an unweave wrapper")
        if data.get("version") != FORMAT_VERSION:
            raise WrapperError(
                f"the wrapper has version {repr(data.get('version'))[:40]};"
                f" this program reads version {FORMAT_VERSION}"
            )
        method = data.get("kind")
        if not isinstance(method, str) or method not in _MODULES:
            raise WrapperError(f"the wrapper is of an unknown kind: {repr(method)[:40]}")
        try:
            _check_characters(text, data)
            return _find_class(method).from_json(data)
        except KeyError as error:
            raise WrapperError(f"the wrapper is damaged: it has no {error}") from None
        except _DAMAGE_ERRORS as error:
            reason = str(error)[:_MAX_REASON_LENGTH] or "it does not have the values of its kind"
            raise WrapperError(f"the wrapper is damaged: {reason}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the wrapper to a file."""
        write_text(Path(path), self.dumps() + "\n")

    @staticmethod
    def load(path: str | PathLike[str]) -> Wrapper:
        """Read a wrapper from a file."""
        try:
            with Path(path).open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
        if len(data) > MAX_FILE_BYTES:
            raise WrapperError(f"{path}: too large for a wrapper")
        try:
            return Wrapper.loads(data.decode())
        except UnicodeDecodeError:
            raise WrapperError(f"{path}: the wrapper is not JSON") from None
        except WrapperError as error:
            raise WrapperError(f"{path}: {error}") from None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _CLASSES[cls.method] = cls


_CLASSES: dict[str, type[Wrapper]] = {}
"""The wrapper classes that have been imported, by method."""

_MODULES = {
    "depta": "unweave.wrappers.seed.apply",
    "fields": "unweave.wrappers.fields.apply",
    "landmark": "unweave.wrappers.landmarks.apply",
    "news-pattern": "unweave.wrappers.pattern.news",
    "pattern": "unweave.wrappers.pattern.apply",
    "records": "unweave.wrappers.lists.apply",
}
"""The modules of the wrapper classes, imported when a file asks for them."""


def _find_class(method: str) -> type[Wrapper]:
    if method not in _CLASSES:
        import_module(_MODULES[method])
    return _CLASSES[method]


def _check_characters(text: str, data: Any) -> None:
    """Raise ValueError if a JSON text, or a text in its data, cannot be written to a file."""
    try:
        text.encode()
        if _SURROGATE_ESCAPE.search(text):
            json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half of a surrogate pair") from None


# ---- fields --------------------------------------------------------------------------------------


def make_field_name(text: str) -> str:
    """Return a field name made of a label, a header or a class."""
    name = make_name(text) or "field"
    return f"{name}_" if name in RESERVED_NAMES else name


def is_field_name(name: str) -> bool:
    """Tell whether a field may have the name."""
    return bool(name) and name.isprintable() and name not in RESERVED_NAMES


def is_value(text: str) -> bool:
    """Tell whether the text has a letter or digit; punctuation between values has not."""
    return _WORD_CHARACTER.search(text) is not None


def clean_fields(fields: Fields, labels: Mapping[str, str] = MappingProxyType({})) -> Fields:
    """Return the fields without the punctuation that the markup around a value left behind.

    JSON output has the texts as the page has them, so that they can be found in it again; tables
    have clean texts.

    Args:
        fields: The texts.
        labels: The labels that the texts of fields start with, by their names. They are dropped.
    """
    cleaned: Fields = {}
    for name, value in fields.items():
        label = labels.get(name, "")
        if isinstance(value, list):
            cleaned[name] = [text and clean_text(text, label) for text in value]
        else:
            cleaned[name] = clean_text(value, label)
    return cleaned


def clean_text(text: str, label: str = "") -> str:
    """Return a text without stray punctuation and the label, if any, that it starts with."""
    return strip_stray_punctuation(strip_label(text, label) if label else text)


def to_rows(fields: Fields, columns: Iterable[str]) -> list[dict[str, str | None]]:
    """Return the rows of a table inside a page, from the fields that are its columns."""
    present: dict[str, list[Any]] = {}
    for name in columns:
        cells = fields.get(name)
        if isinstance(cells, list):
            present[name] = cells
    return [dict(zip(present, row, strict=True)) for row in zip(*present.values(), strict=True)]
