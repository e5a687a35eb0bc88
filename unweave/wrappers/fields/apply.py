"""A wrapper for detail pages: fields located by labels, columns and template paths, each by itself.

Nothing is matched as a whole: a label that is missing on a page costs the fields that it locates,
and no other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unweave.column_selection import ColumnSpec, parse_columns
from unweave.names import UniqueNames
from unweave.page.page import Page
from unweave.page.template_paths import UNKNOWN_PATH, TemplatePaths
from unweave.schema import Schema
from unweave.text_cleaning import normalize_label
from unweave.values.look import NO_LOOK, ValueLook
from unweave.wrappers.base import (
    EXPECTED_SHARE,
    Description,
    Extraction,
    FieldDescription,
    Fields,
    Wrapper,
    clean_fields,
    clean_text,
    is_field_name,
)
from unweave.wrappers.fields.field_matching import FieldFinder, FieldMatch
from unweave.wrappers.fields.label_matching import (
    Label,
    LabelUse,
    labels_to_json,
    pair_reworded_labels,
    read_labels,
)
from unweave.wrappers.fields.locators import (
    Anchors,
    LocatedBy,
    Locator,
    Position,
)
from unweave.wrappers.fields.path_matching import PathStatistics, measure_known_share
from unweave.wrappers.fields.row_tables import (
    CellPath,
    RowColumn,
    RowTable,
    find_column_text_nodes,
    read_columns,
)
from unweave.wrappers.fields.selection import (
    SelectedField,
    count_names,
    drop_unknown_fields,
    make_column,
    make_schema,
    select_by_name,
)
from unweave.wrappers.fields.text_labels import read_text_labels

if TYPE_CHECKING:
    from unweave.selectors.evaluation import SamplePage
    from unweave.selectors.export import Export

_MAX_ENTRIES = 100_000  # of each list of a wrapper file
_MAX_COLUMNS = 2_000
_MAX_PAGES = 1_000_000_000
_MAX_EXAMPLES = 50  # of a field that are read from a file
_DESCRIBED_STEPS = 3
# How much a field counts in the fit if it moved, and if its value looks unlike the learned ones.
_MOVED_AGREEMENT = 0.95
_UNUSUAL_AGREEMENT = 0.5
# The field of this rank counts half as much as the first one.
_HALF_WEIGHT_RANK = 5
# A field of an old wrapper is added if a locator finds the texts that it reads, with this F1.
_MIN_ADDED_F1 = 0.8


@dataclass(frozen=True)
class Field:
    """A field: the n-th text of a locator on a page, or all of them as a list."""

    name: str
    locators: tuple[Locator, ...]
    """How it is located; a page has texts of one of them."""
    number: int | None
    """Which text of the locator, counted from 0; None for all."""
    share: float
    """The share of the learned pages that had it."""
    examples: tuple[str, ...] = ()
    is_other: bool = False
    """Whether it is given among the others, and not as a column."""
    text_label: str = ""
    """The label that its texts start with; tables and values have the texts without it."""
    look: ValueLook = NO_LOOK
    """What the texts of all learned pages have in common."""

    def clean_examples(self) -> list[str]:
        """Return the examples as tables have them."""
        return [clean_text(text, self.text_label) for text in self.examples]


@dataclass(frozen=True)
class FieldWrapper(Wrapper):
    """What is stable in the pages of a template, and the fields that are located by it."""

    method = "fields"
    gives_fields = True
    knows_missing = True

    anchors: Anchors
    fields: tuple[Field, ...]
    label_value_rows: frozenset[tuple[int, int]]
    """Template paths of values and labels of label-value rows, where new labels name new fields."""
    pages: int
    """How many pages it was learned from."""
    tables: tuple[RowTable, ...] = ()
    """The tables inside the pages."""
    statistics: PathStatistics | None = None
    """How the learned pages use the template paths; None in older files."""
    labels: tuple[Label, ...] = ()
    """The labels in their usual order; empty in older files."""
    selected: tuple[SelectedField, ...] = ()
    """The fields of the result, if somebody chose them."""

    # ---- pages -----------------------------------------------------------------------------------

    def apply(self, page: Page) -> Extraction:
        """Extract the fields of a page.

        The fit is the share of the expected fields that it has, the first of which count most,
        times the share of its texts at template paths, compared with the learned pages.
        """
        match = self.match(page)
        if self.selected:
            return self._select(page, match)
        fields: Fields = {}
        others: Fields = {}
        for name, texts in match.values.items():
            is_list = len(texts) > 1 or name in self._list_names
            target = fields if name in self._column_names else others
            target[name] = [text for text, _ in texts] if is_list else texts[0][0]
        fields |= read_columns(page, match.rows)
        counted = self._expected_names or list(self._column_names)
        return Extraction(
            fields=fields or None,
            others=others,
            fit=self._compute_fit(
                page,
                match,
                [
                    (name, name in fields, 1 / (1 + rank / _HALF_WEIGHT_RANK))
                    for rank, name in enumerate(counted)
                ],
            ),
            missing=tuple([name for name in self._expected_names if name not in fields]),
            moved=tuple([name for name in fields if name in match.moved]),
            unusual=tuple([name for name in fields if name in match.unusual]),
            warnings=page.warnings,
            text_labels=self._text_labels,
        )

    def _select(self, page: Page, match: FieldMatch) -> Extraction:
        """Return the selected fields; those that pages usually have count in the fit."""
        columns = read_columns(page, match.rows)
        fields: Fields = {}
        labels = {each.name: self._text_labels.get(each.field, "") for each in self.selected}
        for each in self.selected:
            cell = columns.get(each.field) or each.read(page, match.values.get(each.field, ()))
            if cell is not None:
                fields[each.name] = cell
        cleaned = clean_fields(fields, labels)
        shares = {field.name: field.share for field in self.fields}
        expected = [
            each
            for each in self.selected
            if each.is_required or shares.get(each.field, 0.0) >= EXPECTED_SHARE
        ]
        counted = expected or [each for each in self.selected if each.field]
        return Extraction(
            fields=fields or None,
            fit=self._compute_fit(
                page, match, [(each.field, each.name in fields, 1.0) for each in counted]
            ),
            missing=tuple([each.name for each in expected if each.name not in fields]),
            moved=tuple([each.name for each in self.selected if each.field in match.moved]),
            unusual=tuple([each.name for each in self.selected if each.field in match.unusual]),
            values={
                each.name: value
                for each in self.selected
                if (value := each.parse(cleaned.get(each.name))) is not None
            },
            invalid=tuple(
                [
                    each.name
                    for each in self.selected
                    if each.name in fields and not each.accepts(cleaned[each.name])
                ]
            ),
            warnings=page.warnings,
            text_labels=labels,
        )

    def _compute_fit(
        self, page: Page, match: FieldMatch, counted: Sequence[tuple[str, bool, float]]
    ) -> float:
        """Return how much of the template a page has.

        It is the share of the fields that are found, of which moved and unusual ones count less,
        times the share of the texts at template paths, as a multiple of that of learned pages.

        Args:
            page: The page.
            match: What was found on it.
            counted: The names of fields, whether the page has them, and their weights.
        """
        evidence = total = 0.0
        for name, is_found, weight in counted:
            agreement = _MOVED_AGREEMENT if name in match.moved else 1.0
            agreement *= _UNUSUAL_AGREEMENT if name in match.unusual else 1.0
            evidence += weight * agreement if is_found else 0.0
            total += weight
        found = evidence / total if total else 0.0
        usual = self.statistics.known_share if self.statistics else 0.0
        if not usual or not found:  # older files do not have it
            return found
        return found * min(1.0, measure_known_share(page, match.paths) / usual)

    def select(self, *columns: ColumnSpec | str) -> FieldWrapper:
        """Return the wrapper with these fields only, renamed and retyped, in this order.

        They are named as in the result, or else as in ``describe_fields``.
        """
        texts = {field.name: field.clean_examples() for field in self.fields}
        for table in self.tables:
            texts |= {column.name: list(column.examples) for column in table.columns}
        earlier = {each.name: each for each in self.selected}
        selected: list[SelectedField] = []
        for spec in parse_columns(columns):
            if spec.column in earlier:
                each = earlier[spec.column]
                selected.append(each.change(spec, texts.get(each.field, ())))
            else:
                selected += self.select_fields([spec], texts).selected
        return replace(self, selected=tuple(selected))

    def select_fields(
        self, specs: Sequence[ColumnSpec], texts: Mapping[str, Sequence[str]]
    ) -> FieldWrapper:
        """Return the wrapper with these fields only, given values of all its fields."""
        columns = frozenset([column.name for table in self.tables for column in table.columns])
        return replace(self, selected=select_by_name(specs, texts, self._list_names, columns))

    def drop_selection(self) -> FieldWrapper:
        """Return the wrapper with all fields under their own names."""
        return replace(self, selected=())

    def drop_unknown(self) -> FieldWrapper:
        """Return the wrapper without what it selects and does not have."""
        return replace(self, selected=drop_unknown_fields(self.selected, self._names))

    @property
    def schema(self) -> Schema:
        """The schema of the result: names, types, and which fields every page has."""
        columns = []
        for field in self.columns:
            column = make_column(field.name, "", field.clean_examples())
            columns.append((column, field.number is None, field.share, ""))
        for table in self.tables:
            for each in table.columns:
                column = make_column(each.name, "", each.examples)
                columns.append((column, True, table.share, f"column of {table.name}"))
        return make_schema(self.selected, columns)

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes that each field or column of a page came from."""
        match = self.match(page)
        provenance: dict[str, list[int]] = {}
        for name, texts in match.values.items():
            provenance[name] = sorted({node for _, text_nodes in texts for node in text_nodes})
        provenance |= find_column_text_nodes(match.rows)
        if not self.selected:
            return provenance
        return {
            each.name: provenance[each.field] for each in self.selected if each.field in provenance
        }

    def match(self, page: Page) -> FieldMatch:
        """Return what the wrapper finds on a page, and where."""
        return self._finder.find_fields(page)

    @cached_property
    def _finder(self) -> FieldFinder:
        return FieldFinder(self)

    @cached_property
    def _names(self) -> frozenset[str]:
        columns = [column.name for table in self.tables for column in table.columns]
        return frozenset([*[field.name for field in self.fields], *columns])

    @cached_property
    def _text_labels(self) -> dict[str, str]:
        """The labels inside the texts of fields, by their names."""
        return {field.name: field.text_label for field in self.fields if field.text_label}

    @cached_property
    def _list_names(self) -> frozenset[str]:
        return frozenset([field.name for field in self.fields if field.number is None])

    @property
    def columns(self) -> list[Field]:
        """The fields that are not among the others, in order."""
        return [field for field in self.fields if not field.is_other]

    @cached_property
    def _column_names(self) -> dict[str, None]:
        return dict.fromkeys([field.name for field in self.columns])

    @cached_property
    def _expected_names(self) -> list[str]:
        return [field.name for field in self.columns if field.share >= EXPECTED_SHARE]

    # ---- description and selectors ---------------------------------------------------------------

    @cached_property
    def nested_tables(self) -> dict[str, list[str]]:
        """The tables inside the pages: the names of their columns by the names of the tables."""
        return {table.name: [column.name for column in table.columns] for table in self.tables}

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        fields = tuple(self.describe_fields())
        note = "It knows rows of a label and a value: a new label there becomes a new field."
        lines = [note] if self.label_value_rows else []
        others = sum([field.is_other for field in fields])
        more = f" and {others} others" if others else ""
        return Description(
            summary=f"{len(fields) - others} fields{more}, learned from {self.pages} pages",
            lines=(*lines, *[f"selected: {each.describe()}" for each in self.selected]),
            fields=fields,
        )

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe each field, and each column of the tables inside the pages."""
        for field in self.fields:
            locator = field.locators[0]
            if locator.label:
                by = "column" if locator.by is LocatedBy.COLUMN else "label"
                located_by = f"{by} {locator.label}"
            else:
                steps = self.anchors.paths.list_steps(locator.path)
                located_by = "/".join(steps[-_DESCRIBED_STEPS:])
            is_list = field.number is None
            yield FieldDescription(
                field.name,
                located_by,
                is_list,
                field.share,
                field.examples,
                is_other=field.is_other,
            )
        for table in self.tables:
            for column in table.columns:
                located_by = f"row of {table.name}"
                yield FieldDescription(
                    column.name, located_by, True, table.share, column.examples, table.name
                )

    def rename_fields(self, names: Mapping[str, str], old: Wrapper) -> FieldWrapper:
        """Return the wrapper with new names; the fields of the old one come first, in its order.

        Those that were columns stay columns, and those that were others stay others.
        """
        described = list(old.describe_fields())
        order = {field.name: number for number, field in enumerate(described)}
        others = {field.name: field.is_other for field in described}
        fields = [
            replace(field, name=name, is_other=others.get(name, field.is_other))
            for field in self.fields
            for name in [names[field.name]]
        ]
        fields.sort(key=lambda field: order.get(field.name, len(order)))
        old_tables = {
            column: table for table, columns in old.nested_tables.items() for column in columns
        }
        tables: list[RowTable] = []
        unique = UniqueNames()
        for table in self.tables:
            columns = tuple([column._replace(name=names[column.name]) for column in table.columns])
            known = Counter(
                [old_tables[column.name] for column in columns if column.name in old_tables]
            )
            name = known.most_common(1)[0][0] if known else table.name
            tables.append(table._replace(name=unique.add(name), columns=columns))
        selected = old.selected if isinstance(old, FieldWrapper) else ()
        return replace(self, fields=tuple(fields), tables=tuple(tables), selected=selected)

    def pair_reworded(self, old: Wrapper) -> dict[str, str]:
        """Return the labels of an old wrapper that this one has in other words."""
        if not isinstance(old, type(self)):
            return {}
        reworded = pair_reworded_labels(old._describe_labels(), self._describe_labels())
        return {f"label {label}": f"label {words}" for label, words in reworded.items()}

    def _describe_labels(self) -> dict[str, LabelUse]:
        """Return how each label of fields is used, in the order of the labels."""
        examples: dict[str, list[str]] = defaultdict(list)
        for field in self.fields:
            if field.locators[0].by is LocatedBy.LABEL:
                examples[field.locators[0].label] += field.examples
        uses: dict[str, LabelUse] = {}
        for label in self.labels:
            text = normalize_label(label.text[2])
            if examples.get(text):
                uses.setdefault(text, LabelUse(label.share, examples[text]))
        return uses

    def add_fields(
        self,
        old: Wrapper,
        nodes: Mapping[str, set[tuple[int, int]]],
        pages: Sequence[Page],
    ) -> FieldWrapper:
        """Return the wrapper with fields of an old one that have a locator of their own here.

        They are fields that these pages happen to share, or that few of them have.
        """
        old_fields = (
            {field.name: field for field in old.fields} if isinstance(old, type(self)) else {}
        )
        names_of: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for name in nodes.keys() & old_fields.keys():
            for node in nodes[name]:
                names_of[node].append(name)
        located: defaultdict[tuple[Locator, int | None], set[tuple[int, int]]] = defaultdict(set)
        for number, page in enumerate(pages):
            for text in self._finder.locate_texts(page):
                found = [(number, node) for node in text.text_nodes]
                located[text.locator, None].update(found)
                located[text.locator, text.number].update(found)
        for field in self.fields:
            for locator in field.locators:
                located.pop((locator, field.number), None)
        best: dict[str, tuple[float, Locator, int | None]] = {}
        for (locator, text_number), found_nodes in located.items():
            for name in {name for node in found_nodes for name in names_of.get(node, ())}:
                f1 = 2 * len(found_nodes & nodes[name]) / (len(found_nodes) + len(nodes[name]))
                if f1 >= max(_MIN_ADDED_F1, best.get(name, (0.0,))[0]):
                    best[name] = f1, locator, text_number
        fields = [
            replace(old_fields[name], locators=(locator,), number=text_number)
            for name, (_, locator, text_number) in best.items()
        ]
        return replace(self, fields=(*self.fields, *fields))

    def build_selectors(
        self, form: str, samples: Sequence[SamplePage], progress: Callable[[int, int], None]
    ) -> Export:
        """Return the wrapper as selectors, tested on sample pages."""
        from unweave.selectors.export import export_fields

        return export_fields(self, form, samples, progress=progress)

    # ---- files -----------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data."""
        anchors = self.anchors
        numbers = anchors.paths.numbers
        return {
            "pages": self.pages,
            "stable": sorted(anchors.paths.stable),
            "places": [list(parent) for parent in sorted(numbers, key=numbers.__getitem__)],
            "lone": sorted(anchors.single_text_paths),
            "labels": sorted(map(list, anchors.labels)),
            "label_spots": sorted(map(list, anchors.label_positions)),
            "colon_spots": sorted(map(list, anchors.colon_positions)),
            **({"text_labels": _text_labels_to_json(anchors)} if anchors.text_labels else {}),
            "open_rows": sorted(map(list, self.label_value_rows)),
            "fields": [_field_to_json(field) for field in self.fields],
            "tables": [_table_to_json(table) for table in self.tables],
            **({"statistics": self.statistics.to_json()} if self.statistics else {}),
            **({"label_order": labels_to_json(self.labels)} if self.labels else {}),
            **({"selected": [each.to_json() for each in self.selected]} if self.selected else {}),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> FieldWrapper:
        """Read untrusted plain data."""
        anchors = _read_anchors(data)
        statistics = data.get("statistics")
        path_count = len(anchors.paths.numbers)
        wrapper = cls(
            anchors=anchors,
            fields=tuple(map(_read_field, _check_list(data["fields"]))),
            label_value_rows=_read_pairs(data["open_rows"]),
            pages=_read_page_count(data),
            tables=tuple(map(_read_table, _check_list(data["tables"]))),
            statistics=(
                None if statistics is None else PathStatistics.from_json(statistics, path_count)
            ),
            labels=read_labels(_check_list(data.get("label_order", []))),
            selected=tuple(map(SelectedField.from_json, _check_list(data.get("selected", [])))),
        )
        wrapper._check()
        return wrapper

    def _check(self) -> None:
        """Raise ValueError for names that are used twice, missing locators and unknown paths."""
        column_count = sum(len(table.columns) for table in self.tables)
        paths: list[int] = []
        for table in self.tables:
            if len(set(table.paths)) < len(table.paths):
                raise ValueError("a table has a template path twice")
            paths += table.paths
        for field in self.fields:
            if not field.locators:
                raise ValueError("a field has no locators")
            for locator in field.locators:
                paths += (locator.path, locator.label_path)
        if any(count > 1 for count in count_names(self.selected).values()):
            raise ValueError("two selected fields have one name")
        if any(each.field and each.field not in self._names for each in self.selected):
            raise ValueError("it selects a field that does not exist")
        if column_count > _MAX_COLUMNS:
            raise ValueError("it has too many columns")
        if len(self._names) < len(self.fields) + column_count:
            raise ValueError("two fields or columns have one name")
        if len({table.name for table in self.tables}) < len(self.tables):
            raise ValueError("two tables have one name")
        path_count = len(self.anchors.paths.numbers)
        label_paths = [path for path, _, _ in self.anchors.labels]
        if not all(UNKNOWN_PATH <= path < path_count for path in paths) or not all(
            0 <= path < path_count for path in label_paths
        ):
            raise ValueError("a template path is unknown")


def _field_to_json(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "roles": [list(locator) for locator in field.locators],
        "number": field.number,
        "share": round(field.share, 4),
        "examples": list(field.examples),
        **({"other": True} if field.is_other else {}),
        **({"text_label": field.text_label} if field.text_label else {}),
        **({"look": look} if (look := field.look.to_json()) else {}),
    }


def _table_to_json(table: RowTable) -> dict[str, Any]:
    columns = [
        {
            "name": column.name,
            "path": column.cell.path,
            "cell": column.cell.column,
            "number": column.number,
            "examples": list(column.examples),
        }
        for column in table.columns
    ]
    return {
        "name": table.name,
        "rows": list(table.paths),
        "share": round(table.share, 4),
        "columns": columns,
    }


def _text_labels_to_json(anchors: Anchors) -> list[list[Any]]:
    return [[*position, list(labels)] for position, labels in sorted(anchors.text_labels.items())]


def _check_list(values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) > _MAX_ENTRIES:
        raise ValueError("a list is missing or too long")
    return values


def _read_anchors(data: dict[str, Any]) -> Anchors:
    numbers: dict[tuple[int, str], int] = {}
    for number, (parent, step) in enumerate(_check_list(data["places"])):
        key = (int(parent), str(step))
        if not UNKNOWN_PATH <= key[0] < number or key in numbers:
            raise ValueError("the template paths are not a tree")
        numbers[key] = number
    labels = _check_list(data["labels"])
    return Anchors(
        paths=TemplatePaths(frozenset(map(str, _check_list(data["stable"]))), numbers),
        labels=frozenset((int(path), int(column), str(text)) for path, column, text in labels),
        single_text_paths=frozenset(map(int, _check_list(data["lone"]))),
        label_positions=_read_pairs(data["label_spots"]),
        colon_positions=_read_pairs(data["colon_spots"]),
        text_labels={
            (int(path), int(column)): read_text_labels(_check_list(texts))
            for path, column, texts in _check_list(data.get("text_labels", []))
        },
    )


def _read_pairs(values: Any) -> frozenset[Position]:
    return frozenset((int(left), int(right)) for left, right in _check_list(values))


def _read_field(data: dict[str, Any]) -> Field:
    locators = tuple(
        Locator(LocatedBy(by), int(path), str(label), int(label_path))
        for by, path, label, label_path in _check_list(data["roles"])
    )
    return Field(
        name=_read_name(data),
        locators=locators,
        number=None if data["number"] is None else int(data["number"]),
        share=_read_share(data),
        examples=_read_examples(data),
        is_other=data.get("other") is True,
        text_label=str(data.get("text_label", "")),
        look=ValueLook.from_json(data.get("look", {})),
    )


def _read_table(data: dict[str, Any]) -> RowTable:
    return RowTable(
        name=_read_name(data),
        paths=tuple(map(int, _check_list(data["rows"]))),
        share=_read_share(data),
        columns=tuple(map(_read_column, _check_list(data["columns"]))),
    )


def _read_column(data: dict[str, Any]) -> RowColumn:
    return RowColumn(
        name=_read_name(data),
        cell=CellPath(str(data["path"]), int(data["cell"])),
        number=None if data["number"] is None else int(data["number"]),
        examples=_read_examples(data),
    )


def _read_page_count(data: dict[str, Any]) -> int:
    pages = int(data["pages"])
    if not 0 <= pages <= _MAX_PAGES:
        raise ValueError("the number of its pages is out of range")
    return pages


def _read_share(data: dict[str, Any]) -> float:
    share = float(data["share"])
    if not 0 <= share <= 1:  # NaN is refused, too
        raise ValueError("a share is not between 0 and 1")
    return share


def _read_examples(data: dict[str, Any]) -> tuple[str, ...]:
    return tuple(map(str, _check_list(data["examples"])[:_MAX_EXAMPLES]))


def _read_name(data: dict[str, Any]) -> str:
    name = str(data["name"])
    if not is_field_name(name):
        raise ValueError("a field has no valid name")
    return name
