"""The bodies of answers, unpacked while they come in, and never beyond a limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from unweave.errors import FetchError

ACCEPTED = "gzip, deflate"

_PLAIN = ("", "identity")
_GZIP = ("gzip", "x-gzip")
_DEFLATE = "deflate"

# As zlib wants to be told what stands around packed data: a head of gzip, one of zlib, or none.
_GZIP_HEAD, _ZLIB_HEAD, _NO_HEAD = 31, 15, -15


def unpacked(chunks: Iterable[bytes], encoding: str, most: int) -> bytes:
    """The body in full. It may have ``most`` bytes, on its way as well as unpacked."""
    name = encoding.strip().casefold()
    if name not in (*_PLAIN, *_GZIP, _DEFLATE):
        raise FetchError(f"the answer is packed as {encoding!r:.40}, which was not asked for")
    coming = _limited(chunks, most)
    return b"".join(coming if name in _PLAIN else _limited(_unzipped(coming, name, most), most))


def too_large(most: int) -> FetchError:
    """What is said of an answer over the limit."""
    return FetchError(f"the answer has more than {most:,} bytes, which is the limit")


def _limited(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise too_large(most)
        yield chunk


def _unzipped(chunks: Iterable[bytes], name: str, most: int) -> Iterator[bytes]:
    """What was packed. Whatever stands behind its end is left, as browsers do."""
    unpack = None
    for chunk in filter(None, chunks):
        unpack = unpack or zlib.decompressobj(_GZIP_HEAD if name in _GZIP else _head_of(chunk))
        try:
            # One byte more than is allowed shows that there are too many, and a bomb gets no further.
            yield unpack.decompress(chunk, most + 1)
        except zlib.error:
            raise FetchError("the answer cannot be unpacked") from None
        if unpack.eof:
            return
    if unpack:
        raise FetchError("the answer breaks off")


def _head_of(chunk: bytes) -> int:
    """Some servers send "deflate" with a head of zlib, as they should, and some without."""
    return _ZLIB_HEAD if chunk[0] & 0x0F == zlib.DEFLATED else _NO_HEAD
