"""Pages as a browser draws them: the DOM after scripts have run, with one box per element. Needs the extra ``render``."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from unweave.errors import EmptyPage, MissingExtra, RenderError, UsageError
from unweave.page.layout import Box
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.metadata import Metadata, read_metadata
from unweave.page.parse import (
    DROPPED_TAGS,
    JSON_LD_TYPE,
    Attributes,
    ParsedDocument,
    fold_whitespace,
    is_url,
    parse_html,
    read_file,
    select_key_attributes,
)
from unweave.trees.tree import Tree, is_preorder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright, Route
    from playwright.sync_api import Page as BrowserPage

CHROMIUM_VARIABLE = "UNWEAVE_CHROMIUM"
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run"
    " --disable-quic --hide-scrollbars".split()
)
# Requests are answered or refused one by one, but sockets and calls pass by that: without the network, all of them are sent
# to a proxy that does not exist.
_OFFLINE_FLAGS = (
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
# What a saved page may load from beside it. Never identifiers that begin with a dot.
_BESIDE = frozenset(["stylesheet", "image", "font", "script", "media"])
# Pages that have no address of their own get one that leads nowhere.
_NOWHERE = "http://page.invalid/"


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A rendered document: what a parser would give, and where everything stands."""

    parsed: ParsedDocument
    boxes: list[Box]
    invisible: frozenset[int]
    """The elements that cannot be seen: not displayed, hidden, transparent or without area."""
    url: str | None
    """The address that it was loaded from, after redirections; None if it came from no address."""


class Renderer:
    """One browser for many pages. Use it in a ``with`` statement.

    The network is off unless asked for: only the page itself and, for a file, what lies beside and below it is loaded.
    A page that makes the browser crash is tried once more in a new one.
    """

    def __init__(
        self,
        *,
        network: bool = False,
        scripts: bool = True,
        timeout: float = 30.0,
        width: int = 1280,
        height: int = 1024,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._network = network
        self._scripts = scripts
        self._timeout = timeout
        self._size = (width, height)
        self._limits = limits
        # Playwright binds its objects to one thread, and refuses one that has an event loop, as notebooks have.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="unweave-renderer")
        self._is_closed = False
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._stop).result()
            self._thread.shutdown()

    def render(
        self,
        source: str | bytes | os.PathLike[str],
        *,
        url: str | None = None,
        charset: str | None = None,
    ) -> RenderedDocument:
        """Draw a file, the bytes or the text of a page, or what stands at an address."""
        if self._is_closed:
            raise UsageError("the renderer is closed")
        document = _Document.of(
            source, url=url, charset=charset, network=self._network, limits=self._limits
        )
        return self._thread.submit(self._try_twice, document).result()

    def _try_twice(self, document: _Document) -> RenderedDocument:
        try:
            from playwright.sync_api import Error, TimeoutError
        except ImportError:
            raise MissingExtra("playwright", "render") from None
        reason = ""
        for _ in range(2):
            try:
                return self._draw(document)
            except TimeoutError:
                self._drop_browser()
                raise RenderError(f"the browser took longer than {self._timeout:g} s") from None
            except Error as error:
                self._drop_browser()
                reason = _first_line(error)
        raise RenderError(f"the browser cannot draw it: {reason}")

    def _draw(self, document: _Document) -> RenderedDocument:
        context = self._context()
        deadline = time.monotonic() + self._timeout
        try:
            document.is_served = False
            context.route("**/*", document.serve)
            if not self._network:
                context.route_web_socket("**/*", lambda socket: socket.close())
            page = context.new_page()
            page.goto(document.address, wait_until="commit", timeout=_milliseconds_until(deadline))
            self._wait_for_load(page, deadline)
            # A wait has a time limit where an evaluation has none, and a page's script may never end.
            handle = page.wait_for_function(
                _script(),
                arg=[sorted(DROPPED_TAGS), JSON_LD_TYPE],
                timeout=_milliseconds_until(deadline),
            )
            drawn = handle.json_value()
        finally:
            context.close()
        return _read(drawn, self._limits, document)

    def _wait_for_load(self, page: BrowserPage, deadline: float) -> None:
        """Wait until all is loaded, for half of the time; a page that goes on loading, or elsewhere, is read as it is."""
        from playwright.sync_api import TimeoutError

        with suppress(TimeoutError):
            page.wait_for_load_state("load", timeout=_milliseconds_until(deadline) / 2)

    def _context(self) -> BrowserContext:
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._start()
        return self._browser.new_context(
            java_script_enabled=self._scripts,
            viewport={"width": self._size[0], "height": self._size[1]},
            service_workers="block",
            accept_downloads=False,
        )

    def _start(self) -> Browser:
        from playwright.sync_api import sync_playwright

        executable = find_chromium()
        if self._playwright is None:
            try:
                self._playwright = sync_playwright().start()
            except Exception as error:  # whatever the driver's process dies of
                hint = "on Debian it needs libatomic1"
                raise RenderError(
                    f"playwright's driver cannot start ({hint}): {_first_line(error)}"
                ) from None
        is_root = (
            hasattr(os, "geteuid") and os.geteuid() == 0
        )  # Chromium's sandbox does not work for root
        return self._playwright.chromium.launch(
            executable_path=executable,
            args=[*_FLAGS, *([] if self._network else _OFFLINE_FLAGS)],
            chromium_sandbox=not is_root,
            timeout=self._timeout * 1000,
        )

    def _stop(self) -> None:
        self._drop_browser()
        if self._playwright:
            self._playwright.stop()
            self._playwright = None

    def _drop_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None and browser.is_connected():
            browser.close()


