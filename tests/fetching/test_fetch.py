"""Fetching untrusted URLs: valid and invalid responses, limits, and private addresses."""

import gzip
import socket
import ssl
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.fetching.servers import make_redirect, make_response, serve
from unweave.errors import FetchError, MissingExtra, PrivateAddress
from unweave.fetching.fetch import Fetcher, Response
from unweave.fetching.network import connect_tcp
from unweave.fetching.urls import parse_url

PUBLIC, OTHER, PRIVATE = "93.184.216.34", "93.184.216.35", "10.0.0.1"
PAGE = make_response(b"<p>hello", "Content-Type: text/html")
MB = 2**20


def make_resolver(**names):
    """Return a function like getaddrinfo for names, with underscores for dots, and addresses."""
    known = {name.replace("_", "."): addresses for name, addresses in names.items()}

    def resolve(host, port, **options):
        addresses = known.get(host, [host])
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses
        ]

    return resolve


class LocalConnector:
    """Connect to a server of this machine for every address, and record the addresses."""

    def __init__(self, server):
        self.reached = []
        self._port = server.port

    def __call__(self, address, port, seconds):
        self.reached.append((address, port))
        return connect_tcp("127.0.0.1", self._port, seconds)


def refuse_connection(address, port, seconds):
    raise AssertionError(f"{address} was reached")


@pytest.fixture
def fetcher():
    return Fetcher(allow_private=True)


# ---- valid responses -----------------------------------------------------------------------------


def test_a_response_has_a_media_type_and_a_charset(fetcher):
    with serve(
        {"/a": make_response(b"<p>gr\xfcn", "Content-Type: Text/HTML; Charset=ISO-8859-1")}
    ) as server:
        assert fetcher.fetch(f"{server.url}/a") == Response(
            f"{server.url}/a", b"<p>gr\xfcn", "ISO-8859-1", "text/html"
        )


@pytest.mark.parametrize(
    ("header", "charset", "media_type"),
    [
        ("Content-Type: text/css", None, "text/css"),
        ('Content-Type: text/html;charset="utf-8"', "utf-8", "text/html"),
        ("Content-Type: ;;", None, ""),
        ("X-Nothing: 1", None, ""),
    ],
)
def test_a_content_type_may_be_incomplete(fetcher, header, charset, media_type):
    with serve({"/": make_response(b"x", header)}) as server:
        response = fetcher.fetch(server.url)
    assert (response.charset, response.media_type) == (charset, media_type)


def test_the_headers_of_requests(fetcher):
    with serve({"/a%20b?q=%C3%BC&r=/?": PAGE}) as server:
        response = fetcher.fetch(f" {server.url}/a b?q=ü&r=/?#part ")
    lines = server.requests[0].split("\r\n")
    assert lines[0] == "GET /a%20b?q=%C3%BC&r=/? HTTP/1.1"
    assert f"User-Agent: unweave/{unweave.__version__}" in lines
    assert "Accept-Encoding: gzip, deflate" in lines
    assert f"Host: 127.0.0.1:{server.port}" in lines
    assert response.url == f"{server.url}/a%20b?q=%C3%BC&r=/?"


def test_a_body_without_length_ends_with_the_connection(fetcher):
    with serve({"/": make_response(b"all of it", length=False)}) as server:
        assert fetcher.fetch(server.url).body == b"all of it"


def compress_raw(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("X-GZip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", compress_raw),
        ("identity", bytes),
        ("gzip", lambda data: gzip.compress(data, mtime=0) + b"what browsers leave"),
        ("gzip", lambda data: b""),
    ],
)
def test_compressed_bodies_are_decompressed(fetcher, name, pack):
    body = pack(b"hello " * 1000)
    with serve({"/": make_response(body, f"Content-Encoding: {name}")}) as server:
        assert fetcher.fetch(server.url).body == (b"hello " * 1000 if body else b"")


def test_threads_can_share_a_fetcher(fetcher):
    with (
        serve({f"/{number}": make_response(b"%d" % number) for number in range(20)}) as server,
        ThreadPoolExecutor(5) as threads,
    ):
        response = threads.map(
            lambda number: fetcher.fetch(f"{server.url}/{number}").body, range(20)
        )
        assert list(response) == [b"%d" % number for number in range(20)]


