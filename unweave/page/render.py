"""Rendering: pages as Chromium draws them, after scripts have run, with a box for each element.

Needs the extra ``render``.
"""

from __future__ import annotations

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from unweave.errors import EmptyPage, MissingExtra, RenderError, UsageError
from unweave.page.layout import Box
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.metadata import build_metadata
from unweave.page.parse import (
    DROPPED_TAGS,
    JSON_LD_TYPE,
    ParsedDocument,
    fold_whitespace,
    is_raw_tag,
    is_url,
    parse_html,
    read_file,
)
from unweave.trees.tree import Tree, is_preorder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright, Route

CHROMIUM_VARIABLE = "UNWEAVE_CHROMIUM"
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--disable-gpu --disable-background-networking --disable-component-update --disable-sync"
    " --no-first-run --disable-quic --hide-scrollbars".split()
)
# Requests are answered or refused one by one, but web sockets and WebRTC bypass that: without the
# network, all of them are sent to a proxy that does not exist.
_OFFLINE_FLAGS = (
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
# The types of files that a saved page may load from its folder.
_LOCAL_TYPES = frozenset(["stylesheet", "image", "font", "script", "media"])
# The URL of pages that have none; it leads nowhere.
_DEFAULT_URL = "http://page.invalid/"


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A rendered document: the arrays of a page and its layout."""

    parsed: ParsedDocument
    boxes: list[Box]
    invisible: frozenset[int]
    """The elements that are not displayed, hidden, transparent or without area."""
    url: str | None
    """The URL that it was loaded from, after redirects; None if it has none."""


class Renderer:
    """A browser that renders pages. Use it in a ``with`` statement.

    By default the network is off: only the page and, for a file, the files in its folder and below
    are loaded. If the browser crashes, the page is tried once more in a new one.
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
        # Playwright binds its objects to one thread, and refuses one that has an event loop, as
        # notebooks have.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="unweave-renderer")
        self._is_closed = False
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the browser."""
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
        """Render a file, the bytes or the text of a page, or a URL."""
        if self._is_closed:
            raise UsageError("the renderer is closed")
        task = _RenderTask.create(
            source, url=url, charset=charset, network=self._network, limits=self._limits
        )
        return self._thread.submit(self._render_with_retry, task).result()

    def _render_with_retry(self, task: _RenderTask) -> RenderedDocument:
        try:
            from playwright.sync_api import Error, TimeoutError
        except ImportError:
            raise MissingExtra("playwright", "render") from None
        reason = ""
        for _ in range(2):
            try:
                return self._render_once(task)
            except TimeoutError:
                self._drop_browser()
                raise RenderError(f"the browser took longer than {self._timeout:g} s") from None
            except Error as error:
                self._drop_browser()
                reason = _get_first_line(error)
        raise RenderError(f"the browser cannot render the page: {reason}")

    def _render_once(self, task: _RenderTask) -> RenderedDocument:
        from playwright.sync_api import TimeoutError

        context = self._open_context()
        deadline = time.monotonic() + self._timeout
        try:
            task.is_served = False
            context.route("**/*", task.serve)
            if not self._network:
                context.route_web_socket("**/*", lambda socket: socket.close())
            page = context.new_page()
            page.goto(task.url, wait_until="commit", timeout=_count_milliseconds(deadline))
            # A page that keeps loading, or wants to go elsewhere, is read after half of the time.
            with suppress(TimeoutError):
                page.wait_for_load_state("load", timeout=_count_milliseconds(deadline) / 2)
            # Unlike an evaluation, this has a timeout, and a script of the page may never end.
            handle = page.wait_for_function(
                Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
                arg=[sorted(DROPPED_TAGS), JSON_LD_TYPE],
                timeout=_count_milliseconds(deadline),
            )
            rendered = handle.json_value()
        finally:
            context.close()
        return _convert_rendered(rendered, self._limits, task)

    def _open_context(self) -> BrowserContext:
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
            except Exception as error:  # the process of the driver may fail in any way
                hint = "on Debian it needs libatomic1"
                raise RenderError(
                    f"playwright's driver cannot start ({hint}): {_get_first_line(error)}"
                ) from None
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        return self._playwright.chromium.launch(
            executable_path=executable,
            args=[*_FLAGS, *([] if self._network else _OFFLINE_FLAGS)],
            chromium_sandbox=not is_root,  # Chromium's sandbox does not work for root
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
class _RenderTask:
    """A page to render, and what may be loaded with it."""

    url: str
    markup: bytes | None
    encoding: str | None
    folder: Path | None
    network: bool
    is_served: bool = False

    @classmethod
    def create(
        cls,
        source: str | bytes | os.PathLike[str],
        *,
        url: str | None,
        charset: str | None,
        network: bool,
        limits: Limits,
    ) -> _RenderTask:
        """Read a source. Raises what ``parse_html`` raises for what is not a page."""
        if isinstance(source, str) and is_url(source):
            if not network:
                raise UsageError("a URL can be rendered only with the network on")
            return cls(source, None, None, None, network)
        folder = None
        if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
            markup: bytes | str = source
        else:
            folder = Path(source).resolve().parent
            markup = read_file(source, limits=limits)
        encoding = parse_html(markup, charset=charset, limits=limits).encoding
        data = markup.encode(errors="replace") if isinstance(markup, str) else markup
        page_url = url if url and url.startswith(("http://", "https://")) else _DEFAULT_URL
        return cls(page_url, data, encoding, folder, network)

    def serve(self, route: Route) -> None:
        """Answer a request of the page. Navigation to other pages is refused."""
        request = route.request
        if request.is_navigation_request() and not self.is_served:
            self.is_served = True
            if self.markup is None:
                route.continue_()
            else:
                content_type = f"text/html; charset={self.encoding or 'utf-8'}"
                route.fulfill(body=self.markup, headers={"content-type": content_type})
        elif request.is_navigation_request():
            route.fulfill(status=204)  # no content: the browser stays where it is
        elif (path := self._find_local_file(request.url, request.resource_type)) is not None:
            route.fulfill(path=path)
        elif self.network:
            route.continue_()
        else:
            route.abort()

    def _find_local_file(self, url: str, resource_type: str) -> Path | None:
        """Return the file that a saved page requests if it is in the folder of the page or below.

        Files are served only without the network, where a script cannot send them anywhere, and
        never hidden ones.
        """
        if self.folder is None or self.network:
            return None
        if resource_type not in _LOCAL_TYPES or not url.startswith(_DEFAULT_URL):
            return None
        try:
            path = (self.folder / unquote(urlsplit(url).path).lstrip("/")).resolve()
            parts = path.relative_to(self.folder).parts
            is_public = path.is_file() and not any(part.startswith(".") for part in parts)
        except (OSError, ValueError):
            return None
        return path if is_public else None


def _count_milliseconds(deadline: float) -> float:
    return max(1.0, (deadline - time.monotonic()) * 1000)


def _get_first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def find_chromium() -> str:
    """Return the path of the program in UNWEAVE_CHROMIUM, or of the system's Chromium."""
    configured = os.environ.get(CHROMIUM_VARIABLE)
    for name in [configured] if configured else _CHROMIUM_NAMES:
        if path := shutil.which(name):
            return path
    if configured:
        raise RenderError(f"{CHROMIUM_VARIABLE} is {configured!r}, which is not a program")
    raise RenderError(
        "Chromium was not found: install it (Debian: apt-get install chromium) or set"
        f" {CHROMIUM_VARIABLE}"
    )


def _convert_rendered(rendered: Any, limits: Limits, task: _RenderTask) -> RenderedDocument:
    """Convert what the script in the browser returned. It is untrusted: a page can change it."""
    try:
        labels = [str(label) for label in rendered["labels"]]
        parents = [int(parent) for parent in rendered["parents"]]
        boxes = [Box(*(float(edge) for edge in box)) for box in rendered["boxes"]]
        attributes = [_convert_pairs(pairs) for pairs in rendered["attributes"]]
        raw_texts = [(int(node), int(start), str(raw)) for node, start, raw in rendered["texts"]]
        invisible = frozenset(int(node) for node in rendered["invisible"])
        metas = [_convert_pairs(pairs) for pairs in rendered["metas"]]
        scripts = [str(script) for script in rendered["scripts"]]
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
    kept_texts: list[str] = []
    is_after_blank: list[bool] = []
    text_parents: list[int] = []
    text_positions: list[int] = []
    is_blank = True
    is_code: list[bool] = []
    for label, parent in zip(labels, parents, strict=True):
        is_code.append(is_raw_tag(label) or (parent >= 0 and is_code[parent]))
    code_texts: dict[int, str] = {}
    blank = ""
    for parent, position, raw in raw_texts:
        if raw.isspace() or not raw or not 0 <= parent < position <= len(tree):
            is_blank = True
            is_in_code = 0 <= parent < len(tree) and is_code[parent]
            blank = blank + raw if raw.isspace() and is_in_code else ""
            continue
        if is_code[parent]:
            code_texts[len(kept_texts)] = blank + raw
        blank = ""
        kept_texts.append(raw)
        is_after_blank.append(is_blank)
        text_parents.append(parent)
        text_positions.append(position)
        is_blank = False
    texts, unspaced_texts = fold_whitespace(kept_texts, is_after_blank)
    parsed = ParsedDocument(
        tree=tree,
        texts=texts,
        text_parents=text_parents,
        text_positions=text_positions,
        unspaced_texts=unspaced_texts,
        attributes=attributes,
        metadata=build_metadata(metas, scripts),
        raw_texts=code_texts,
        encoding=task.encoding,
    )
    url = str(rendered.get("url", "")) if task.url != _DEFAULT_URL else None
    return RenderedDocument(parsed, boxes, invisible, url)


def _convert_pairs(pairs: Any) -> dict[str, str]:
    return {str(name): str(value) for name, value in pairs}
