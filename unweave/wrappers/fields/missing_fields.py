"""Find fields that a page lacks where they were learned, by what else is known of them.

- The text at a template path that only one label leads to, if the label is gone or has other words.
- The text that begins with the label inside the texts of a field ("Publisher: Knopf"), if no other
  text does.
- On a changed page also the texts beside a label that stands somewhere else, the only main heading,
  and pieces of texts after their labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from unweave.page.page import Page
from unweave.page.template_paths import UNKNOWN_PATH
from unweave.text_cleaning import normalize_label, strip_label
from unweave.wrappers.base import is_value
from unweave.wrappers.fields.locators import LocatedBy, Locator, may_be_label
from unweave.wrappers.fields.text_labels import MIN_LABELS, cut_text, group_by_sign

if TYPE_CHECKING:
    from unweave.wrappers.fields.apply import Field, FieldWrapper
    from unweave.wrappers.fields.field_matching import FieldMatch, Value

# The fields of these locators have no label of their own, or it is a part of a text.
_OF_SEVERAL = (LocatedBy.JOINED, LocatedBy.PIECE)


class MissingFieldFinder:
    """Finds the fields of a wrapper that exact locators did not find on a page."""

    def __init__(self, wrapper: FieldWrapper) -> None:
        self._fields, self._anchors = wrapper.fields, wrapper.anchors
        self._labels = {
            locator.label for field in self._fields for locator in field.locators if locator.label
        }
        self._label_texts = {text for _, _, text in self._anchors.labels}
        self._by_path = _group_by_unambiguous_path(wrapper)

    def find(
        self,
        page: Page,
        match: FieldMatch,
        looks_wrong: Callable[[Field, str], bool],
        *,
        is_changed: bool,
    ) -> None:
        """Add missing fields to a match.

        Args:
            page: The page.
            match: What was found at learned template paths; fields are added to it.
            looks_wrong: Tells whether a text cannot be a value of a field.
            is_changed: Whether the page has something else in place of what is read.
        """
        missing = [field for field in self._fields if field.name not in match.values]
        if not missing:
            return
        search = _Search(page, match, looks_wrong)
        self._find_by_path(search, missing)
        self._find_by_prefix(search, missing)
        if is_changed:
            self._find_by_label(search, missing)
            self._find_pieces(search, missing)

    def _find_by_path(self, search: _Search, missing: Sequence[Field]) -> None:
        """Add fields at template paths that only one label leads to."""
        names = {field.name for field in missing}
        wanted = {
            path
            for path, fields in self._by_path.items()
            if not names.isdisjoint(field.name for field in fields)
        }
        if not wanted:
            return
        page, paths = search.page, search.match.paths
        nodes_of: defaultdict[int, list[int]] = defaultdict(list)
        for text_node, parent in enumerate(page.text_parents):
            if paths[parent] in wanted and is_value(page.texts[text_node]):
                nodes_of[paths[parent]].append(text_node)
        for path, nodes in nodes_of.items():
            fields = self._by_path[path]
            numbers = [field.number for field in fields if field.number is not None]
            if numbers and len(nodes) > max(numbers) + 1:
                continue  # there are more texts than on the learned pages
            for field in fields:
                if field.name in names - search.match.values.keys():
                    chosen = nodes if field.number is None else nodes[field.number :][:1]
                    search.add(field, chosen)

    def _find_by_prefix(self, search: _Search, missing: Sequence[Field]) -> None:
        """Add fields whose texts begin with a label, if no different text begins with it."""
        labels = {field.text_label for field in missing if field.text_label}
        if not labels:
            return
        beginning: defaultdict[str, list[int]] = defaultdict(list)
        for text_node, text in enumerate(search.page.texts):
            for label in labels:
                if starts_with_label(text, label):
                    beginning[label].append(text_node)
        for field in missing:
            nodes = search.drop_used(beginning[field.text_label]) if field.text_label else []
            texts = {search.page.texts[node] for node in nodes}
            if len(texts) == 1 and field.name not in search.match.values:
                search.add(field, nodes[:1])

    def _find_by_label(self, search: _Search, missing: Sequence[Field]) -> None:
        """Add fields whose label stands in another place, and the main heading."""
        page, match = search.page, search.match
        nodes_of: defaultdict[str, list[int]] = defaultdict(list)
        for text_node, text in enumerate(page.texts):
            if may_be_label(text) and text_node not in search.in_rows:
                nodes_of[normalize_label(text)].append(text_node)
        claimed: set[int] = set()  # the texts of the fields with a number that are added

        def is_label(text_node: int) -> bool:
            return normalize_label(page.texts[text_node]) in self._labels

        for field in missing:
            if field.name in match.values or field.locators[0].by in _OF_SEVERAL:
                continue
            labels = dict.fromkeys(each.label for each in field.locators if each.label)
            known = [label for label in labels if label in nodes_of]
            label_node = -1
            if len(known) == 1:
                label_node = self._choose_label_node(page, nodes_of[known[0]], field.locators)
            if label_node >= 0:
                nodes = _find_texts_beside(page, label_node, is_label)
            elif not labels and self._is_heading(field):
                nodes = _find_only_heading(page)
            else:
                continue
            chosen = [node for node in nodes if is_value(page.texts[node])]
            if field.number is not None:
                chosen = [node for node in chosen[field.number :][:1] if node not in claimed]
            if search.add(field, chosen):
                if label_node >= 0:
                    match.labels.add(label_node)
                if field.number is not None:
                    claimed.update(chosen)

    def _choose_label_node(
        self, page: Page, nodes: Sequence[int], locators: Iterable[Locator]
    ) -> int:
        """Return the text node of a label; -1 if several could be it.

        Of several it is the one that is written as on the learned pages, in an element of the same
        tag.
        """
        tags = {
            self._anchors.paths.parents[locator.label_path][1].split(".")[0].split("#")[0]
            for locator in locators
            if locator.label_path != UNKNOWN_PATH
        }
        conditions: tuple[Callable[[int], bool], ...] = (
            lambda node: page.texts[node] in self._label_texts,
            lambda node: page.tree.labels[page.text_parents[node]] in tags,
        )
        for is_likely in conditions:
            if len(nodes) > 1:
                nodes = [node for node in nodes if is_likely(node)] or nodes
        return nodes[0] if len(nodes) == 1 else -1

    def _find_pieces(self, search: _Search, missing: Sequence[Field]) -> None:
        """Add fields whose label stands inside a text in another place, with one more of them."""
        page, match = search.page, search.match
        labels_of = [
            (field, normalize_label(field.locators[0].label))
            for field in missing
            if field.name not in match.values and field.locators[0].by is LocatedBy.PIECE
        ]
        if not labels_of:
            return
        used = match.text_nodes | search.in_rows
        found: defaultdict[str, list[Value]] = defaultdict(list)
        for labels in group_by_sign(self._anchors.text_labels.values()):
            for node, text in enumerate(page.texts):
                for piece in () if node in used else cut_text(text, labels):
                    value = (piece.text, range(node, node + 1))
                    found[normalize_label(piece.label)].append(value)
        if len(found) < MIN_LABELS:
            return
        for field, label in labels_of:
            values = found[label]
            if len(values) == 1 and not search.looks_wrong(field, values[0][0]):
                match.values[field.name] = values
                match.moved.add(field.name)

    def _is_heading(self, field: Field) -> bool:
        """Tell whether a field is the main heading."""
        path = field.locators[0].path
        return path >= 0 and self._anchors.paths.parents[path][1].startswith("h1")


class _Search:
    """A page on which missing fields are looked for."""

    def __init__(
        self, page: Page, match: FieldMatch, looks_wrong: Callable[[Field, str], bool]
    ) -> None:
        self.page, self.match, self.looks_wrong = page, match, looks_wrong
        found = match.values.values()
        self._used = {node for texts in found for _, nodes in texts for node in nodes}
        self.in_rows = {
            text_node
            for _, row in match.rows  # rows are not inside of each other
            for text_node in page.text_nodes(row.node)
        }

    def drop_used(self, text_nodes: Iterable[int]) -> list[int]:
        """Return text nodes without labels and those of other fields and tables."""
        used = (self._used, self.in_rows, self.match.labels)
        return [node for node in text_nodes if not any(node in nodes for nodes in used)]

    def add(self, field: Field, text_nodes: Iterable[int]) -> bool:
        """Add the texts of a field that are not those of other fields; tell whether it has any."""
        texts = self.page.texts
        values = [
            (texts[node], range(node, node + 1))
            for node in self.drop_used(text_nodes)
            if not self.looks_wrong(field, texts[node])
        ]
        if values:
            self.match.values[field.name] = values
            self.match.moved.add(field.name)
        return bool(values)


def starts_with_label(text: str, label: str) -> bool:
    """Tell whether a text begins with a label inside it, and has a value after the label."""
    return strip_label(text, label) != text


def _group_by_unambiguous_path(wrapper: FieldWrapper) -> dict[int, list[Field]]:
    """Return the fields of the template paths that only one label leads to."""
    locators: defaultdict[int, set[Locator]] = defaultdict(set)
    fields_at: defaultdict[int, list[Field]] = defaultdict(list)
    for field in wrapper.fields:
        for locator in dict.fromkeys(field.locators):
            locators[locator.path].add(locator)
            fields_at[locator.path].append(field)
    open_paths = {path for path, _ in wrapper.label_value_rows}
    return {
        path: fields_at[path]
        for path, found in locators.items()
        if len(found) == 1 and path not in open_paths and next(iter(found)).by is LocatedBy.LABEL
    }


def _find_texts_beside(page: Page, label: int, is_label: Callable[[int], bool]) -> Sequence[int]:
    """Return the text nodes that follow a label: in its element, else in the next one."""
    tree, node = page.tree, page.text_parents[label]
    while node > 0 and page.count_texts(node) == 1:
        node = tree.parents[node]
    following = label + 1
    if following >= page.text_ends[node] or is_label(following):
        return ()
    child = page.text_parents[following]
    if child == node:
        return [following]
    while tree.parents[child] != node:
        child = tree.parents[child]
    nodes: list[int] = []
    for text_node in range(following, page.text_ends[child]):
        if is_label(text_node):
            break
        nodes.append(text_node)
    return nodes


def _find_only_heading(page: Page) -> Sequence[int]:
    """Return the text nodes of the h1 element, if there is one only."""
    headings = [node for node, tag in enumerate(page.tree.labels) if tag == "h1"]
    return page.text_nodes(headings[0]) if len(headings) == 1 else ()
