"""Of several selectors, the first that finds on sample pages what the wrapper finds there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from unweave.selectors.evaluation import SamplePage, Value
from unweave.selectors.expressions import Form, Selector, shorten_class_tests, without_blank_tests

# Of many candidates the first ones are tried. Those that are right are mostly among the first five.
MAX_CANDIDATES = 160

MAX_WORK_PER_PAGE = 500_000_000
"""The work that is spent on trying selectors on a sample page, in elements that are visited: ten seconds at most."""

# A selector is given if it finds half of what the wrapper finds; one that finds less is wrong.
_LEAST_RIGHT = 0.5
_NOT_THE_SAME = 0.98
_AMONG_OTHERS = 0.999
_HOLDS = 0.99

# A selector that finds more than the wrapper does is not as bad as one that finds less.
_WEIGHT_OF_NOTHING = 0.25

_CANNOT_SAY = {
    Form.CSS: "CSS cannot say what tells it: ask for XPath",
    Form.XPATH: "no selector can say what tells it",
}
NOT_FOUND = "no selector finds on the pages what the wrapper finds"
WORK_ENDED = "some selectors were not tried, because they take too long on these pages: give fewer or smaller ones"

Reader = Callable[[SamplePage, str, Selector], Value]
"""What a selector finds on a page."""


def same_first(found: Value, wanted: Value) -> float:
    """1 if the first text is the wanted one; a bit less if there are others, which may come first on other pages."""
    texts = found or [None]
    return 0.0 if texts[0] != wanted else 1.0 if len(set(texts)) == 1 else _AMONG_OTHERS


def same_texts(one: Value, other: Value) -> float:
    """1 if both are the same; of lists, about the share of what both have."""
    if one == other or not isinstance(one, list) or not isinstance(other, list):
        return float(one == other)
    common = (Counter(one) & Counter(other)).total()
    return common / max(len(one), len(other)) * _NOT_THE_SAME


def same_cells(one: Value, other: Value) -> float:
    """1 if both are the same; of columns, about the share of the rows that are."""
    if one == other or not isinstance(one, list) or not isinstance(other, list):
        return float(one == other)
    return (
        sum(own == wanted for own, wanted in zip(one, other, strict=True))
        / len(one)
        * _NOT_THE_SAME
    )


@dataclass(frozen=True)
class Chosen:
    """A selector in one of the languages, or why there is none."""

    selector: Selector | None = None
    text: str | None = None
    holds: int | None = None
    """On how many pages it finds what the wrapper finds; None if it was not tried."""
    of: int = 0
    note: str = ""


class Budget:
    """The work that may be spent on trying selectors, in equal shares for all that is exported."""

    def __init__(self, shares: int, units: int) -> None:
        self._shares, self._units, self._share = shares, units, 0

    def open_share(self) -> None:
        """Begin with the next field: what others have left over is divided among those that are left."""
        self._units += self._share
        self._share = self._units // max(1, self._shares)
        self._units -= self._share
        self._shares -= 1

    def spend(self, units: int) -> bool:
        """Take units from the share that is open, if it has as many."""
        is_enough = units <= self._share
        self._share -= units if is_enough else 0
        return is_enough


def choose(
    plainest: Iterable[Selector],
    surest: Iterable[Selector],
    form: Form,
    samples: Sequence[SamplePage],
    expected: Sequence[Value],
    read: Reader,
    alike: Callable[[Value, Value], float] = same_texts,
    budget: Budget | None = None,
) -> Chosen:
    """Return the plainest selector that agrees with the wrapper on most pages; without pages, the surest.

    Where the budget does not allow to try all candidates, the note says so; if none that was tried is right, the
    surest is taken, untried.
    """
    if samples:
        budget = budget or Budget(1, MAX_WORK_PER_PAGE * len(samples))
        budget.open_share()
        trial = _Trial(form, samples, expected, read, alike, budget)
        for selector in plainest:
            trial.add(selector)
            if trial.is_over:
                break
        chosen = trial.result()
        if not trial.is_cut or chosen.holds == chosen.of:
            return chosen
        if chosen.selector is not None:
            return replace(chosen, note=WORK_ENDED)
    for selector in surest:
        if (text := selector.of(form)) is not None:
            return Chosen(selector, text, note=WORK_ENDED if samples else "")
    return Chosen(note=_CANNOT_SAY[form])


class _Trial:
    """Candidates on pages, one after the other."""

    def __init__(
        self,
        form: Form,
        samples: Sequence[SamplePage],
        expected: Sequence[Value],
        read: Reader,
        alike: Callable[[Value, Value], float],
        budget: Budget,
    ) -> None:
        self._form, self._samples, self._expected = form, samples, expected
        self._read, self._alike, self._budget = read, alike, budget
        self.is_cut = False
        """Was a candidate left out, because it would take too long?"""
        self._weights = [_WEIGHT_OF_NOTHING if wanted is None else 1.0 for wanted in expected]
        self._best: tuple[Selector, str, list[float]] | None = None
        self._most = -1.0
        self._tried: set[str] = set()

    @property
    def is_over(self) -> bool:
        """Does one hold on all pages, or were enough tried?"""
        return self._most == sum(self._weights) or len(self._tried) >= MAX_CANDIDATES

    def add(self, selector: Selector) -> None:
        """Try a selector."""
        text = selector.of(self._form)
        if text is None or text in self._tried:
            return
        self._tried.add(text)
        agreed: list[float] = []
        reached, possible = 0.0, sum(self._weights)
        for sample, wanted, weight in zip(
            self._samples, self._expected, self._weights, strict=True
        ):
            if not self._budget.spend(sample.cost(selector)):
                self.is_cut = True
                return
            agreed.append(self._alike(self._read(sample, text, selector), wanted))
            reached += weight * agreed[-1]
            possible -= weight * (1 - agreed[-1])
            if possible <= self._most:
                return  # it cannot be better any more
        self._best, self._most = (selector, text, agreed), reached

    def result(self) -> Chosen:
        """The best of them, if it is any good."""
        pages = len(self._samples)
        if self._best is None:
            return Chosen(of=pages, note=_CANNOT_SAY[self._form])
        selector, text, agreed = self._best
        own = [
            share
            for share, wanted in zip(agreed, self._expected, strict=True)
            if wanted is not None
        ]
        if own and sum(own) < _LEAST_RIGHT * len(own):
            return Chosen(of=pages, note=NOT_FOUND)
        if self._form is Form.XPATH:
            text = shorten_class_tests(self._without_blank_tests(text), self._is_distinct)
        return Chosen(selector, text, sum(share > _HOLDS for share in agreed), pages)

    def _without_blank_tests(self, text: str) -> str:
        """Return the XPath without the tests that texts are not blank, if there are no blank ones on the pages."""
        shorter, blank = (
            without_blank_tests(text),
            without_blank_tests(text, "[not(normalize-space())]"),
        )
        if shorter == text or text.startswith("."):
            return text
        return text if any(own.select(self._form, blank) for own in self._samples) else shorter

    def _is_distinct(self, name: str) -> bool:
        """Is this class part of no other class of the pages?"""
        return not any(
            name in other and name != other for sample in self._samples for other in sample.classes
        )
