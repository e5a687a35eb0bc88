"""Fetching what strangers name: right answers, wrong ones, and those who want to get inside."""

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
from tests.fetching.servers import answer, moved, served
from unweave.errors import FetchError, MissingExtra, PrivateAddress
from unweave.fetching.fetch import Fetcher, Response
from unweave.fetching.network import connect_tcp
from unweave.fetching.urls import parse_url

PUBLIC, OTHER, PRIVATE = "93.184.216.34", "93.184.216.35", "10.0.0.1"
PAGE = answer(b"<p>hello", "Content-Type: text/html")
MB = 2**20


def resolver(**names):
    """Knows names with underscores for dots, and addresses."""
    known = {name.replace("_", "."): addresses for name, addresses in names.items()}

    def resolve(host, port, **options):
        addresses = known.get(host, [host])
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses
        ]

    return resolve


class Wires:
    """Leads every address to one server of this machine, and knows which were asked for."""

    def __init__(self, server):
        self.reached = []
        self._port = server.port

    def __call__(self, address, port, seconds):
        self.reached.append((address, port))
        return connect_tcp("127.0.0.1", self._port, seconds)


def nobody(address, port, seconds):
    raise AssertionError(f"{address} was reached")


@pytest.fixture
def fetcher():
    return Fetcher(allow_private=True)


# ---- right answers -------------------------------------------------------------------------------------------------


def test_a_page_comes_with_its_kind_and_encoding(fetcher):
    with served(
        {"/a": answer(b"<p>gr\xfcn", "Content-Type: Text/HTML; Charset=ISO-8859-1")}
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
def test_the_server_may_say_less(fetcher, header, charset, media_type):
    with served({"/": answer(b"x", header)}) as server:
        response = fetcher.fetch(server.url)
    assert (response.charset, response.media_type) == (charset, media_type)


def test_we_say_who_we_are_and_what_we_understand(fetcher):
    with served({"/a%20b?q=%C3%BC&r=/?": PAGE}) as server:
        found = fetcher.fetch(f" {server.url}/a b?q=ü&r=/?#part ")
    lines = server.requests[0].split("\r\n")
    assert lines[0] == "GET /a%20b?q=%C3%BC&r=/? HTTP/1.1"
    assert f"User-Agent: unweave/{unweave.__version__}" in lines
    assert "Accept-Encoding: gzip, deflate" in lines
    assert f"Host: 127.0.0.1:{server.port}" in lines
    assert found.url == f"{server.url}/a%20b?q=%C3%BC&r=/?"


def test_a_body_without_length_ends_with_the_connection(fetcher):
    with served({"/": answer(b"all of it", length=False)}) as server:
        assert fetcher.fetch(server.url).body == b"all of it"


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("X-GZip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", raw_deflate),
        ("identity", bytes),
        ("gzip", lambda data: gzip.compress(data, mtime=0) + b"what browsers leave"),
        ("gzip", lambda data: b""),
    ],
)
def test_packed_bodies_are_unpacked(fetcher, name, pack):
    body = pack(b"hello " * 1000)
    with served({"/": answer(body, f"Content-Encoding: {name}")}) as server:
        assert fetcher.fetch(server.url).body == (b"hello " * 1000 if body else b"")


def test_one_fetcher_serves_many_threads(fetcher):
    with (
        served({f"/{number}": answer(b"%d" % number) for number in range(20)}) as server,
        ThreadPoolExecutor(5) as threads,
    ):
        found = threads.map(lambda number: fetcher.fetch(f"{server.url}/{number}").body, range(20))
        assert list(found) == [b"%d" % number for number in range(20)]


# ---- redirections --------------------------------------------------------------------------------------------------


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
def test_redirections_are_followed(fetcher, status):
    answers = {"/a/b": moved("../c?x=1#part", status), "/d": PAGE}
    with served(answers) as server:
        answers["/c?x=1"] = moved(f"//127.0.0.1:{server.port}/d")
        assert fetcher.fetch(f"{server.url}/a/b").url == f"{server.url}/d"


def test_an_address_that_leads_to_bytes_that_are_no_text_is_asked_for_those(fetcher):
    answers = {
        "/": b"HTTP/1.1 302 Found\r\nLocation: /\xfc\r\nContent-Length: 0\r\n\r\n",
        "/%FC": PAGE,
    }
    with served(answers) as server:
        assert fetcher.fetch(server.url).body == b"<p>hello"


