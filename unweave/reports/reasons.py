"""Why one candidate won and another lost, in words."""

from __future__ import annotations

from unweave.lists.features import Features
from unweave.lists.ranking import MODEL, Candidate

_MAX_REASONS = 3
# Below this part of the whole difference, a feature is no reason.
_MIN_SHARE = 0.1

_WORDS = {
    "coverage": ("it has less of the page's text", "it has too much of the page's text"),
    "relative_count": ("it has too many records", "it has too few records"),
    "gap_share": ("text stands between its records", "nothing stands between its records"),
    "size_variation": ("its records differ more in size", "its records are all of one size"),
    "shortest_length": ("some of its records are very short", "even its shortest record is long"),
    "has_joined_records": (
        "its records have no element of their own",
        "its records have an element of their own",
    ),
    "boilerplate_depth": (
        "its author calls it a menu, a footer or the like",
        "its author does not call it a menu",
    ),
    "content_depth": ("its author does not call it content", "its author calls it content"),
    "link_share": ("it is mostly links", "it has fewer links"),
    "log_count": ("it has fewer records", "it has more records"),
    "image_share": ("fewer of its records have a picture", "more of its records have a picture"),
    "depth": ("it stands less deep in the page", "it stands deeper in the page"),
    "off_center": ("it stands nearer to the middle", "it stands nearer to an end of the page"),
    "parent_spread": ("its records stand in different places", "its records stand in one place"),
    "template_gain": (
        "its records share less of a template",
        "its records share more of a template",
    ),
    "log_gain": ("its records share less of a template", "its records share more of a template"),
    "relative_gain": (
        "its records share less of a template",
        "its records share more of a template",
    ),
    "repetition": ("several records seem to be in one", "no record seems to hold several"),
    "single_share": (
        "its records have some things several times",
        "its records have everything once",
    ),
    "entropy": ("its records seem to be of two kinds", "its records are of one kind"),
    "common_paths": ("its records say fewer things", "its records say more things"),
    "missed_siblings": (
        "it leaves out siblings that look like records",
        "it leaves out nothing that looks like a record",
    ),
    "distinct_share": ("its records say the same", "its records say different things"),
    "tag_similarity": ("its records are less alike", "its records are more alike"),
}


def reasons(winner: Candidate, loser: Candidate) -> list[str]:
    """Return the features that weighed most against the loser, in words."""
    if loser.required_types < winner.required_types:
        return ["it has less of what is wanted"]
    losses: list[tuple[float, str, bool]] = []
    for name, weight, winning, losing in zip(
        Features._fields, MODEL.weights, winner.features, loser.features, strict=True
    ):
        losses.append((weight * (winning - losing), name, (winning > losing) == (weight > 0)))
    total = sum(loss for loss, _, _ in losses if loss > 0)
    found: list[str] = []
    for loss, name, has_less in sorted(losses, key=lambda entry: -entry[0]):
        if loss < _MIN_SHARE * total or len(found) == _MAX_REASONS:
            break
        less, more = _WORDS[name]
        word = less if has_less else more
        if word not in found:
            found.append(word)
    return found or ["it is hardly worse"]
