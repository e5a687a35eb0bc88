"""The models that name, order and choose fields; ``bench.field_models`` fits them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from unweave.scoring.model import LinearModel, compute_probability, read_model_file
from unweave.wrappers.fields.evidence import FieldEvidence, FieldFeatures
from unweave.wrappers.fields.schema_matching import KnownField, PairFeatures

T = TypeVar("T", bound=Hashable)

# The title of what a page is about is on this share of the pages, and this share of them differ.
_MIN_TITLE_SHARE = 0.6
_MIN_TITLE_VARIETY = 0.5
# A text with another label has this share of words with the title of its page, if it is the title.
_MIN_LABELLED_TITLE = 0.1
# The title of the document mostly has the name of the site, too: then this is subtracted.
_TITLE_WITH_SITE = 50.0
_MIN_PURE_TITLE = 0.95
# A heading is in the titles of this share of the pages, and they have this much of it in common,
# compared with the field that is the title by the model.
_MIN_HEADING_SHARE = 0.9
_MIN_HEADING_RATIO = 0.5
_MIN_LABEL_SHARE = 0.5  # of the pages, for what is so of a label


class FieldModels(NamedTuple):
    """Linear models over the features of a field."""

    order: LinearModel
    """How likely people want a field."""
    title: LinearModel
    """Which field is the title."""
    label: LinearModel
    """Whether the text before a value is a label, or just stands before it."""
    schema: LinearModel
    """How likely a field is one of a schema."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FieldModels:
        """Read the weights of all models."""
        names = FieldFeatures._fields
        return cls(
            LinearModel.from_json(data["order"], names),
            LinearModel.from_json(data["title"], names),
            LinearModel.from_json(data["label"], names),
            LinearModel.from_json(data["schema"], PairFeatures._fields),
        )

    def compute_probability(self, evidence: FieldEvidence) -> float:
        """Return how likely a field is one that people want."""
        return compute_probability(self.order.score(evidence.features))

    def choose_title(self, evidence: Mapping[T, FieldEvidence]) -> T | None:
        """Return the field that is the title of what the pages are about; None if there is none.

        A main heading is preferred if the titles of the pages have it, and have much of it.
        """
        # Whether the titles of the pages differ, and say what the pages are about.
        has_titles = any(
            each.features.in_head and each.features.variety >= _MIN_TITLE_VARIETY
            for each in evidence.values()
        )
        scores = {
            key: self.title.score(each.features)
            for key, each in evidence.items()
            if _may_be_title(each.features)
            and not each.features.in_head
            and not (has_titles and _has_other_label(each.features))
        }
        best = max(scores, key=scores.__getitem__, default=None)
        if best is None:
            return None
        headings = [key for key in scores if _is_main_heading(evidence[key], evidence[best])]
        return max(headings, key=scores.__getitem__, default=best)

    def compute_title_shares(self, evidence: Mapping[T, FieldEvidence]) -> dict[T, float]:
        """Return how likely each field is the title, compared with the others."""
        scores: dict[T, float] = {}
        for key, each in evidence.items():
            if not _may_be_title(each.features):
                continue
            has_site = each.features.in_head and each.features.title_share < _MIN_PURE_TITLE
            scores[key] = self.title.score(each.features) - _TITLE_WITH_SITE * has_site
        top = max(scores.values(), default=0.0)
        odds = {key: math.exp(max(score - top, -50.0)) for key, score in scores.items()}
        total = sum(odds.values())
        return {key: odds.get(key, 0.0) / total if total else 0.0 for key in evidence}

    def describe_fields(self, evidence: Mapping[T, FieldEvidence]) -> dict[T, KnownField]:
        """Return the fields as they are matched with a schema."""
        titles = self.compute_title_shares(evidence)
        return {
            key: KnownField(each, self.is_label(each), self.order.score(each.features), titles[key])
            for key, each in evidence.items()
        }

    def is_label(self, evidence: FieldEvidence) -> bool:
        """Tell whether the text before a value names it.

        A link or a button stands before whatever comes next, unless both are a row.
        """
        features = evidence.features
        is_row = features.label_colon > _MIN_LABEL_SHARE or features.label_row > _MIN_LABEL_SHARE
        if features.label_link > _MIN_LABEL_SHARE and not is_row:
            return False
        return "label" in evidence.names and self.label.score(features) > 0


def _is_main_heading(field: FieldEvidence, other: FieldEvidence) -> bool:
    """Tell whether a field is a main heading in the titles of pages; another is not better."""
    features, best = field.features, other.features
    return (
        min(features.heading1, features.in_title) >= _MIN_HEADING_SHARE
        and features.title_share >= _MIN_HEADING_RATIO * best.title_share
        and features.variety >= best.variety
    )


def _may_be_title(features: FieldFeatures) -> bool:
    """Tell whether a field is one text on most pages, and differs from page to page."""
    return (
        features.share >= _MIN_TITLE_SHARE
        and features.variety >= _MIN_TITLE_VARIETY
        and not features.is_list
    )


def _has_other_label(features: FieldFeatures) -> bool:
    """Tell whether a text has a label for something else, and nothing of the title of the page."""
    return features.label_other > 0.5 and features.title_share < _MIN_LABELLED_TITLE


@cache
def load_models() -> FieldModels:
    """Return the models that are shipped."""
    return FieldModels.from_json(read_model_file("unweave.wrappers.fields", "models.json"))