@pytest.mark.parametrize(("times", "follows"), [(5, True), (6, False)])
def test_redirections_have_an_end(fetcher, times, follows):
    answers = {f"/{number}": moved(f"/{number + 1}") for number in range(times)}
    with served({**answers, f"/{times}": PAGE}) as server:
        if follows:
            assert fetcher.fetch(f"{server.url}/0").body == b"<p>hello"
        else:
            with pytest.raises(FetchError, match=r"/0: too many redirects \(5\)$"):
                fetcher.fetch(f"{server.url}/0")


def test_an_error_names_the_address_that_was_asked_for_and_where_it_led(fetcher):
    with served(
        {"/a": moved("/b"), "/b": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"}
    ) as server:
        with pytest.raises(FetchError) as caught:
            fetcher.fetch(f"{server.url}/a")
        assert (
            str(caught.value)
            == f"{server.url}/a: redirected to {server.url}/b: the server returned 404 Not Found"
        )


def test_an_address_that_leads_to_itself_is_given_up(fetcher):
    with served({"/": moved("/")}) as server:
        with pytest.raises(FetchError, match="too many redirects"):
            fetcher.fetch(server.url)
        assert len(server.requests) == 6


# ---- nothing private -----------------------------------------------------------------------------------------------


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
        Fetcher(connect=nobody).fetch(f"{scheme}://{host}/")


def test_the_error_says_what_was_refused_and_what_opens_it():
    fetcher = Fetcher(connect=nobody, resolve=resolver(intern_example=[PRIVATE]))
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
def test_one_private_address_of_a_name_is_enough(addresses):
    with pytest.raises(PrivateAddress):
        Fetcher(connect=nobody, resolve=resolver(shop_example=addresses)).fetch(
            "http://shop.example/"
        )


def test_a_redirection_does_not_lead_inside():
    names = resolver(shop_example=[PUBLIC], intern_example=[PRIVATE])
    for inside in (
        "http://10.0.0.1/x",
        "http://intern.example/x",
        "//127.0.0.1:8080/x",
        "http://[::1]/x",
    ):
        with served({"/": moved(inside), "/x": PAGE}) as server:
            wires = Wires(server)
            with pytest.raises(PrivateAddress, match="/x: "):
                Fetcher(resolve=names, connect=wires).fetch("http://shop.example/")
            assert wires.reached == [(PUBLIC, 80)]


def test_the_address_that_was_looked_at_is_the_one_that_is_reached():
    answers = iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])

    def rebinding(host, port, **options):
        return resolver(shop_example=next(answers))(host, port)

    with served({"/": PAGE}) as server:
        wires = Wires(server)
        assert (
            Fetcher(resolve=rebinding, connect=wires).fetch("http://shop.example/").body
            == b"<p>hello"
        )
    assert wires.reached == [(PUBLIC, 80)]
    assert next(answers) == ["127.0.0.1"], "the name was looked up once"


def test_a_name_that_leads_inside_at_the_second_hop_is_looked_at_again():
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    def rebinding(host, port, **options):
        return resolver(shop_example=next(answers))(host, port)

    with served({"/": moved("/x"), "/x": PAGE}) as server, pytest.raises(PrivateAddress):
        Fetcher(resolve=rebinding, connect=Wires(server)).fetch("http://shop.example/")


def test_public_names_are_open_and_the_next_address_is_tried():
    with served({"/": PAGE}) as server:
        wires = Wires(server)

        def connect(address, port, seconds):
            if address == PUBLIC:
                raise httpcore.ConnectError("refused")
            return wires(address, port, seconds)

        found = Fetcher(resolve=resolver(shop_example=[PUBLIC, OTHER]), connect=connect).fetch(
            "http://shop.example:81/"
        )
    assert found.url == "http://shop.example:81/"
    assert wires.reached == [(OTHER, 81)]
    assert "Host: shop.example:81\r\n" in server.requests[0]


def test_names_in_other_scripts_are_asked_for_as_browsers_do():
    with served({"/": PAGE}) as server:
        fetcher = Fetcher(
            resolve=resolver(**{"xn--strae-oqa_example": [PUBLIC]}), connect=Wires(server)
        )
        assert fetcher.fetch("http://Straße.example/").url == "http://xn--strae-oqa.example/"


