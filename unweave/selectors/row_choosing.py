"""The choice of the selector of rows, and of those of what stands in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from unweave.selectors.choosing import Budget, Chosen, choose, same_cells
from unweave.selectors.evaluation import SamplePage, Value, address, said, squeezed, text_of
from unweave.selectors.expressions import Form, Selector
from unweave.wrappers.base import is_value

if TYPE_CHECKING:
    import parsel


class RowChooser:
    """Chooses the selector of rows, and then one for each of their columns."""

    def __init__(
        self,
        form: Form,
        samples: Sequence[SamplePage],
        plainest: Iterable[Selector],
        surest: Iterable[Selector],
        texts: Sequence[list[str]],
        budget: Budget,
    ) -> None:
        self._form = form
        self._samples = samples
        self._budget = budget
        wanted = [own or None for own in texts]
        self.chosen = choose(plainest, surest, form, samples, wanted, self._read, budget=budget)
        found = [
            sample.select(form, self.chosen.text) if self.chosen.text else [] for sample in samples
        ]
        self._pairs = {
            id(sample): paired(own, nodes)
            for sample, own, nodes in zip(samples, texts, found, strict=True)
        }

    def column(
        self,
        candidates: Iterable[Selector],
        expected: Sequence[Value],
        *,
        says: Callable[[str], object] = is_value,
        is_address: bool = False,
    ) -> Chosen:
        """The selector of a column. It is asked of the rows that wrapper and selector both find."""
        if self.chosen.text is None:
            return Chosen(note=self.chosen.note)

        def read(sample: SamplePage, text: str, selector: Selector) -> Value:
            rows = [row for _, row in self._pairs[id(sample)]]
            cells = [
                next(iter(said(sample.select(self._form, text, row), selector, says)), None)
                for row in rows
            ]
            return _some(
                [address(sample.page, cell) if cell and is_address else cell for cell in cells]
            )

        tried = list(candidates)
        wanted = [
            _some([cells[number] for number, _ in self._pairs[id(sample)]])
            if isinstance(cells, list)
            else None
            for sample, cells in zip(self._samples, expected, strict=True)
        ]
        return choose(
            tried, tried, self._form, self._samples, wanted, read, same_cells, self._budget
        )

    def _read(self, sample: SamplePage, text: str, selector: Selector) -> Value:
        return [squeezed(text_of(one)) for one in sample.select(self._form, text)] or None


def paired(
    texts: Sequence[str], nodes: Sequence[parsel.Selector]
) -> list[tuple[int, parsel.Selector]]:
    """The numbers of the wrapper's rows with the selector's: one by one if they are as many, else by what they say."""
    if len(texts) == len(nodes):
        return list(enumerate(nodes))
    saying: defaultdict[str, list[parsel.Selector]] = defaultdict(list)
    for node in reversed(nodes):
        saying[squeezed(text_of(node))].append(node)
    return [(number, saying[text].pop()) for number, text in enumerate(texts) if saying[text]]


def _some(cells: Sequence[str | None]) -> Value:
    """The cells of a column; None if no row has any."""
    return list(cells) if any(cells) else None
