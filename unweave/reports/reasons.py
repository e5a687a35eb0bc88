"""Why one candidate won and another lost, in words."""

from __future__ import annotations

from unweave.records.auto.choice import Candidate
from unweave.records.auto.signals import SIGNALS
from unweave.records.auto.weights import WEIGHTS

_MOST = 3
# Below this part of the whole difference, a signal is no reason.
_LEAST_SHARE = 0.1

_WORDS = {
    "coverage": ("it has less of the page's text", "it has too much of the page's text"),
    "relative_count": ("it has too many records", "it has too few records"),
    "gaps": ("text stands between its records", "nothing stands between its records"),
    "uneven": ("its records differ more in size", "its records are all of one size"),
    "shortest": ("some of its records are very short", "even its shortest record is long"),
    "joined": ("its records have no element of their own", "its records have an element of their own"),
    "besides": ("its author calls it a menu, a footer or the like", "its author does not call it a menu"),
    "content": ("its author does not call it content", "its author calls it content"),
    "links": ("it is mostly links", "it has fewer links"),
    "count": ("it has fewer records", "it has more records"),
    "images": ("fewer of its records have a picture", "more of its records have a picture"),
    "depth": ("it stands less deep in the page", "it stands deeper in the page"),
    "off_centre": ("it stands nearer to the middle", "it stands nearer to an end of the page"),
    "spread": ("its records stand in different places", "its records stand in one place"),
    "gain": ("its records share less of a template", "its records share more of a template"),
    "log_gain": ("its records share less of a template", "its records share more of a template"),
    "relative_gain": ("its records share less of a template", "its records share more of a template"),
    "several": ("several records seem to be in one", "no record seems to hold several"),
    "once": ("its records have some things several times", "its records have everything once"),
    "entropy": ("its records seem to be of two kinds", "its records are of one kind"),
    "columns": ("its records say fewer things", "its records say more things"),
    "missed": ("it leaves out siblings that look like records", "it leaves out nothing that looks like a record"),
    "different": ("its records say the same", "its records say different things"),
    "alike": ("its records are less alike", "its records are more alike"),
}


def reasons(winner: Candidate, loser: Candidate) -> list[str]:
    """What weighed most against the loser."""
    if loser.wanted < winner.wanted:
        return ["it has less of what is wanted"]
    lost = [
        WEIGHTS[name] * (ours - theirs) for name, ours, theirs in zip(SIGNALS, winner.signals, loser.signals, strict=True)
    ]
    total = sum(own for own in lost if own > 0)
    order = sorted(range(len(SIGNALS)), key=lambda number: -lost[number])
    found: list[str] = []
    for number in order:
        if lost[number] < _LEAST_SHARE * total or len(found) == _MOST:
            break
        name = SIGNALS[number]
        less, more = _WORDS[name]
        word = less if (winner.signals[number] > loser.signals[number]) == (WEIGHTS[name] > 0) else more
        if word not in found:
            found.append(word)
    return found or ["it is hardly worse"]