# ---- wrong addresses -----------------------------------------------------------------------------------------------

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
def test_wrong_addresses_are_refused_before_anything_is_asked(url, reason):
    def resolve(*words, **options):
        raise AssertionError("somebody was asked")

    with pytest.raises(FetchError, match=reason) as caught:
        Fetcher(resolve=resolve, connect=nobody).fetch(url)
    assert "\r" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "http://u:p@shop.example/", "javascript:x", "http://[", "http://"],
)
def test_redirections_to_wrong_addresses_are_refused(fetcher, location):
    with served({"/": moved(location)}) as server, pytest.raises(FetchError):
        fetcher.fetch(server.url)


@given(
    st.text(max_size=30),
    st.sampled_from(["", "http:", "http://", "https://a", "http://[", "http://a/"]),
)
def test_any_text_is_read_or_refused(text, start):
    try:
        parsed = parse_url(start + text)
    except FetchError:
        return
    assert parse_url(parsed.url) == parsed
    assert parsed.url.isascii()
    assert parsed.url.isprintable()
    assert " " not in parsed.url


# ---- too much, too slow --------------------------------------------------------------------------------------------


def endless(header):
    """Sends on and on, far more than any limit of the tests."""

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


def test_bodies_may_be_as_large_as_the_limit_and_no_larger(fetcher):
    with served({"/": answer(b"x" * 1000, length=False)}) as server:
        assert len(fetcher.fetch(server.url, max_bytes=1000).body) == 1000
        with pytest.raises(
            FetchError, match=r"the response has more than 999 bytes, which is the limit$"
        ):
            fetcher.fetch(server.url, max_bytes=999)


@pytest.mark.parametrize("send", [endless(b"HTTP/1.1 200 OK\r\n\r\n"), chunked])
def test_a_body_without_end_is_given_up(fetcher, send):
    with (
        served({"/": send}) as server,
        pytest.raises(FetchError, match="more than 1,048,576 bytes"),
    ):
        fetcher.fetch(server.url, max_bytes=MB)


def test_a_body_that_is_said_to_be_too_large_is_not_waited_for(fetcher):
    done = Event()

    def promise(stream):
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n")
        done.wait(10)

    with served({"/": promise}) as server:
        with pytest.raises(FetchError, match="more than 1,000,000 bytes"):
            fetcher.fetch(server.url, max_bytes=1_000_000)
        done.set()


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_bomb_is_not_unpacked_beyond_the_limit(fetcher, name, monkeypatch):
    body = bytes(64 * MB)
    bomb = gzip.compress(body, mtime=0) if name == "gzip" else zlib.compress(body)
    unpacked = []
    make = zlib.decompressobj

    class Watched:
        def __init__(self, *words):
            self._own = make(*words)

        def decompress(self, *words):
            unpacked.append(len(found := self._own.decompress(*words)))
            return found

    with served({"/": answer(bomb, f"Content-Encoding: {name}")}) as server:
        assert len(bomb) < MB
        monkeypatch.setattr(zlib, "decompressobj", Watched)
        with pytest.raises(FetchError, match="more than 1,048,576 bytes"):
            fetcher.fetch(server.url, max_bytes=MB)
    assert sum(unpacked) <= 2 * MB


def test_a_packed_body_is_limited_on_its_way_too(fetcher):
    nothing = b"\0\0\0\xff\xff"  # as deflate writes it
    packed = answer(nothing * 10_000, "Content-Encoding: deflate", length=False)
    with served({"/": packed}) as server, pytest.raises(FetchError, match="more than 10,000 bytes"):
        fetcher.fetch(server.url, max_bytes=10_000)


@pytest.mark.parametrize(
    "header", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", b""]
)
def test_a_server_that_drips_is_cut_off(header):
    """It would be done after some seconds, and each of its bytes comes soon after the one before."""
    done = Event()

    def drip(stream):
        stream.sendall(header)
        for _ in range(500):
            if done.wait(0.01):
                return
            stream.sendall(b"x")
        stream.sendall(b"\r\n\r\n")

    with served({"/": drip}) as server:
        with pytest.raises(FetchError, match=r"timed out after 0\.2 seconds$"):
            Fetcher(allow_private=True, timeout_seconds=0.2).fetch(server.url)
        done.set()


def test_a_silent_server_is_given_up():
    done = Event()
    with served({"/": lambda stream: done.wait(10)}) as server:
        with pytest.raises(FetchError, match=r"timed out after 0\.1 seconds$"):
            Fetcher(allow_private=True, timeout_seconds=0.1).fetch(server.url)
        done.set()


