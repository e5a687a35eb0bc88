"""Recipes of the documents for other packages, run with these packages or with a stand-in."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

TEXT = Path("docs/how-to/collect-text.md")
MODULE = "datatrove.pipeline.extractors.base"


class BaseExtractor:
    """What extractors of datatrove get from their base, as far as the recipe uses it."""

    def __init__(self, timeout=1):
        self.timeout = timeout

    def run(self, data):
        """Yield the documents with their text extracted, but for those without any."""
        for document in data:
            if text := self.extract(document):
                yield text


@pytest.fixture
def extractor(monkeypatch):
    """An extractor of the class in the document."""
    try:
        __import__(MODULE)
    except ImportError:
        names = MODULE.split(".")
        for number in range(1, len(names) + 1):
            monkeypatch.setitem(
                sys.modules, ".".join(names[:number]), ModuleType(".".join(names[:number]))
            )
        sys.modules[MODULE].BaseExtractor = BaseExtractor
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT.read_text(), re.MULTILINE | re.DOTALL)
    (source,) = [block for block in blocks if MODULE in block]
    names = {}
    exec(compile(source, TEXT.name, "exec"), names)
    return names["Unweave"]()


def test_the_text_of_a_page_is_extracted(extractor):
    text = extractor.extract(Path("examples/text/manual.html").read_text(encoding="utf-8"))
    assert text.startswith("A gauge measures the level of the water above and below a weir.")
    assert extractor.timeout > 1


@pytest.mark.parametrize("text", ["", "\0\0", "plain", "\ud800", "<" * 100_000, '{"a": 1}'])
def test_no_document_ends_the_process(extractor, text):
    """Also the empty text, with which datatrove starts the process."""
    assert isinstance(extractor.extract(text), str)


def test_a_document_is_never_a_file_or_a_url(extractor, tmp_path):
    path = tmp_path / "secret.html"
    path.write_text("<article><p>Nobody may read this sentence, which is secret.</article>")
    assert "secret, which" not in extractor.extract(str(path))
    assert "Nobody may" not in extractor.extract(str(path))
    assert isinstance(extractor.extract("https://127.0.0.1:9/"), str)
