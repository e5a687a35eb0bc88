"""Template: what was learned about the pages of one template, and the tables that they fill."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from unweave.clustering.site_templates import Fingerprint
from unweave.content.shared_template import SharedTemplate
from unweave.errors import WrapperError
from unweave.files import read_json, write_json
from unweave.names import UniqueNames, make_unique
from unweave.pipeline.page_types import PageType
from unweave.table import Column
from unweave.values.naming import make_name
from unweave.values.types import TYPED, Type
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.lists.apply import ListWrapper

LIST_PAGES = ""
"""The key, among the nested tables, of the table with the fields of list pages."""

RESERVED_NAMES = ("pages", "templates", "columns")
"""The names of the tables that every database has."""

# A word names a template if this share of the URLs of its pages have it.
_MIN_URL_SHARE = 0.7
_MAX_NAME_CHARACTERS = 40
# Words of the URLs of all types of pages.
_COMMON_WORDS = frozenset(
    "html htm php asp aspx jsp index page pages www en de fr es it ru ja zh us uk p id".split()
)


@dataclass(frozen=True)
class Template:
    """One template of a site: how its pages are recognized, and what extracts their data."""

    name: str
    """The name of its main table."""
    site: str
    """The host of its pages."""
    page_type: PageType
    pages: int
    """The number of pages of the sample that are of the template."""
    fingerprints: tuple[Fingerprint, ...]
    """The fingerprints of a few of its pages."""
    min_similarity: float
    """The least similarity to them that makes a page one of the template."""
    fields: FieldWrapper | None = None
    records: ListWrapper | None = None
    """What extracts the list of each page."""
    reads_text: bool = False
    """Whether each page has an article, or another long text."""
    shared: SharedTemplate | None = None
    """The texts that the pages share and that are not part of an article."""
    columns: Mapping[str, Column] | None = None
    """How the values of the fields are parsed, by the names of the fields."""
    nested: Mapping[str, str] = field(default_factory=dict)
    """The names of the tables inside its pages by their names in the wrapper, and under
    ``LIST_PAGES`` that of the table with the fields of list pages.
    """

    def get_column(self, field_name: str) -> Column:
        """Return how the values of a field are parsed."""
        return (self.columns or {}).get(field_name) or Column(field_name)

    def without_types(self) -> Template:
        """Return the template with all values as the texts on the pages."""
        records = self.records
        if records is not None:
            columns = [
                replace(column, type=Type.STRING) if column.type in TYPED else column
                for column in records.columns
            ]
            records = replace(records, columns=tuple(columns))
        return replace(self, records=records, columns=None)

    @property
    def tables(self) -> list[str]:
        """The names of all its tables."""
        return [self.name, *self.nested.values()]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "name": self.name,
            "site": self.site,
            "kind": self.page_type,
            "pages": self.pages,
            "outlines": [sorted(fingerprint) for fingerprint in self.fingerprints],
            "least_alike": round(self.min_similarity, 4),
            "fields": json.loads(self.fields.dumps()) if self.fields else None,
            "records": json.loads(self.records.dumps()) if self.records else None,
            "reads_text": self.reads_text,
            "shared": self.shared.to_json() if self.shared else None,
            "nested": dict(self.nested),
            "columns": {name: column.to_json() for name, column in (self.columns or {}).items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Template:
        """Return the template of plain data."""
        fields = Wrapper.loads(json.dumps(data["fields"])) if data["fields"] else None
        records = Wrapper.loads(json.dumps(data["records"])) if data["records"] else None
        return cls(
            name=data["name"],
            site=data["site"],
            page_type=PageType(data["kind"]),
            pages=data["pages"],
            fingerprints=tuple(map(frozenset, data["outlines"])),
            min_similarity=data["least_alike"],
            fields=cast(FieldWrapper | None, fields),
            records=cast(ListWrapper | None, records),
            reads_text=data["reads_text"],
            shared=SharedTemplate.from_json(data["shared"]) if data["shared"] else None,
            nested=data["nested"],
            columns={name: Column.from_json(column) for name, column in data["columns"].items()},
        )


def write_site_templates(
    path: Path, site: str, templates: Sequence[Template], duplicates: Mapping[int, Sequence[int]]
) -> None:
    """Write the templates of a site to a file, and by shard the numbers of its duplicate pages."""
    data = {
        "site": site,
        "templates": [template.to_json() for template in templates],
        "twice": {str(shard): sorted(numbers) for shard, numbers in duplicates.items()},
    }
    write_json(path, data, make_parents=True)


def read_site_templates(path: Path, shard: int = 0) -> tuple[list[Template], frozenset[int]]:
    """Return the templates of a site, and the numbers of its duplicate pages in a shard."""
    data = read_json(path)
    try:
        templates = [Template.from_json(template) for template in data["templates"]]
        return templates, frozenset(data["twice"].get(str(shard), ()))
    except (KeyError, TypeError, ValueError, AttributeError, WrapperError) as error:
        raise WrapperError(f"{path} is damaged: {error}") from None


# ---- names of tables -----------------------------------------------------------------------------


def name_templates(
    templates: Sequence[Template],
    urls: Sequence[Sequence[str]],
    subjects: Sequence[Sequence[str]],
    taken: Collection[str] = (),
    prefix: str = "",
) -> list[Template]:
    """Return the templates with unique names for their tables, which start with the prefix.

    A template is named after the folder that most of its URLs have, and fewest of those of other
    templates, else after what its pages are about, else after its page type.

    Args:
        templates: The templates.
        urls: The URLs of the pages of each template.
        subjects: What the pages of each template are about, as ``list_subjects`` returns it.
        taken: The names that no table may have.
        prefix: The beginning of all names.
    """
    words = [
        Counter(word for url in template_urls for word in _list_folders(url))
        for template_urls in urls
    ]
    taken = set(taken)
    names: list[str] = []
    for number, template in enumerate(templates):
        others = [
            (words[other], len(urls[other])) for other in range(len(words)) if other != number
        ]
        name = _choose_word(words[number], len(urls[number]), others)
        subject = _choose_subject(subjects, number, template.page_type)
        if name in taken and subject:
            name = subject
        name = name or subject or template.page_type
        names.append(_make_unique_name(name, template.page_type, taken))
        taken.add(names[-1])
    named = []
    for template, name in zip(templates, names, strict=True):
        nested: dict[str, str] = {}
        keys = [table.name for table in template.fields.tables] if template.fields else []
        if template.page_type is PageType.LIST and template.fields:
            keys.insert(0, LIST_PAGES)
        for key in keys:
            nested_name = _make_unique_name(f"{name}_{key or 'pages'}", template.page_type, taken)
            taken.add(nested_name)
            nested[key] = prefix + nested_name
        named.append(replace(template, name=prefix + name, nested=nested))
    return named


def share_tables(template: Template, original: Template, taken: Collection[str]) -> Template:
    """Return a template with the name, the tables and the types of the first design of it.

    Args:
        template: Another design, whose fields have the names of the original.
        original: The first design, with its names.
        taken: The names of tables that a further table inside its pages may not have.
    """
    nested: dict[str, str] = {}
    for table in template.fields.tables if template.fields else ():
        name = make_unique(f"{original.name}_{table.name}", {*taken, *nested.values()})
        nested[table.name] = original.nested.get(table.name, name)
    columns = {**(template.columns or {}), **(original.columns or {})}
    return replace(template, name=original.name, nested=nested, columns=columns)


def _list_folders(url: str) -> list[str]:
    """Return the folders of a URL as names, from the last to the first, without the file name."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        return []
    folders = [make_name(folder) for folder in reversed(path.split("/")[:-1])]
    distinct = dict.fromkeys(folders)
    return [word for word in distinct if word and not word.isdigit() and word not in _COMMON_WORDS]