def test_the_deadline_is_one_for_all_hops():
    """Each hop alone would be in time."""
    hops = Event()

    def slowly(stream):
        hops.wait(0.1)
        stream.sendall(moved("/"))

    with (
        served({"/": slowly}) as server,
        pytest.raises(FetchError, match=r"timed out after 0\.3 seconds$"),
    ):
        Fetcher(allow_private=True, timeout_seconds=0.3, max_redirects=20).fetch(server.url)


def test_a_name_server_that_is_silent_is_given_up():
    done = Event()

    def resolve(host, port, **options):
        done.wait(10)
        return []

    with pytest.raises(FetchError, match=r"timed out after 0\.1 seconds$"):
        Fetcher(resolve=resolve, timeout_seconds=0.1, connect=nobody).fetch("http://shop.example/")
    done.set()


# ---- wrong answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (answer(b"x", status="404 Nothing <here>"), "the server returned 404 Not Found$"),
        (answer(b"x", status="500 Oops"), "the server returned 500 Internal Server Error$"),
        (answer(b"x", status="599 Oops"), "the server returned 599$"),
        (answer(b"x", status="302 Found"), "the server returned 302 Found$"),
        (answer(b"x", "Content-Encoding: br"), "unsupported Content-Encoding 'br'$"),
        (answer(b"x", "Content-Encoding: gzip, gzip"), "unsupported Content-Encoding 'gzip, gzip'"),
        (
            answer(b"x", "Content-Encoding: gzip", "Content-Encoding: gzip"),
            "unsupported Content-Encoding 'gzip, gzip'",
        ),
        (answer(b"nonsense", "Content-Encoding: gzip"), "invalid gzip data$"),
        (answer(b"nonsense", "Content-Encoding: deflate"), "invalid deflate data$"),
        (
            answer(gzip.compress(b"x" * 9000, mtime=0)[:-10], "Content-Encoding: gzip"),
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
def test_wrong_answers_are_told_in_one_sentence(fetcher, sent, reason):
    with served({"/": sent}) as server, pytest.raises(FetchError, match=reason) as caught:
        fetcher.fetch(server.url)
    assert str(caught.value).startswith(f"{server.url}: ")


def test_nobody_there(fetcher):
    with served({}) as server:
        url = server.url
    with pytest.raises(FetchError, match="connection failed"):
        fetcher.fetch(url)


def test_a_name_that_nobody_knows():
    def resolve(host, port, **options):
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(
        FetchError, match=r"^http://shop\.example/: could not resolve host shop\.example$"
    ):
        Fetcher(resolve=resolve).fetch("http://shop.example/")


@pytest.mark.parametrize("host", ["a..b", "x" * 70 + ".example", ".", "-"])
def test_names_that_no_resolver_takes(host):
    with pytest.raises(FetchError, match="could not resolve host"):
        Fetcher(connect=nobody).fetch(f"http://{host}/")


def test_without_the_package_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpcore", None)
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[fetch\]'"):
        Fetcher()


# ---- TLS -----------------------------------------------------------------------------------------------------------


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
    """A server with that certificate; it remembers by which names it was called."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    called = []
    context.sni_callback = lambda stream, name, own: called.append(name)
    with served({"/": PAGE}, context=context) as server:
        server.called = called
        yield server


def test_the_server_is_called_by_its_name_and_proves_it(shop, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", certificate)
    names = resolver(shop_example=[PUBLIC], other_example=[PUBLIC])
    wires = Wires(shop)
    fetcher = Fetcher(resolve=names, connect=wires)
    assert fetcher.fetch("https://shop.example/").body == b"<p>hello"
    assert shop.called == ["shop.example"]
    assert wires.reached == [(PUBLIC, 443)]
    with pytest.raises(
        FetchError,
        match=r"https://other\.example/: connection failed .*CERTIFICATE_VERIFY_FAILED",
    ):
        fetcher.fetch("https://other.example/")


def test_nobody_is_trusted_who_only_trusts_himself(shop):
    with pytest.raises(FetchError, match="CERTIFICATE_VERIFY_FAILED"):
        Fetcher(resolve=resolver(shop_example=[PUBLIC]), connect=Wires(shop)).fetch(
            "https://shop.example/"
        )