@dataclass
class _Document:
    """What is to be drawn, at which address, and what may be loaded with it."""

    address: str
    markup: bytes | None
    encoding: str | None
    folder: Path | None
    network: bool
    is_served: bool = False

    @classmethod
    def of(
        cls,
        source: str | bytes | os.PathLike[str],
        *,
        url: str | None,
        charset: str | None,
        network: bool,
        limits: Limits,
    ) -> _Document:
        if isinstance(source, str) and is_url(source):
            if not network:
                raise UsageError("an address can be drawn only with the network on")
            return cls(source, None, None, None, network)
        folder = None
        if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
            markup: bytes | str = source
        else:
            folder = Path(source).resolve().parent
            markup = read_file(source, limits=limits)
        encoding = parse_html(
            markup, charset=charset, limits=limits
        ).encoding  # also refuses what is no page
        data = markup.encode(errors="replace") if isinstance(markup, str) else markup
        address = url if url and url.startswith(("http://", "https://")) else _NOWHERE
        return cls(address, data, encoding, folder, network)

    def serve(self, route: Route) -> None:
        """Answer a request of the page. It is loaded once: where its scripts want to go next is not followed."""
        request = route.request
        if request.is_navigation_request() and not self.is_served:
            self.is_served = True
            if self.markup is None:
                route.continue_()
            else:
                kind = f"text/html; charset={self.encoding or 'utf-8'}"
                route.fulfill(body=self.markup, headers={"content-type": kind})
        elif request.is_navigation_request():
            route.fulfill(status=204)  # no content: the browser stays where it is
        elif (beside := self._beside(request.url, request.resource_type)) is not None:
            route.fulfill(path=beside)
        elif self.network:
            route.continue_()
        else:
            route.abort()

    def _beside(self, url: str, kind: str) -> Path | None:
        """The file that a saved page asks for, if it lies in the page's folder or below.

        Only without the network, where a page's script cannot tell anybody what it has read.
        """
        if (
            self.folder is None
            or self.network
            or kind not in _BESIDE
            or not url.startswith(_NOWHERE)
        ):
            return None
        try:
            path = (self.folder / unquote(urlsplit(url).path).lstrip("/")).resolve()
            inside = path.relative_to(self.folder)
            is_open = path.is_file() and not any(part.startswith(".") for part in inside.parts)
        except (OSError, ValueError):
            return None
        return path if is_open else None


def _milliseconds_until(deadline: float) -> float:
    return max(1.0, (deadline - time.monotonic()) * 1000)


def find_chromium() -> str:
    """The browser's program: the one that UNWEAVE_CHROMIUM names, else the system's."""
    named = os.environ.get(CHROMIUM_VARIABLE)
    found = (
        shutil.which(named)
        if named
        else next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    )
    if found:
        return found
    if named:
        raise RenderError(f"{CHROMIUM_VARIABLE} names {named!r}, which is no program")
    raise RenderError(
        f"Chromium was not found: install it (Debian: apt-get install chromium) or name it with {CHROMIUM_VARIABLE}"
    )


def _script() -> str:
    return Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def _read(drawn: Any, limits: Limits, document: _Document) -> RenderedDocument:
    """What the browser said, as a page's arrays. A page can tamper with what its browser says, so it is looked at twice."""
    try:
        labels, parents = (
            [str(label) for label in drawn["labels"]],
            [int(parent) for parent in drawn["parents"]],
        )
        boxes = [Box(*(float(edge) for edge in box)) for box in drawn["boxes"]]
        attributes = [
            {str(name): str(value) for name, value in pairs} for pairs in drawn["attributes"]
        ]
        texts = [(int(owner), int(place), str(raw)) for owner, place, raw in drawn["texts"]]
        invisible = frozenset(int(node) for node in drawn["invisible"])
        metas = [{str(name): str(value) for name, value in pairs} for pairs in drawn["metas"]]
        scripts = [str(script) for script in drawn["scripts"]]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise RenderError("the page has tampered with its own DOM") from None
    if not labels:
        raise EmptyPage("the page has no content: no elements and no text")
    if not len(labels) == len(parents) == len(boxes) == len(attributes) or not is_preorder(parents):
        raise RenderError("the page has tampered with its own DOM")
    limits.check_nodes(len(labels))
    limits.check_names(set(labels))
    tree = Tree(labels, parents)
    limits.check_depth(tree.heights[0])
    url = str(drawn.get("url", "")) if document.address != _NOWHERE else None
    parsed = _parsed(
        tree, texts, attributes, partial(read_metadata, metas, scripts), document.encoding
    )
    return RenderedDocument(parsed, boxes, invisible, url)


def _parsed(
    tree: Tree,
    texts: Sequence[tuple[int, int, str]],
    attributes: list[Attributes],
    read_metadata: Callable[[], Metadata],
    encoding: str | None,
) -> ParsedDocument:
    raws: list[str] = []
    after_blank: list[bool] = []
    text_parents: list[int] = []
    text_positions: list[int] = []
    blank = True
    for owner, place, raw in texts:
        if raw.isspace() or not raw or not 0 <= owner < place <= len(tree):
            blank = True
            continue
        raws.append(raw)
        after_blank.append(blank)
        text_parents.append(owner)
        text_positions.append(place)
        blank = False
    folded, unspaced_texts = fold_whitespace(raws, after_blank)
    return ParsedDocument(
        tree=tree,
        texts=folded,
        text_parents=text_parents,
        text_positions=text_positions,
        unspaced_texts=unspaced_texts,
        read_attributes=lambda: attributes,
        read_key_attributes=lambda: select_key_attributes(tree.labels, attributes),
        read_metadata=read_metadata,
        encoding=encoding,
        notes=(),
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