# ---- redirects -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status",
    [
        "301 Moved Permanently",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ],
)
def test_redirects_are_followed(fetcher, status):
    responses = {"/a/b": make_redirect("../c?x=1#part", status), "/d": PAGE}
    with serve(responses) as server:
        responses["/c?x=1"] = make_redirect(f"//127.0.0.1:{server.port}/d")
        assert fetcher.fetch(f"{server.url}/a/b").url == f"{server.url}/d"


def test_a_location_that_is_not_utf8_is_requested_unchanged(fetcher):
    responses = {
        "/": b"HTTP/1.1 302 Found\r\nLocation: /\xfc\r\nContent-Length: 0\r\n\r\n",
        "/%FC": PAGE,
    }
    with serve(responses) as server:
        assert fetcher.fetch(server.url).body == b"<p>hello"


@pytest.mark.parametrize(("times", "follows"), [(5, True), (6, False)])
def test_the_number_of_redirects_is_limited(fetcher, times, follows):
    responses = {f"/{number}": make_redirect(f"/{number + 1}") for number in range(times)}
    with serve({**responses, f"/{times}": PAGE}) as server:
        if follows:
            assert fetcher.fetch(f"{server.url}/0").body == b"<p>hello"
        else:
            with pytest.raises(FetchError, match=r"/0: too many redirects \(5\)$"):
                fetcher.fetch(f"{server.url}/0")


def test_an_error_names_the_url_and_the_target_of_its_redirect(fetcher):
    with serve(
        {"/a": make_redirect("/b"), "/b": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"}
    ) as server:
        with pytest.raises(FetchError) as caught:
            fetcher.fetch(f"{server.url}/a")
        assert (
            str(caught.value)
            == f"{server.url}/a: redirected to {server.url}/b: the server returned 404 Not Found"
        )


def test_a_redirect_to_itself_is_an_error(fetcher):
    with serve({"/": make_redirect("/")}) as server:
        with pytest.raises(FetchError, match="too many redirects"):
            fetcher.fetch(server.url)
        assert len(server.requests) == 6


# ---- private addresses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7F.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "0",
        "169.254.169.254",
        "0xa9fea9fe",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fd00:ec2::254]",
        "１２７.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "localhost",
        "LocalHost",
        "ⓛocalhost",
        "loc\N{SOFT HYPHEN}alhost",
        "10.0.0.1:8080",
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_addresses_are_refused_however_they_are_written(scheme, host):
    with pytest.raises(
        PrivateAddress,
        match=r"is a private address; to open it, give --allow-private, .*\.load_page$",
    ):
        Fetcher(connect=refuse_connection).fetch(f"{scheme}://{host}/")


def test_the_error_names_the_private_address_and_the_option():
    fetcher = Fetcher(connect=refuse_connection, resolve=make_resolver(intern_example=[PRIVATE]))
    with pytest.raises(PrivateAddress) as caught:
        fetcher.fetch("http://10.0.0.1/")
    assert str(caught.value) == (
        "http://10.0.0.1/: 10.0.0.1 is a private address; to open it, give --allow-private,"
        " or allow_private=True of unweave.load_page"
    )
    with pytest.raises(
        PrivateAddress,
        match=r"/: intern\.example resolves to 10\.0\.0\.1, which is a private address",
    ):
        fetcher.fetch("http://intern.example/")


@pytest.mark.parametrize("addresses", [[PRIVATE, PUBLIC], [PUBLIC, PRIVATE], [PUBLIC, "::1"]])
def test_a_host_with_any_private_address_is_refused(addresses):
    with pytest.raises(PrivateAddress):
        Fetcher(connect=refuse_connection, resolve=make_resolver(shop_example=addresses)).fetch(
            "http://shop.example/"
        )


def test_a_redirect_to_a_private_address_is_refused():
    names = make_resolver(shop_example=[PUBLIC], intern_example=[PRIVATE])
    for inside in (
        "http://10.0.0.1/x",
        "http://intern.example/x",
        "//127.0.0.1:8080/x",
        "http://[::1]/x",
    ):
        with serve({"/": make_redirect(inside), "/x": PAGE}) as server:
            connector = LocalConnector(server)
            with pytest.raises(PrivateAddress, match="/x: "):
                Fetcher(resolve=names, connect=connector).fetch("http://shop.example/")
            assert connector.reached == [(PUBLIC, 80)]


def test_the_checked_address_is_connected_to():
    responses = iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])

    def resolve_differently(host, port, **options):
        return make_resolver(shop_example=next(responses))(host, port)

    with serve({"/": PAGE}) as server:
        connector = LocalConnector(server)
        assert (
            Fetcher(resolve=resolve_differently, connect=connector)
            .fetch("http://shop.example/")
            .body
            == b"<p>hello"
        )
    assert connector.reached == [(PUBLIC, 80)]
    assert next(responses) == ["127.0.0.1"], "the name was looked up once"


