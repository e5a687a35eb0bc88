"""The pages and wrappers that the arguments of tools name. All arguments are untrusted."""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from pydantic import BaseModel, ConfigDict, Field

from unweave.errors import SourceError, UsageError, WrapperError
from unweave.fetching.fetch import Fetcher
from unweave.fetching.urls import MAX_URL_CHARACTERS
from unweave.loading import make_fetcher
from unweave.page.limits import DEFAULT_LIMITS, MIB, Limits
from unweave.page.page import Page
from unweave.text_cleaning import replace_control_characters
from unweave.wrappers.base import Wrapper

MAX_WRAPPER_BYTES = 16 * MIB
MAX_NAME_CHARACTERS = 4_000
MAX_WRAPPERS = 20
"""The wrappers that are kept for one client; the oldest ones beyond are dropped."""
MAX_TOTAL_BYTES = 64 * MIB
"""For all pages of one call."""

_MAX_SHOWN_CHARACTERS = 200
# Not every system has them. A named pipe would otherwise be waited for.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class PageSource(BaseModel):
    """One page: its HTML, a file below the server's root folder, or a URL to fetch."""

    model_config = ConfigDict(extra="forbid")

    html: str | None = Field(None, description="The HTML of the page.")
    file: str | None = Field(
        None,
        max_length=MAX_NAME_CHARACTERS,
        description="A file below the root folder of the server.",
    )
    url: str | None = Field(
        None,
        max_length=MAX_URL_CHARACTERS,
        description="The URL to fetch the page from; with html or file, where it came from, so that"
        " links are absolute.",
    )
    charset: str | None = Field(
        None, max_length=100, description="The encoding, if the page does not tell it."
    )


class WrapperSource(BaseModel):
    """One wrapper: its id, its JSON, or a file below the server's root folder."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = Field(
        None, max_length=MAX_NAME_CHARACTERS, description="The id that learn_wrapper returned."
    )
    text: str | None = Field(None, description="The wrapper as JSON text.")
    file: str | None = Field(
        None,
        max_length=MAX_NAME_CHARACTERS,
        description="A wrapper file below the root of the server.",
    )


class Inputs:
    """Load pages and wrappers, within the bounds that the user of the server has set.

    ``root`` is the folder whose files can be read; without it, none can.
    """

    def __init__(
        self,
        root: Path | None = None,
        *,
        allow_private: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        fetcher: Fetcher | None = None,
    ) -> None:
        if root is not None and not root.is_dir():
            raise UsageError(f"the root {str(root)!r} is not a folder")
        self._root = root and root.resolve()
        self._limits = limits
        self._fetcher = fetcher or make_fetcher(allow_private)
        self._wrappers: OrderedDict[str, Wrapper] = OrderedDict()
        self._wrapper_count = 0
        self._lock = Lock()

    def load_page(self, source: PageSource) -> Page:
        """Return the page of a source. Raises UnweaveError."""
        markup, url, charset = self._read_markup(source)
        return Page.parse(markup, url=url, charset=source.charset or charset, limits=self._limits)

    def load_pages(self, sources: list[PageSource]) -> list[Page]:
        """Return several pages, which have a limit together. Raises UnweaveError."""
        pages: list[Page] = []
        total_bytes = 0
        for source in sources:
            markup, url, charset = self._read_markup(source)
            total_bytes += len(markup)
            if total_bytes > MAX_TOTAL_BYTES:
                raise UsageError(
                    f"the pages have more than {MAX_TOTAL_BYTES:,} bytes together: give fewer"
                )
            charset = source.charset or charset
            pages.append(Page.parse(markup, url=url, charset=charset, limits=self._limits))
        return pages

    def load_wrapper(self, source: WrapperSource) -> Wrapper:
        """Return the wrapper of a source. Raises UnweaveError."""
        given = [value for value in (source.id, source.text, source.file) if value is not None]
        if len(given) != 1:
            raise UsageError("a wrapper needs exactly one of id, text and file")
        if source.id is not None:
            with self._lock:
                if source.id not in self._wrappers:
                    raise UsageError(
                        f"there is no wrapper {_shorten(source.id)}: learn it again, or give its"
                        " JSON as text"
                    )
                return self._wrappers[source.id]
        if source.file is not None:
            name = _shorten(source.file)
            data = self._read_file(source.file, MAX_WRAPPER_BYTES)
            _check_wrapper_size(len(data))
            try:
                return Wrapper.loads(data.decode())
            except UnicodeDecodeError:
                raise WrapperError(f"{name}: the wrapper is not JSON") from None
            except WrapperError as error:
                raise WrapperError(f"{name}: {error}") from None
        text = source.text or ""
        _check_wrapper_size(len(text))
        return Wrapper.loads(text)

    def keep_wrapper(self, wrapper: Wrapper) -> str:
        """Keep a wrapper for later calls and return its id."""
        with self._lock:
            self._wrapper_count += 1
            id = f"wrapper-{self._wrapper_count}"
            self._wrappers[id] = wrapper
            while len(self._wrappers) > MAX_WRAPPERS:
                self._wrappers.popitem(last=False)
        return id

    def _read_markup(self, source: PageSource) -> tuple[bytes, str | None, str | None]:
        """Return the bytes of a page, its URL, and the charset that its source states."""
        if source.html is not None and source.file is not None:
            raise UsageError("a page has either html or file, not both")
        if source.html is not None:
            # A character has at least one byte, so a huge text is refused before it is encoded.
            self._limits.check_bytes(len(source.html))
            markup = source.html.encode(errors="surrogatepass")
            return markup, source.url, "utf-8"
        if source.file is not None:
            markup = self._read_file(source.file, self._limits.bytes)
            self._limits.check_bytes(len(markup))
            return markup, source.url, None
        if source.url is not None:
            response = self._fetcher.fetch(source.url, max_bytes=self._limits.bytes)
            return response.body, response.url, response.charset
        raise UsageError("a page needs html, file or url")

    def _read_file(self, name: str, max_bytes: int) -> bytes:
        """Read a file below the root, but not more than one byte beyond the limit.

        Files outside are refused before anything is known of them, also behind links.
        """
        if self._root is None:
            raise UsageError(
                "this server reads no files: start it as `unweave mcp --root DIR`, or give the"
                " content instead"
            )
        shown = _shorten(name)
        try:
            path = (self._root / name).resolve()
        except (OSError, ValueError, RuntimeError):
            raise SourceError(f"{shown}: invalid file name") from None
        if not path.is_relative_to(self._root):
            raise SourceError(f"{shown}: is outside of the root folder of this server")
        try:
            descriptor = os.open(path, _OPEN_FLAGS)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise SourceError(f"{shown}: is not a file")
                return file.read(max_bytes + 1)
        except SourceError:
            raise
        except FileNotFoundError:
            raise SourceError(f"{shown}: no such file") from None
        except IsADirectoryError:
            raise SourceError(f"{shown}: is not a file") from None
        except OSError as error:
            raise SourceError(f"{shown}: cannot be read: {error.strerror}") from None


def _check_wrapper_size(size: int) -> None:
    if size > MAX_WRAPPER_BYTES:
        raise WrapperError(f"the wrapper has more than {MAX_WRAPPER_BYTES:,} bytes")


def _shorten(text: str) -> str:
    """Return a name for messages: printable, and cut if it is long."""
    cut = f"{text[:_MAX_SHOWN_CHARACTERS]}…" if len(text) > _MAX_SHOWN_CHARACTERS else text
    return replace_control_characters(cut.encode("utf-8", "replace").decode())
