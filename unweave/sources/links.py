"""URLs of a crawl: normalized, compared, and extracted from pages and sitemaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import islice
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

from unweave.errors import PageError, SourceError
from unweave.page.page import Page
from unweave.page.sniffing import parse_content_type_charset
from unweave.sources.crawl_archive import StoredResponse
from unweave.sources.sitemaps import parse_sitemap

_MAX_URL_CHARACTERS = 2_000
# The largest menus have some hundred links. A page with more than this is made to keep crawlers
# busy.
_MAX_LINKS = 10_000
# Shops put a handful of filters into a URL. Far more parameters, or the same folder many times,
# come from links that are relative to the URL of their page, of which there is no end.
_MAX_PARAMETERS = 12
_MAX_FOLDER_REPEATS = 3

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+")
# Parameters of visits and not of pages. Without cookies, old shops put a new session id into all
# links of every visit.
_SESSION_PARAMETER = re.compile(
    r"(?<=[?&])(utm_\w+|fbclid|gclid|phpsessid|jsessionid|aspsessionid\w*)=[^&]*&?", re.IGNORECASE
)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/?;]*", re.IGNORECASE)

_LINK_ATTRIBUTES = {"a": "href", "area": "href", "frame": "src"}
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*url\s*=\s*[\"']?([^\"'\s]+)", re.IGNORECASE)

# The pages of a site have most of their links in common.
_cache_urls = lru_cache(maxsize=20_000)


@_cache_urls
def normalize_url(url: str, base: str = "") -> str | None:
    """Return an absolute URL as it is requested, without a fragment; None if it is not HTTP."""
    from w3lib.url import safe_url_string

    try:
        # Far longer URLs are refused anyway, so they are not parsed.
        parts = urlsplit(safe_url_string(urljoin(base, url[: _MAX_URL_CHARACTERS * 2].strip())))
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host or not _HOST.fullmatch(host):
        return None
    if parts.username is not None:  # user names and passwords do not belong into an archive
        return None
    netloc = f"[{host}]" if ":" in host else host
    if port not in (None, _DEFAULT_PORTS[parts.scheme]):
        netloc = f"{netloc}:{port}"
    normalized = urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))
    return normalized if len(normalized) <= _MAX_URL_CHARACTERS else None


@_cache_urls
def hash_url(url: str, *, with_session: bool = False) -> int:
    """Return the same number for URLs of the same page.

    The order of parameters does not count, nor do session ids, unless ``with_session`` is given: a
    redirect may only add one.
    """
    from w3lib.url import canonicalize_url

    if not with_session:
        url = _SESSION_IN_PATH.sub("", _SESSION_PARAMETER.sub("", url)).rstrip("?&")
    return int.from_bytes(blake2b(canonicalize_url(url).encode(), digest_size=8).digest(), "big")


def is_trap(url: str) -> bool:
    """Tell whether a URL looks like one of an endless series."""
    parts = urlsplit(url)
    folders = Counter(filter(None, parts.path.split("/")))
    if max(folders.values(), default=0) > _MAX_FOLDER_REPEATS:
        return True
    return len(parse_qsl(parts.query, keep_blank_values=True)) > _MAX_PARAMETERS


def find_redirect_target(response: StoredResponse) -> str | None:
    """Return the URL that a redirect leads to; None if it is not HTTP."""
    return normalize_url(response.location.decode("utf-8", "replace"), response.url)


def find_sitemap_urls(response: StoredResponse) -> tuple[str, list[str]] | None:
    """Return the type of a sitemap and its URLs; None if the response is not a sitemap."""
    try:
        sitemap_type, urls = parse_sitemap(response.body)
    except SourceError:
        return None
    normalized = (normalize_url(url, response.url) for url in urls)
    return sitemap_type, [url for url in normalized if url]


def find_links(response: StoredResponse) -> Iterator[str]:
    """Yield the URLs of pages that a page links to.

    Links with "nofollow" are left out. It does not forbid anything, which is what robots.txt is
    for, but inside of a site it marks what is of no use to a crawler and often endless: filters,
    calendars, baskets.
    """
    charset = parse_content_type_charset(response.get_header(b"content-type"))
    try:
        page = Page.parse(response.body, url=response.url, charset=charset)
    except PageError:
        return
    base = page.base_url
    root = urljoin(base, "/")
    for link in islice(dict.fromkeys(_read_links(page)), _MAX_LINKS):
        # Links from the root are the same on all pages, which the cache of normalize_url needs.
        url = normalize_url(link, root if link.startswith("/") else base)
        if url is not None and not _has_ignored_suffix(url):
            yield url


def _read_links(page: Page) -> Iterator[str]:
    """Yield the links of a page as they are written, and first that of a refresh."""
    refresh = _REFRESH.match(page.metadata.find_first("refresh"))
    if refresh:
        yield refresh[1]
    for tag, attributes in zip(page.tree.labels, page.attributes, strict=True):
        link = attributes.get(_LINK_ATTRIBUTES.get(tag, ""))
        if link and "nofollow" not in attributes.get("rel", "").lower().split():
            yield link


def _has_ignored_suffix(url: str) -> bool:
    """Tell whether a URL has the suffix of an image, a document or an archive."""
    _, dot, suffix = urlsplit(url).path.rpartition("/")[2].rpartition(".")
    return bool(dot) and suffix.lower() in _get_ignored_suffixes()


@cache
def _get_ignored_suffixes() -> frozenset[str]:
    from scrapy.linkextractors import IGNORED_EXTENSIONS

    return frozenset(IGNORED_EXTENSIONS)