def test_a_host_is_checked_again_after_a_redirect():
    responses = iter([[PUBLIC], ["127.0.0.1"]])

    def resolve_differently(host, port, **options):
        return make_resolver(shop_example=next(responses))(host, port)

    with serve({"/": make_redirect("/x"), "/x": PAGE}) as server, pytest.raises(PrivateAddress):
        Fetcher(resolve=resolve_differently, connect=LocalConnector(server)).fetch(
            "http://shop.example/"
        )


def test_the_next_address_of_a_host_is_tried():
    with serve({"/": PAGE}) as server:
        connector = LocalConnector(server)

        def connect(address, port, seconds):
            if address == PUBLIC:
                raise httpcore.ConnectError("refused")
            return connector(address, port, seconds)

        response = Fetcher(
            resolve=make_resolver(shop_example=[PUBLIC, OTHER]), connect=connect
        ).fetch("http://shop.example:81/")
    assert response.url == "http://shop.example:81/"
    assert connector.reached == [(OTHER, 81)]
    assert "Host: shop.example:81\r\n" in server.requests[0]


def test_international_host_names_are_encoded_as_in_browsers():
    with serve({"/": PAGE}) as server:
        fetcher = Fetcher(
            resolve=make_resolver(**{"xn--strae-oqa_example": [PUBLIC]}),
            connect=LocalConnector(server),
        )
        assert fetcher.fetch("http://Straße.example/").url == "http://xn--strae-oqa.example/"


# ---- invalid URLs --------------------------------------------------------------------------------

ADDRESSES = {
    "file:///etc/passwd": "unsupported protocol",
    "ftp://shop.example/": "unsupported protocol",
    "javascript:alert(1)": "unsupported protocol",
    "gopher://shop.example:70/x": "unsupported protocol",
    "data:text/html,x": "unsupported protocol",
    "shop.example": "unsupported protocol",
    "": "unsupported protocol",
    "http://user:secret@shop.example/": "user names and passwords",
    "http://user@shop.example/": "user names and passwords",
    "http://@shop.example/": "user names and passwords",
    "http://shop.example\\@127.0.0.1/": "user names and passwords",
    "http://shop.example/\r\nX: 1": "control characters",
    "http://shop.example\r\n/": "control characters",
    "\thttp://shop.example/": "control characters",
    "http://shop.example/\0": "control characters",
    "http://": "invalid host",
    "http:///x": "invalid host",
    "http://shop example/": "invalid host",
    "http://127.0.0.%31/": "invalid host",
    "http://shop.example\\.evil.example/": "invalid host",
    "http://shop.example|x/": "invalid host",
    "http://[fe80::1%25eth0]/": "zone identifiers",
    "http://[::1/": "invalid URL",
    "http://[1.2.3.4]/": "invalid (URL|host)",
    "http://shop.example:99999/": "invalid URL",
    "http://shop.example:x/": "invalid URL",
    "http://ü" + "a" * 300 + ".example/": "invalid host",
    "http://" + "a." * 200 + "example/": "invalid host",
    "http://xn--\u00fc.example/": "invalid host",
    "http://\ud800.example/": "invalid host",
    "http://shop.example/" + "a" * 8000: "URL too long",
}


@pytest.mark.parametrize(("url", "reason"), ADDRESSES.items())
def test_invalid_urls_are_refused_without_a_request(url, reason):
    def resolve(*words, **options):
        raise AssertionError("somebody was asked")

    with pytest.raises(FetchError, match=reason) as caught:
        Fetcher(resolve=resolve, connect=refuse_connection).fetch(url)
    assert "\r" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "http://u:p@shop.example/", "javascript:x", "http://[", "http://"],
)
def test_redirects_to_invalid_urls_are_refused(fetcher, location):
    with serve({"/": make_redirect(location)}) as server, pytest.raises(FetchError):
        fetcher.fetch(server.url)


@given(
    st.text(max_size=30),
    st.sampled_from(["", "http:", "http://", "https://a", "http://[", "http://a/"]),
)
def test_any_text_is_parsed_or_refused(text, start):
    try:
        parsed = parse_url(start + text)
    except FetchError:
        return
    assert parse_url(parsed.url) == parsed
    assert parsed.url.isascii()
    assert parsed.url.isprintable()
    assert " " not in parsed.url


