"""Pages with the truth of their main content: their blocks, the features and labels of these."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.corpus import PageSet
from bench.scoring import OUTPUT
from bench.text_labels import label_blocks, split_words
from unweave.content.block_features import (
    ElementFeatures,
    PageBlocks,
    PlaceFeatures,
    TextFeatures,
    describe_blocks,
)
from unweave.content.blocks import find_blocks
from unweave.content.main_content import find_readable_page
from unweave.content.page_type import (
    PAGE_TYPES,
    PageTypeFeatures,
    describe_page,
    list_page_words,
)
from unweave.page.page import Page

FOLDS = 5
_BLOCK_FEATURES = sum(
    len(features._fields) for features in (TextFeatures, PlaceFeatures, ElementFeatures)
)
_CODE = ("blocks", "block_features", "page_type", "body")
_FOLDER = Path("unweave/content")


@dataclass(frozen=True)
class Example:
    """A page with truth: its blocks, their features and labels, and those of the page."""

    set: str
    page: str
    site: str
    type: str
    truth: str
    fold: int
    described: PageBlocks
    """The blocks without the page."""
    features: NDArray[np.float32]
    """All features of the first pass."""
    labels: NDArray[np.float32]
    near: Sequence[Sequence[str]]
    far: Sequence[int]
    """The node around each block that is the first of its far ones."""
    nodes: Mapping[int, tuple[int, Sequence[str]]]
    """The parent and the names of each node."""
    page_features: PageTypeFeatures
    page_words: Mapping[str, Sequence[str]]

    @property
    def type_number(self) -> int:
        return PAGE_TYPES.index(self.type)


def read_examples(page_set: PageSet) -> list[Example]:
    """Return the pages of a set; they are kept until the code changes."""
    code = b"".join((_FOLDER / f"{name}.py").read_bytes() for name in _CODE)
    code += b"".join(
        map(Path.read_bytes, (Path(__file__).with_name("text_labels.py"), Path(__file__)))
    )
    name = hashlib.sha256(code + page_set.digest.encode()).hexdigest()[:12]
    cache = OUTPUT / f"text-{name}.pickle"
    if cache.exists():
        return list(pickle.loads(cache.read_bytes()))  # its own file
    with ProcessPoolExecutor(2) as workers:
        read = workers.map(partial(_read_example, page_set), page_set.read_pages(), chunksize=16)
        examples = list(read)
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_bytes(pickle.dumps(examples))
    return examples


def _read_example(page_set: PageSet, truth: dict[str, Any]) -> Example:
    page = Page.load(page_set.folder / truth["page"])
    readable = find_readable_page(page)
    described = describe_blocks(readable, find_blocks(readable, with_hidden=True))
    is_news = page_set.task == "news"
    text = truth["body" if is_news else "text"] or ""
    labels = label_blocks(
        [split_words(block.text) for block in described.blocks], split_words(text)
    )
    parents = readable.tree.parents
    numbers = range(len(described.blocks))
    return Example(
        page_set.name,
        truth["page"],
        truth["site"],
        "article" if is_news else truth["type"],
        text,
        int(hashlib.sha256(truth["site"].encode()).hexdigest(), 16) % FOLDS,
        replace(described, page=_NO_PAGE, names={}),
        np.array(
            [
                (*text, *place, *described.elements[element])
                for text, place, element in zip(
                    described.texts, described.places, described.element_numbers, strict=True
                )
            ],
            np.float32,
        ).reshape(-1, _BLOCK_FEATURES),
        np.array(labels, np.float32),
        [described.list_near_names(number) for number in numbers],
        [described.find_far_node(number) for number in numbers],
        {node: (parents[node], names) for node, names in described.names.items()},
        describe_page(described),
        list_page_words(described, page),
    )


_NO_PAGE = Page.parse("<p>no page</p>")
