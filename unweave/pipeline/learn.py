"""Learn the templates of a site from a sample of its pages."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from unweave.clustering.site_templates import (
    Fingerprint,
    cluster_fingerprints,
    compute_fingerprint,
    compute_min_similarity,
    select_examples,
)
from unweave.content.article import learn_template as learn_shared_template
from unweave.errors import PageError, UnweaveError, WrapperError
from unweave.page.page import Page
from unweave.pipeline.controls import drop_control_tables
from unweave.pipeline.page_types import (
    PageType,
    compute_features,
    have_long_texts,
    infer_page_type,
)
from unweave.pipeline.redesigns import find_other_design
from unweave.pipeline.run_folder import RunFolder
from unweave.pipeline.scan import find_duplicates, read_sample
from unweave.pipeline.subjects import list_subjects
from unweave.pipeline.templates import (
    RESERVED_NAMES,
    Template,
    name_templates,
    read_site_templates,
    share_tables,
    write_site_templates,
)
from unweave.runners.runner import Result, Task
from unweave.sources.source import FetchedPage
from unweave.table import Column
from unweave.values.column_format import infer_column_format
from unweave.values.types import Type
from unweave.wrappers.base import Fields
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.fields.learn import learn as learn_fields
from unweave.wrappers.fields.locators import LocatedBy
from unweave.wrappers.lists.apply import ListWrapper
from unweave.wrappers.lists.learn import learn as learn_list

MAX_LEARNED_PAGES = 40
"""The number of pages of a template that its type and its wrapper are learned from."""
MAX_SHARED_TEXT_PAGES = 15
"""The number of pages that show which texts articles of a template share."""

MAX_NAMING_PAGES = 10
"""The number of pages of a template that the name of its table is made from."""

MIN_COMMON_SHARE = 0.6
"""A field is common if this share of the pages have it."""
MIN_PRESENT_SHARE = 0.5
"""A page that lacks more of the common fields is left out."""
MIN_STEADY_SHARE = 0.9
"""A field is steady if this share of the pages have it."""
MIN_FIELDS = 2
"""A template with fewer fields has no table."""
MIN_STEADY_FIELDS = 3
"""List pages have a table of their fields if this many are steady, with a label or in a table."""

_log = logging.getLogger("unweave.pipeline")


def learn_sites(task: Task) -> Result:
    """Learn the templates of a few sites and write them to files; a task for workers."""
    folder, round_number = RunFolder(task["folder"]), task["round"]
    scans = [folder.get_scan(round_number, shard) for shard in range(task["shards"])]
    for site, prefix in task["sites"].items():
        path = folder.get_site(round_number, site)
        if path.exists():
            continue
        earlier: list[Template] = []
        for earlier_round in range(1, round_number):
            earlier_path = folder.get_site(earlier_round, site)
            if earlier_path.exists():
                earlier += read_site_templates(earlier_path)[0]
        templates = learn_templates(read_sample(scans, site, task["sample"]), earlier, prefix)
        write_site_templates(path, site, templates, find_duplicates(scans, site))
        _log.debug("%d templates of %s learned", len(templates), site or "files")
    return {"sites": len(task["sites"])}


def learn_templates(
    sample: Sequence[FetchedPage], earlier: Sequence[Template] = (), prefix: str = ""
) -> list[Template]:
    """Return the templates of the pages of a site, that of most pages first.

    Their names start with the prefix, and continue with one that no earlier template of the site
    has, unless it is another design of that. The URLs of the pages are used for the names only:
    the order of the pages follows from their content.
    """
    pages: list[FetchedPage] = []
    fingerprints: list[Fingerprint] = []
    for fetched in sorted(
        sample, key=lambda page: (blake2b(page.body, digest_size=16).digest(), page.name)
    ):
        try:
            fingerprints.append(compute_fingerprint(fetched.parse()))
        except PageError:
            continue
        pages.append(fetched)
    templates: list[Template] = []
    urls: list[list[str]] = []
    subjects: list[list[str]] = []
    originals: list[Template | None] = []
    for group in cluster_fingerprints(fingerprints):
        group_pages = [pages[number] for number in group]
        group_fingerprints = [fingerprints[number] for number in group]
        template = learn_unnamed_template(group_pages, group_fingerprints)
        first = [each for each, other in zip(templates, originals, strict=True) if other is None]
        template, original = _find_original(template, group_pages, [*earlier, *first])
        templates.append(template)
        originals.append(original)
        urls.append(sorted(page.url for page in group_pages))
        subjects.append(list_subjects([page.parse() for page in group_pages[:MAX_NAMING_PAGES]]))
    return _name_designs(templates, urls, subjects, originals, earlier, prefix)


def _find_original(
    template: Template, fetched: Sequence[FetchedPage], others: Sequence[Template]
) -> tuple[Template, Template | None]:
    """Return a template with the fields of the one that it is another design of, and that one."""
    if template.page_type is not PageType.DETAIL or not others:
        return template, None
    pages = [page.parse() for page in fetched[:MAX_LEARNED_PAGES]]
    found = find_other_design(template, pages, others)
    if found is None:
        return template, None
    original, wrapper = found
    columns = _infer_columns([wrapper.apply(page).clean_fields() for page in pages])
    return replace(template, fields=wrapper, columns=columns), original


def _name_designs(
    templates: Sequence[Template],
    urls: Sequence[Sequence[str]],
    subjects: Sequence[Sequence[str]],
    originals: Sequence[Template | None],
    earlier: Sequence[Template],
    prefix: str,
) -> list[Template]:
    """Return the templates with names; other designs of one template have those of the first."""
    taken = {*RESERVED_NAMES}
    for template in earlier:
        taken.update(name.removeprefix(prefix) for name in template.tables)
    first = [number for number, original in enumerate(originals) if original is None]
    named = name_templates(
        [templates[number] for number in first],
        [urls[number] for number in first],
        [subjects[number] for number in first],
        taken,
        prefix,
    )
    by_number = dict(zip(first, named, strict=True))
    named_originals = {id(templates[number]): by_number[number] for number in first}
    names = {name for template in [*earlier, *named] for name in template.tables}
    for number, original in enumerate(originals):
        if original is not None:
            original = named_originals.get(id(original), original)
            by_number[number] = share_tables(templates[number], original, names)
    return [by_number[number] for number in range(len(templates))]


def learn_unnamed_template(
    fetched: Sequence[FetchedPage], fingerprints: Sequence[Fingerprint]
) -> Template:
    """Return the template of pages of one template, without a name."""
    pages = [page.parse() for page in fetched[:MAX_LEARNED_PAGES]]
    features = compute_features(pages)
    page_type = infer_page_type(features)
    examples = tuple(select_examples(fingerprints))
    min_similarity = compute_min_similarity(fingerprints, examples)
    template = Template("", fetched[0].site, page_type, len(fetched), examples, min_similarity)
    fields, columns = _learn_fields(pages)

    if page_type is PageType.ARTICLE and not _have_prices(fields, columns):
        shared = learn_shared_template(pages[:MAX_SHARED_TEXT_PAGES])
        return replace(template, reads_text=True, shared=shared)

    if page_type is PageType.LIST and (records := _learn_records(pages)) is not None:
        if fields is None or not _have_steady_labels(fields):
            return replace(template, records=records)
        return replace(template, records=records, fields=fields, columns=columns)

    if reads_text := have_long_texts(features):
        shared = learn_shared_template(pages[:MAX_SHARED_TEXT_PAGES])
        template = replace(template, reads_text=True, shared=shared)
    if fields is None or len(columns) < MIN_FIELDS:
        page_type = PageType.ARTICLE if reads_text else PageType.NEITHER
        return replace(template, page_type=page_type)
    return replace(template, page_type=PageType.DETAIL, fields=fields, columns=columns)


def _learn_fields(pages: Sequence[Page]) -> tuple[FieldWrapper | None, dict[str, Column]]:
    """Return a wrapper for the fields of pages, and the columns of the fields.

    Pages that lack most of the common fields are left out.
    """
    try:
        wrapper = learn_fields(pages)
        fields = [wrapper.apply(page).clean_fields() for page in pages]
        common = {field.name for field in wrapper.columns if field.share >= MIN_COMMON_SHARE}
        fitting = [
            page
            for page, page_fields in zip(pages, fields, strict=True)
            if len(common & page_fields.keys()) >= MIN_PRESENT_SHARE * len(common)
        ]
        if 1 < len(fitting) < len(pages):
            wrapper = learn_fields(fitting)
        else:
            fitting = list(pages)
        controlled = drop_control_tables(wrapper, fitting)
        if controlled.tables != wrapper.tables or len(fitting) < len(pages):
            fields = [controlled.apply(page).clean_fields() for page in fitting]
    except UnweaveError:
        return None, {}
    return controlled, _infer_columns(fields)


def _infer_columns(pages: Sequence[Fields]) -> dict[str, Column]:
    texts: dict[str, list[str]] = defaultdict(list)
    for fields in pages:
        for name, value in fields.items():
            texts[name] += [
                text for text in (value if isinstance(value, list) else [value]) if text
            ]
    columns = {}
    for name, values in texts.items():
        format = infer_column_format(values)
        columns[name] = Column(
            name,
            format.type,
            prefix=format.prefix,
            suffix=format.suffix,
            date_order=format.date_order,
        )
    return columns


def _have_prices(fields: FieldWrapper | None, columns: Mapping[str, Column]) -> bool:
    """Tell whether each page has a price: descriptions of products do, articles do not."""
    if fields is None:
        return False
    steady = [field.name for field in fields.columns if field.share >= MIN_STEADY_SHARE]
    return any(columns[name].type == Type.PRICE for name in steady if name in columns)


def _learn_records(pages: Sequence[Page]) -> ListWrapper | None:
    try:
        return learn_list(pages)
    except WrapperError:
        return None


def _have_steady_labels(wrapper: FieldWrapper) -> bool:
    """Tell whether list pages have enough fields outside of their list."""
    steady = [
        field
        for field in wrapper.columns
        if field.share >= MIN_STEADY_SHARE
        and field.locators[0].by in (LocatedBy.LABEL, LocatedBy.COLUMN)
    ]
    return len(steady) >= MIN_STEADY_FIELDS