# ---- limits of size and time ---------------------------------------------------------------------


def make_endless_body(header):
    """Return a function that sends far more than any limit of the tests."""

    def send(stream):
        stream.sendall(header)
        for _ in range(64):
            stream.sendall(bytes(MB))

    return send


def chunked(stream):
    stream.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(64):
        stream.sendall(b"100000\r\n" + bytes(MB) + b"\r\n")
    stream.sendall(b"0\r\n\r\n")


def test_the_size_of_a_body_is_limited(fetcher):
    with serve({"/": make_response(b"x" * 1000, length=False)}) as server:
        assert len(fetcher.fetch(server.url, max_bytes=1000).body) == 1000
        with pytest.raises(
            FetchError, match=r"the response has more than 999 bytes, which is the limit$"
        ):
            fetcher.fetch(server.url, max_bytes=999)


@pytest.mark.parametrize("send", [make_endless_body(b"HTTP/1.1 200 OK\r\n\r\n"), chunked])
def test_an_endless_body_is_an_error(fetcher, send):
    with (
        serve({"/": send}) as server,
        pytest.raises(FetchError, match="more than 1,048,576 bytes"),
    ):
        fetcher.fetch(server.url, max_bytes=MB)


def test_a_content_length_above_the_limit_is_an_error_at_once(fetcher):
    done = Event()

    def send_headers_only(stream):
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n")
        done.wait(10)

    with serve({"/": send_headers_only}) as server:
        with pytest.raises(FetchError, match="more than 1,000,000 bytes"):
            fetcher.fetch(server.url, max_bytes=1_000_000)
        done.set()


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_decompression_bomb_is_decompressed_up_to_the_limit(fetcher, name, monkeypatch):
    body = bytes(64 * MB)
    bomb = gzip.compress(body, mtime=0) if name == "gzip" else zlib.compress(body)
    unpacked = []
    make = zlib.decompressobj

    class Watched:
        def __init__(self, *words):
            self._own = make(*words)

        def decompress(self, *words):
            unpacked.append(len(response := self._own.decompress(*words)))
            return response

    with serve({"/": make_response(bomb, f"Content-Encoding: {name}")}) as server:
        assert len(bomb) < MB
        monkeypatch.setattr(zlib, "decompressobj", Watched)
        with pytest.raises(FetchError, match="more than 1,048,576 bytes"):
            fetcher.fetch(server.url, max_bytes=MB)
    assert sum(unpacked) <= 2 * MB


def test_the_compressed_size_of_a_body_is_limited(fetcher):
    nothing = b"\0\0\0\xff\xff"  # as deflate writes it
    compressed = make_response(nothing * 10_000, "Content-Encoding: deflate", length=False)
    with (
        serve({"/": compressed}) as server,
        pytest.raises(FetchError, match="more than 10,000 bytes"),
    ):
        fetcher.fetch(server.url, max_bytes=10_000)


@pytest.mark.parametrize(
    "header", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", b""]
)
def test_a_slow_server_times_out(header):
    """It would end after some seconds, and no byte is late."""
    done = Event()

    def send_slowly(stream):
        stream.sendall(header)
        for _ in range(500):
            if done.wait(0.01):
                return
            stream.sendall(b"x")
        stream.sendall(b"\r\n\r\n")

    with serve({"/": send_slowly}) as server:
        with pytest.raises(FetchError, match=r"timed out after 0\.2 seconds$"):
            Fetcher(allow_private=True, timeout_seconds=0.2).fetch(server.url)
        done.set()


def test_a_server_without_a_response_times_out():
    done = Event()
    with serve({"/": lambda stream: done.wait(10)}) as server:
        with pytest.raises(FetchError, match=r"timed out after 0\.1 seconds$"):
            Fetcher(allow_private=True, timeout_seconds=0.1).fetch(server.url)
        done.set()


def test_all_redirects_share_one_deadline():
    """Each request alone would be in time."""
    hops = Event()

    def respond_slowly(stream):
        hops.wait(0.1)
        stream.sendall(make_redirect("/"))

    with (
        serve({"/": respond_slowly}) as server,
        pytest.raises(FetchError, match=r"timed out after 0\.3 seconds$"),
    ):
        Fetcher(allow_private=True, timeout_seconds=0.3, max_redirects=20).fetch(server.url)


