"""Recognize templates that are another design of one template.

A crawl may span a redesign, or meet a site that serves two designs. Their pages differ, so they are
of two templates; if a repair of the wrapper of one carries its fields over to the pages of the
other, both fill one table.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from unweave.errors import WrapperError
from unweave.page.page import Page
from unweave.pipeline.page_types import PageType
from unweave.pipeline.templates import Template
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.repair import Repair, repair

MIN_CARRIED_SHARE = 0.6
"""Of two designs of one template, each has this share of the common fields of the other."""
MIN_SHARED_NAMES = 0.3
"""A repair is only tried if wrappers that were learned apart share this part of the names."""
MIN_COMMON_SHARE = 0.6
"""A field is common if this share of the pages have it."""
MIN_COMMON_FIELDS = 4
"""Templates with fewer common fields are not compared."""

_log = logging.getLogger("unweave.pipeline")


def find_other_design(
    template: Template, pages: Sequence[Page], others: Iterable[Template]
) -> tuple[Template, FieldWrapper] | None:
    """Return the first of other templates that is another design of this one, if any.

    With it comes the wrapper for this design, with the fields of the other. Only detail pages are
    compared: lists of different things may well have the same columns.

    Args:
        template: A template.
        pages: Pages of it.
        others: Templates of the same site.
    """
    if template.page_type is not PageType.DETAIL:
        return None
    for other in others:
        if other.page_type is PageType.DETAIL:
            wrapper = _carry_fields_over(template, pages, other)
            if wrapper is not None:
                _log.info(
                    "%d pages have another design of the template of %d others",
                    template.pages,
                    other.pages,
                )
                return other, wrapper
    return None


def _carry_fields_over(
    template: Template, pages: Sequence[Page], other: Template
) -> FieldWrapper | None:
    """Return the wrapper of another template for these pages; None if it is not of one template."""
    if template.fields is None or other.fields is None:
        return None
    old, new = _list_common_fields(other.fields), _list_common_fields(template.fields)
    smaller = min(len(old), len(new))
    if smaller < MIN_COMMON_FIELDS or len(old & new) < MIN_SHARED_NAMES * smaller:
        return None
    try:
        repaired = repair(other.fields, pages)
    except WrapperError:
        return None
    if isinstance(repaired.wrapper, FieldWrapper) and _is_same_template(old, repaired):
        return repaired.wrapper
    return None


def _list_common_fields(wrapper: FieldWrapper) -> set[str]:
    return {field.name for field in wrapper.columns if field.share >= MIN_COMMON_SHARE}


def _is_same_template(old: set[str], repaired: Repair) -> bool:
    """Tell whether most common fields of either design are in the other."""
    found = {*repaired.kept, *repaired.moved}
    described = repaired.wrapper.describe_fields()
    new = {
        field.name
        for field in described
        if (field.share or 0.0) >= MIN_COMMON_SHARE and not field.is_other
    }
    return all(len(names & found) >= MIN_CARRIED_SHARE * len(names) for names in (old, new))