def _choose_word(
    words: Counter[str], pages: int, others: Sequence[tuple[Counter[str], int]]
) -> str:
    """Return the word of nearly all URLs that the fewest URLs of any other template have.

    Of several, it is the most frequent. ``others`` has the words and the number of URLs of each of
    the other templates.
    """
    candidates = [word for word, count in words.items() if count >= _MIN_URL_SHARE * pages]
    shares = {
        word: max([counts[word] / urls for counts, urls in others if urls], default=0.0)
        for word in candidates
    }
    return min(candidates, key=lambda word: (shares[word], -words[word]), default="")


def _choose_subject(subjects: Sequence[Sequence[str]], number: int, page_type: PageType) -> str:
    """Return what the pages of a template are about, and those of the fewest others.

    What several templates are about names only those whose pages are about one of it each.
    """
    counts = Counter(subject for each in subjects for subject in set(each))
    subject = min(subjects[number], key=counts.__getitem__, default="")
    return subject if counts[subject] <= 1 or page_type is PageType.DETAIL else ""


def _make_unique_name(name: str, page_type: PageType, taken: Collection[str]) -> str:
    """Return the name, with the page type or a number appended if it is taken."""
    name = name[:_MAX_NAME_CHARACTERS].strip("_")
    if name not in taken:
        return name
    if page_type.value != name and f"{name}_{page_type.value}" not in taken:
        return f"{name}_{page_type.value}"
    return make_unique(name, taken)


def make_site_prefixes(sites: Sequence[str]) -> dict[str, str]:
    """Return the prefix of the names of the tables of each site; empty if there is only one."""
    if len(sites) <= 1:
        return dict.fromkeys(sites, "")
    prefixes = UniqueNames(separator="")
    return {site: prefixes.add(make_name(site) or "site") + "_" for site in sorted(sites)}