def test_a_name_lookup_times_out():
    done = Event()

    def resolve(host, port, **options):
        done.wait(10)
        return []

    with pytest.raises(FetchError, match=r"timed out after 0\.1 seconds$"):
        Fetcher(resolve=resolve, timeout_seconds=0.1, connect=refuse_connection).fetch(
            "http://shop.example/"
        )
    done.set()


# ---- invalid responses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (make_response(b"x", status="404 Nothing <here>"), "the server returned 404 Not Found$"),
        (make_response(b"x", status="500 Oops"), "the server returned 500 Internal Server Error$"),
        (make_response(b"x", status="599 Oops"), "the server returned 599$"),
        (make_response(b"x", status="302 Found"), "the server returned 302 Found$"),
        (make_response(b"x", "Content-Encoding: br"), "unsupported Content-Encoding 'br'$"),
        (
            make_response(b"x", "Content-Encoding: gzip, gzip"),
            "unsupported Content-Encoding 'gzip, gzip'",
        ),
        (
            make_response(b"x", "Content-Encoding: gzip", "Content-Encoding: gzip"),
            "unsupported Content-Encoding 'gzip, gzip'",
        ),
        (make_response(b"nonsense", "Content-Encoding: gzip"), "invalid gzip data$"),
        (make_response(b"nonsense", "Content-Encoding: deflate"), "invalid deflate data$"),
        (
            make_response(gzip.compress(b"x" * 9000, mtime=0)[:-10], "Content-Encoding: gzip"),
            "data is incomplete$",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
            "invalid or incomplete HTTP response$",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "invalid or incomplete HTTP response$"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
            "invalid or incomplete HTTP response$",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
            "invalid or incomplete HTTP response$",
        ),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * MB, "invalid or incomplete HTTP response$"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "invalid or incomplete HTTP response$"),
        (b"", "invalid or incomplete HTTP response$"),
    ],
)
def test_invalid_responses_are_errors_in_one_sentence(fetcher, sent, reason):
    with serve({"/": sent}) as server, pytest.raises(FetchError, match=reason) as caught:
        fetcher.fetch(server.url)
    assert str(caught.value).startswith(f"{server.url}: ")


def test_a_refused_connection_is_an_error(fetcher):
    with serve({}) as server:
        url = server.url
    with pytest.raises(FetchError, match="connection failed"):
        fetcher.fetch(url)


def test_an_unknown_host_is_an_error():
    def resolve(host, port, **options):
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(
        FetchError, match=r"^http://shop\.example/: could not resolve host shop\.example$"
    ):
        Fetcher(resolve=resolve).fetch("http://shop.example/")


@pytest.mark.parametrize("host", ["a..b", "x" * 70 + ".example", ".", "-"])
def test_a_host_name_that_cannot_be_resolved_is_an_error(host):
    with pytest.raises(FetchError, match="could not resolve host"):
        Fetcher(connect=refuse_connection).fetch(f"http://{host}/")


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpcore", None)
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[fetch\]'"):
        Fetcher()


# ---- TLS -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a certificate for shop.example, and its key."""
    pytest.importorskip("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop.example")])
    now = datetime.now(UTC)
    own = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "shop.pem"
    pem = serialization.Encoding.PEM
    unlocked = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(pem, *unlocked) + own.public_bytes(pem))
    return str(path)


@pytest.fixture
def shop(certificate):
    """A server with that certificate, which records the names that clients ask for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    called = []
    context.sni_callback = lambda stream, name, own: called.append(name)
    with serve({"/": PAGE}, context=context) as server:
        server.called = called
        yield server


def test_the_certificate_is_checked_for_the_host_name(shop, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", certificate)
    names = make_resolver(shop_example=[PUBLIC], other_example=[PUBLIC])
    connector = LocalConnector(shop)
    fetcher = Fetcher(resolve=names, connect=connector)
    assert fetcher.fetch("https://shop.example/").body == b"<p>hello"
    assert shop.called == ["shop.example"]
    assert connector.reached == [(PUBLIC, 443)]
    with pytest.raises(
        FetchError,
        match=r"https://other\.example/: connection failed .*CERTIFICATE_VERIFY_FAILED",
    ):
        fetcher.fetch("https://other.example/")


def test_a_self_signed_certificate_is_refused(shop):
    with pytest.raises(FetchError, match="CERTIFICATE_VERIFY_FAILED"):
        Fetcher(resolve=make_resolver(shop_example=[PUBLIC]), connect=LocalConnector(shop)).fetch(
            "https://shop.example/"
        )
