"""The choice among candidate selectors: the first that extracts what the wrapper extracts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from unweave.selectors.evaluation import (
    SamplePage,
    Value,
    read_text,
    read_texts,
    remove_spaces,
    resolve_link,
)
from unweave.selectors.expressions import (
    Form,
    Selector,
    replace_blank_tests,
    shorten_class_tests,
)
from unweave.wrappers.base import is_value

if TYPE_CHECKING:
    import parsel

MAX_CANDIDATES = 160  # those that are right are mostly among the first five
MAX_WORK_PER_PAGE = 500_000_000
"""The work of testing selectors on a sample page, in visited elements: ten seconds."""

_MIN_AGREEMENT = 0.5  # a selector that finds less of what the wrapper finds is wrong
_HOLDS = 0.99  # the agreement with which a selector holds on a page
_SIMILAR = 0.98  # the largest agreement of lists and columns that are not equal
_FIRST_OF_SEVERAL = 0.999  # the first text is right, but others may come first on other pages
_EMPTY_PAGE_WEIGHT = 0.25  # it is better to find too much than to find too little

NOT_EXPRESSIBLE = {
    Form.CSS: "CSS cannot express its condition: use XPath",
    Form.XPATH: "no selector can express its condition",
}
NOT_FOUND = "no selector finds on the pages what the wrapper finds"
WORK_ENDED = (
    "some selectors were not tried, because they take too long on these pages: "
    "give fewer or smaller ones"
)


@dataclass(frozen=True)
class ChosenSelector:
    """A selector in one of the languages, or the reason why there is none."""

    selector: Selector | None = None
    text: str | None = None
    holds: int | None = None
    """The number of pages on which it finds what the wrapper finds; None if it was not tested."""
    of: int = 0
    note: str = ""


class Budget:
    """The work that may be spent on tests, in equal shares for all fields and columns."""

    def __init__(self, shares: int, units: int) -> None:
        self._shares, self._units, self._share = shares, units, 0

    def open_share(self) -> None:
        """Start the next share: what is left of earlier ones is divided among the rest."""
        self._units += self._share
        self._share = self._units // max(1, self._shares)
        self._units -= self._share
        self._shares -= 1

    def spend(self, units: int) -> bool:
        """Take units from the open share; return whether it has as many."""
        if units > self._share:
            return False
        self._share -= units
        return True


# ---- agreement -----------------------------------------------------------------------------------

Compare = Callable[[Value, Value], float]
"""Returns the agreement of what a selector and a wrapper extract from a page, from 0 to 1."""


def compare_first(found: Value, expected: Value) -> float:
    """Return the agreement of a list of texts with the single text that is expected."""
    texts = found or [None]
    if texts[0] != expected:
        return 0.0
    return 1.0 if len(set(texts)) == 1 else _FIRST_OF_SEVERAL


def compare_texts(found: Value, expected: Value) -> float:
    """Return the share of the texts that both lists have."""
    if found == expected or not isinstance(found, list) or not isinstance(expected, list):
        return float(found == expected)
    common = (Counter(found) & Counter(expected)).total()
    return common / max(len(found), len(expected)) * _SIMILAR


def compare_cells(found: Value, expected: Value) -> float:
    """Return the share of the rows in which both columns are equal."""
    if found == expected or not isinstance(found, list) or not isinstance(expected, list):
        return float(found == expected)
    equal = [left == right for left, right in zip(found, expected, strict=True)]
    return sum(equal) / len(equal) * _SIMILAR


# ---- choice --------------------------------------------------------------------------------------

Read = Callable[[SamplePage, str, Selector], Value]
"""Returns what a selector extracts from a page."""


class ChosenRows(NamedTuple):
    """The selector of rows, and the rows of each sample page that wrapper and selector find."""

    chosen: ChosenSelector
    pairs: dict[SamplePage, list[tuple[int, parsel.Selector]]]


class SelectorChooser:
    """Chooses selectors in one language by tests on sample pages."""

    def __init__(self, form: Form, samples: Sequence[SamplePage], budget: Budget) -> None:
        self.form, self._samples, self._budget = form, samples, budget

    def choose(
        self,
        candidates: Iterable[Selector],
        untested: Iterable[Selector],
        expected: Sequence[Value],
        read: Read,
        compare: Compare = compare_texts,
    ) -> ChosenSelector:
        """Return the first candidate with the best agreement on the sample pages.

        Without pages it is the first of ``untested`` that the language can express, and also if
        the budget did not allow for a test of the right one; the note then says so.
        """
        note = ""
        if self._samples:
            self._budget.open_share()
            chosen, is_complete = self._test(candidates, expected, read, compare)
            if is_complete or chosen.holds == chosen.of:
                return chosen
            if chosen.selector is not None:
                return replace(chosen, note=WORK_ENDED)
            note = WORK_ENDED
        for selector in untested:
            text = selector.format(self.form)
            if text is not None:
                return ChosenSelector(selector, text, note=note)
        return ChosenSelector(note=NOT_EXPRESSIBLE[self.form])

    def _test(
        self,
        candidates: Iterable[Selector],
        expected: Sequence[Value],
        read: Read,
        compare: Compare,
    ) -> tuple[ChosenSelector, bool]:
        """Return the best candidate, and whether the budget allowed for a test of all of them."""
        page_count = len(self._samples)
        weights = [_EMPTY_PAGE_WEIGHT if value is None else 1.0 for value in expected]
        best: tuple[Selector, str, list[float]] | None = None
        best_score, is_complete = -1.0, True
        tested: set[str] = set()
        for selector in candidates:
            text = selector.format(self.form)
            if text is None or text in tested:
                continue
            tested.add(text)
            agreements: list[float] = []
            score, possible = 0.0, sum(weights)
            for sample, value, weight in zip(self._samples, expected, weights, strict=True):
                if not self._budget.spend(sample.estimate_cost(selector)):
                    is_complete = False
                    break
                agreement = compare(read(sample, text, selector), value)
                agreements.append(agreement)
                score += weight * agreement
                possible -= weight * (1 - agreement)
                if possible <= best_score:
                    break
            else:
                best, best_score = (selector, text, agreements), score
            if best_score == sum(weights) or len(tested) >= MAX_CANDIDATES:
                break
        if best is None:
            return ChosenSelector(of=page_count, note=NOT_EXPRESSIBLE[self.form]), is_complete
        selector, text, agreements = best
        pairs = zip(agreements, expected, strict=True)
        found = [agreement for agreement, value in pairs if value is not None]
        if found and sum(found) < _MIN_AGREEMENT * len(found):
            return ChosenSelector(of=page_count, note=NOT_FOUND), is_complete
        holds = sum([agreement > _HOLDS for agreement in agreements])
        return ChosenSelector(selector, self._shorten(text), holds, page_count), is_complete

    def _shorten(self, text: str) -> str:
        """Return an XPath without tests that make no difference on the sample pages."""
        if self.form is not Form.XPATH:
            return text
        blank = replace_blank_tests(text, "[not(normalize-space())]")
        is_possible = blank != text and not text.startswith(".")
        if is_possible and not any(sample.select(self.form, blank) for sample in self._samples):
            text = replace_blank_tests(text, "")
        return shorten_class_tests(text, [sample.classes for sample in self._samples])

    def choose_rows(
        self,
        candidates: Iterable[Selector],
        untested: Iterable[Selector],
        texts: Sequence[list[str]],
    ) -> ChosenRows:
        """Choose the selector of rows that have these texts on the sample pages."""

        def read(sample: SamplePage, text: str, selector: Selector) -> Value:
            rows = sample.select(self.form, text)
            return [remove_spaces(read_text(row)) for row in rows] or None

        chosen = self.choose(candidates, untested, [rows or None for rows in texts], read)
        pairs: dict[SamplePage, list[tuple[int, parsel.Selector]]] = {}
        for sample, rows in zip(self._samples, texts, strict=True):
            results = sample.select(self.form, chosen.text) if chosen.text else []
            pairs[sample] = pair_rows(rows, results)
        return ChosenRows(chosen, pairs)

    def choose_column(
        self,
        candidates: Iterable[Selector],
        columns: Sequence[Value],
        rows: ChosenRows,
        *,
        has_content: Callable[[str], object] = is_value,
        is_url: bool = False,
    ) -> ChosenSelector:
        """Choose the selector of a column that has these cells on the sample pages."""
        if rows.chosen.text is None:
            return ChosenSelector(note=rows.chosen.note)

        def read(sample: SamplePage, text: str, selector: Selector) -> Value:
            cells: list[str | None] = []
            for _, row in rows.pairs[sample]:
                texts = read_texts(sample.select(self.form, text, row), selector, has_content)
                cell = texts[0] if texts else None
                cells.append(resolve_link(sample.page, cell) if cell and is_url else cell)
            return cells if any(cells) else None

        expected: list[Value] = []
        for sample, column in zip(self._samples, columns, strict=True):
            cells = list[str | None]()
            if isinstance(column, list):
                cells = [column[number] for number, _ in rows.pairs[sample]]
            expected.append(cells if any(cells) else None)
        tested = list(candidates)
        return self.choose(tested, tested, expected, read, compare_cells)


def pair_rows(
    texts: Sequence[str], results: Sequence[parsel.Selector]
) -> list[tuple[int, parsel.Selector]]:
    """Return the number of each row of the wrapper with the row of the selector.

    If there are as many of both, they are paired in order, else by their texts.
    """
    if len(texts) == len(results):
        return list(enumerate(results))
    by_text: defaultdict[str, list[parsel.Selector]] = defaultdict(list)
    for result in reversed(results):
        by_text[remove_spaces(read_text(result))].append(result)
    return [(number, by_text[text].pop()) for number, text in enumerate(texts) if by_text[text]]
