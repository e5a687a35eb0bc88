"""Learning the templates of a site from a sample of its pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from unweave.clustering.site_templates import Outline, bound, examples, groups, outline
from unweave.content.article import learn_template
from unweave.errors import PageError, UnweaveError, WrapperError
from unweave.page.page import Page
from unweave.pipeline.naming import names, unique
from unweave.pipeline.page_types import Kind, evidence, kind_of, read_as_articles
from unweave.pipeline.templates import LEAST_FIT, PAGES, Template
from unweave.sources.source import FetchedPage
from unweave.table import Column
from unweave.values.column_format import infer_column_format
from unweave.values.types import Type
from unweave.wrappers.base import Fields, clean_fields
from unweave.wrappers.fields import learn as induce_slots
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.fields.locators import LocatedBy
from unweave.wrappers.lists import learn as induce_records
from unweave.wrappers.lists.apply import ListWrapper

# Templates are learned from so many pages, and those say what they are.
_LEARNED_FROM = 40
# What long texts share is told by so many.
_TEXTS_FROM = 15

# What so many pages tell is usual.
_USUAL = 0.6
# A template with fewer fields is not worth a table.
_LEAST_FIELDS = 2
# Pages with a list have a table of their own besides if so many fields are told by labels or columns on nearly all of them.
_LEAST_TOLD, _STEADY = 3, 0.9


def learn(
    sample: Sequence[FetchedPage], taken: Collection[str] = (), prefix: str = ""
) -> list[Template]:
    """The templates of a site's pages, with names behind the prefix that are not taken; those of most pages first.

    The addresses of the pages name the templates, and do nothing else: which pages are looked at, and in
    which order, follows from their content.
    """
    in_order = sorted(
        sample, key=lambda page: (blake2b(page.body, digest_size=16).digest(), page.name)
    )
    read = [(own, found) for own in in_order if (found := _outline(own)) is not None]
    outlines = [found for _, found in read]
    templates: list[Template] = []
    addresses: list[list[str]] = []
    for group in largest_first(outlines):
        templates.append(
            template_of(
                [read[number][0] for number in group], [outlines[number] for number in group]
            )
        )
        addresses.append(sorted(read[number][0].url for number in group))
    return named(templates, addresses, taken, prefix)


def largest_first(outlines: Sequence[Outline]) -> list[list[int]]:
    """The numbers of the outlines in groups, a group a template, that of most pages first."""
    # Groups come as they were joined, the most similar pages first. In the order of the outlines, the first are any.
    return sorted(map(sorted, groups(outlines)), key=lambda own: (-len(own), own[0]))


def named(
    templates: Sequence[Template],
    addresses: Sequence[Sequence[str]],
    taken: Collection[str] = (),
    prefix: str = "",
) -> list[Template]:
    """The templates with names for them, by the addresses of their pages, and for the tables inside, none twice."""
    found: list[Template] = []
    chosen = names(addresses, [template.kind for template in templates], taken)
    taken = {*taken, *chosen}
    for template, name in zip(templates, chosen, strict=True):
        inside = [own.name for own in template.fields.tables] if template.fields else []
        nested: dict[str, str] = {}
        for own in [PAGES, *inside] if template.kind is Kind.LIST and template.fields else inside:
            nested[own] = unique(f"{name}_{own or 'pages'}", template.kind, taken)
            taken.add(nested[own])
        found.append(
            replace(
                template,
                name=prefix + name,
                nested={own: prefix + its for own, its in nested.items()},
            )
        )
    return found


def _outline(own: FetchedPage) -> Outline | None:
    try:
        return outline(own.parse())
    except PageError:
        return None


def template_of(fetched: Sequence[FetchedPage], outlines: Sequence[Outline]) -> Template:
    """What is learned of pages of one template, without a name."""
    pages = [own.parse() for own in fetched[:_LEARNED_FROM]]
    shown = evidence(pages)
    kind = kind_of(shown)
    few_outlines = tuple(examples(outlines))
    known = Template(
        "", fetched[0].site, kind, len(fetched), few_outlines, bound(outlines, few_outlines)
    )
    fields, columns = _fields(pages)
    if kind is Kind.ARTICLE and not _have_prices(fields, columns):
        return replace(known, reads_text=True, shared=learn_template(pages[:_TEXTS_FROM]))
    records = _records(pages) if kind is Kind.LIST else None
    if records is not None:
        more = fields if fields and _tells_more(fields) else None
        return replace(known, records=records, fields=more, columns=columns if more else None)
    reads_text = read_as_articles(shown)
    known = replace(
        known,
        reads_text=reads_text,
        shared=learn_template(pages[:_TEXTS_FROM]) if reads_text else None,
    )
    if fields is None or len(columns) < _LEAST_FIELDS:
        return replace(known, kind=Kind.ARTICLE if reads_text else Kind.NEITHER)
    return replace(known, kind=Kind.DETAIL, fields=fields, columns=columns)


def _have_prices(fields: FieldWrapper | None, columns: Mapping[str, Column]) -> bool:
    """Does each page tell a price? Descriptions of goods may be dated and signed; articles have no price."""
    steady = [own.name for own in fields.fields if own.share >= _STEADY] if fields else []
    return any(columns[name].type == Type.PRICE for name in steady if name in columns)


def _records(pages: Sequence[Page]) -> ListWrapper | None:
    try:
        return induce_records.learn(pages)
    except WrapperError:
        return None


def _fields(pages: Sequence[Page]) -> tuple[FieldWrapper | None, dict[str, Column]]:
    """What the pages tell, and how to read it. Pages that tell little of what most do are left out."""
    try:
        wrapper, found = _applied(pages)
        usual = {own.name for own in wrapper.fields if own.share >= _USUAL}
        fitting = [
            page
            for page, own in zip(pages, found, strict=True)
            if len(usual & own.keys()) >= LEAST_FIT * len(usual)
        ]
        if 1 < len(fitting) < len(pages):
            wrapper, found = _applied(fitting)
    except UnweaveError:
        return None, {}
    return wrapper, dict(_columns(found))


def _applied(pages: Sequence[Page]) -> tuple[FieldWrapper, list[Fields]]:
    """What is learned of pages, and what it finds on them."""
    wrapper = induce_slots.learn(pages)
    return wrapper, [wrapper.apply(page).fields or {} for page in pages]


def _columns(found: Sequence[Fields]) -> Iterator[tuple[str, Column]]:
    texts: dict[str, list[str]] = defaultdict(list)
    for fields in map(clean_fields, found):
        for name, value in fields.items():
            texts[name] += [own for own in (value if isinstance(value, list) else [value]) if own]
    for name, said in texts.items():
        told = infer_column_format(said)
        yield (
            name,
            Column(
                name, told.type, prefix=told.prefix, suffix=told.suffix, date_order=told.date_order
            ),
        )


def _tells_more(wrapper: FieldWrapper) -> bool:
    """Do the pages tell something besides their list?"""
    told = [
        own
        for own in wrapper.fields
        if own.share >= _STEADY and own.locators[0].by in (LocatedBy.LABEL, LocatedBy.COLUMN)
    ]
    return len(told) >= _LEAST_TOLD
