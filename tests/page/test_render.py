"""Pages in a real Chromium. Nothing but this machine is asked for anything."""

import asyncio
import http.server
import sys
import threading
from pathlib import Path

import pytest

import unweave
from unweave import MissingExtra, Page, Renderer, RenderError, UsageError

pytestmark = pytest.mark.browser

EXAMPLES = sorted(path.name for path in Path("examples").glob("*.html"))


@pytest.fixture(scope="module")
def renderer():
    with Renderer(timeout=20) as renderer:
        yield renderer


@pytest.fixture
def server(tmp_path):
    """Serves a folder on loopback, on a free port."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(tmp_path))

        def log_message(self, *args):
            asked.append(self.path)

    asked = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        server.asked = asked
        server.address = f"http://127.0.0.1:{server.server_port}"
        yield server
        server.shutdown()
        thread.join()


def folded(attributes):
    return {name: " ".join(value.split()) for name, value in attributes.items()}


def node(page, label):
    return page.tree.labels.index(label)


@pytest.fixture(scope="module")
def still():
    with Renderer(scripts=False) as renderer:
        yield renderer


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_rendered_page_is_the_parsed_page_with_boxes(still, name):
    drawn, parsed = Page.render(f"examples/{name}", renderer=still), Page.load(f"examples/{name}")
    assert str(drawn.tree) == str(parsed.tree)
    assert drawn.texts == parsed.texts
    assert drawn.continuations == parsed.continuations
    assert [folded(own) for own in drawn.attributes] == [folded(own) for own in parsed.attributes]
    assert drawn.encoding == parsed.encoding
    assert len(drawn.boxes) == len(drawn.tree)
    assert (drawn.url, parsed.boxes) == (None, None)


def test_code_of_a_rendered_page_keeps_its_white_space(still):
    path = "examples/text/manual.html"
    drawn, parsed = Page.render(path, renderer=still), Page.load(path)
    assert drawn.raw_texts == parsed.raw_texts
    assert any("\n" in raw for raw in drawn.raw_texts.values())


def test_xpaths_are_those_of_the_browser(renderer):
    """Chromium finds each node by its path."""
    page = Page.render("examples/people.html", renderer=renderer)
    paths = [page.xpath(node) for node in range(0, len(page.tree), 7)]
    script = (
        "<script>document.title = JSON.stringify("
        + repr(paths)
        + ".map(p => document.evaluate('count(' + p + ')', document, null, 1, null).numberValue))</script>"
    )
    markup = (
        Path("examples/people.html")
        .read_text(encoding="utf-8")
        .replace("</body>", script + "</body>")
    )
    assert Page.render(markup, renderer=renderer).title == repr([1] * len(paths)).replace(" ", "")


def test_scripts_run_or_do_not():
    markup = "<body><p>before</p><script>document.querySelector('p').textContent = 'after'</script>"
    assert Page.render(markup).texts == ["after"]
    assert Page.render(markup, scripts=False).texts == ["before"]


def test_noscript_is_left_out_with_and_without_scripts():
    markup = "<body><noscript><p>no</p></noscript><p>yes</p>"
    assert Page.render(markup).texts == Page.render(markup, scripts=False).texts == ["yes"]


def test_invisible_elements_are_marked(renderer):
    page = Page.render(
        "<body><p>seen</p><div style='display:none'><b>hidden</b></div><i style='visibility:hidden'>x</i>"
        "<u style='opacity:0'>y</u><span></span>",
        renderer=renderer,
    )
    unseen = {page.tree.labels[node] for node in page.invisible}
    assert unseen == {"head", "div", "b", "i", "u", "span"}
    assert not page.boxes[node(page, "p")].is_empty


def test_boxes_are_relative_to_the_page_not_the_viewport(renderer):
    page = Page.render(
        "<body style='margin:0'><div style='height:5000px'></div><p style='margin:0'>x</p>",
        renderer=renderer,
    )
    assert page.boxes[node(page, "p")].top == 5000


def test_files_are_loaded_from_the_folder_only(renderer, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "secret.css").write_text("p { height: 77px }")
    (tmp_path / "site" / "style.css").write_text("p { margin: 0; width: 123px }")
    page = tmp_path / "site" / "page.html"
    page.write_text(
        "<link rel=stylesheet href=style.css><link rel=stylesheet href=../secret.css><p>x</p>"
    )
    box = Page.render(page, renderer=renderer).boxes[-1]
    assert box.right - box.left == 123
    assert box.bottom - box.top != 77


def test_the_network_is_off_by_default(server, tmp_path):
    (tmp_path / "style.css").write_text("p { width: 123px }")
    markup = f"<link rel=stylesheet href={server.address}/style.css><p>x</p><script>fetch('{server.address}/leak')</script>"
    offline = Page.render(markup, url=f"{server.address}/page.html").boxes[-1]
    assert offline.right - offline.left != 123
    assert server.asked == []
    online = Page.render(markup, url=f"{server.address}/page.html", network=True).boxes[-1]
    assert online.right - online.left == 123


def test_a_url_needs_the_network(server, tmp_path):
    (tmp_path / "page.html").write_text("<title>t</title><p>from the server</p>")
    with pytest.raises(UsageError, match="only with the network on"):
        Page.render(f"{server.address}/page.html")
    page = Page.render(f"{server.address}/page.html", network=True)
    assert page.texts == ["t", "from the server"]
    assert page.url == f"{server.address}/page.html"


def test_an_endless_script_times_out_and_the_next_page_is_rendered():
    with Renderer(timeout=3) as renderer:
        with pytest.raises(RenderError, match="took longer than 3 s"):
            Page.render("<p>x</p><script>while (true) {}</script>", renderer=renderer)
        assert Page.render("<p>next</p>", renderer=renderer).texts == ["next"]


def test_a_crash_is_retried_once(monkeypatch):
    with Renderer() as renderer:
        assert Page.render("<p>first</p>", renderer=renderer).texts == ["first"]
        renderer._thread.submit(renderer._browser.close).result()
        assert Page.render("<p>second</p>", renderer=renderer).texts == ["second"]
        attempts = []
        open_context = renderer._open_context

        def crash_once():
            attempts.append(1)
            context = open_context()
            if len(attempts) == 1:
                renderer._browser.close()
            return context

        monkeypatch.setattr(renderer, "_open_context", crash_once)
        assert Page.render("<p>third</p>", renderer=renderer).texts == ["third"]
        assert len(attempts) == 2


def test_a_second_crash_is_an_error_and_the_next_page_is_rendered(monkeypatch):
    with Renderer() as renderer:
        open_context = renderer._open_context

        def crash():
            context = open_context()
            renderer._browser.close()
            return context

        monkeypatch.setattr(renderer, "_open_context", crash)
        with pytest.raises(RenderError, match="cannot render the page"):
            Page.render("<p>x</p>", renderer=renderer)
        monkeypatch.undo()
        assert Page.render("<p>next</p>", renderer=renderer).texts == ["next"]


def test_input_that_is_not_html_is_not_rendered(renderer):
    with pytest.raises(unweave.NotHTML):
        Page.render(b"%PDF-1.7", renderer=renderer)
    with pytest.raises(unweave.SourceError):
        Page.render("examples/missing.html", renderer=renderer)


def test_a_missing_browser_is_reported(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(
        RenderError,
        match=r"Chromium was not found: install it \(Debian: apt-get install chromium\) or set",
    ):
        Page.render("<p>x</p>")
    monkeypatch.setenv("UNWEAVE_CHROMIUM", "/no/such/program")
    with pytest.raises(
        RenderError, match="UNWEAVE_CHROMIUM is '/no/such/program', which is not a program"
    ):
        Page.render("<p>x</p>")


def test_a_driver_that_cannot_start_is_reported(monkeypatch):
    def broken():
        raise Exception("Connection closed while reading from the driver")

    monkeypatch.setattr("playwright.sync_api.sync_playwright", broken)
    with pytest.raises(
        RenderError,
        match=r"driver cannot start \(on Debian it needs libatomic1\): Connection closed",
    ):
        Page.render("<p>x</p>")


def test_a_missing_extra_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[render\]'"):
        Page.render("<p>x</p>")


def test_pages_are_rendered_inside_an_event_loop():
    """As in a notebook."""

    async def cell():
        return Page.render("<p>x</p>").texts

    assert asyncio.run(cell()) == ["x"]


def test_no_socket_leaves_the_browser_without_the_network(server):
    host = server.address.removeprefix("http://")
    Page.render(
        f"<p>x</p><script>new WebSocket('ws://{host}/leak')</script>",
        url=f"{server.address}/page.html",
    )
    Page.render(
        f"<p>x</p><script>navigator.sendBeacon('{server.address}/leak')</script>",
        url=f"{server.address}/page.html",
    )
    assert server.asked == []


def test_scripts_cannot_read_local_files(renderer, tmp_path):
    (tmp_path / ".secret").write_text("p { width: 77px }")
    (tmp_path / "data.txt").write_text("private")
    page = tmp_path / "page.html"
    page.write_text(
        "<link rel=stylesheet href=.secret><p>x</p><script>"
        "fetch('data.txt').then(r => r.text()).then(t => document.querySelector('p').textContent = t)</script>"
    )
    drawn = Page.render(page, renderer=renderer)
    box = drawn.boxes[node(drawn, "p")]
    assert (drawn.texts, box.right - box.left == 77) == (["x"], False)


@pytest.mark.parametrize(
    "name", ["a" * 300 + ".png", "a%00b.png", "../../../../etc/passwd", "%2e%2e/x.png"]
)
def test_unusual_file_names_are_harmless(renderer, tmp_path, name):
    page = tmp_path / "page.html"
    page.write_text(f"<p>x</p><img src='{name}'>")
    assert Page.render(page, renderer=renderer).texts == ["x"]


@pytest.mark.parametrize(
    "script",
    [
        "window.open('/other')",
        "location = '/next?' + Math.random()",
        "alert('hello'); confirm('sure?')",
        "onbeforeunload = () => 'stay'",
        "history.pushState({}, '', '/elsewhere')",
    ],
)
def test_navigation_by_scripts_is_refused(renderer, script):
    assert Page.render(f"<p>here</p><script>{script}</script>", renderer=renderer).texts == ["here"]


def test_a_page_that_reloads_itself_is_loaded_once(renderer):
    assert Page.render(
        "<meta http-equiv=refresh content=0><p>here</p>", renderer=renderer
    ).texts == ["here"]


@pytest.mark.parametrize(
    "name", ["nextSibling", "firstChild", "parentNode", "nodeType", "localName", "attributes"]
)
def test_form_fields_named_like_dom_properties_are_harmless(renderer, name):
    page = Page.render(f"<form><input name={name}><b>x</b></form><p>y</p>", renderer=renderer)
    assert str(page.tree) == "html(head body(form(input b) p))"


@pytest.mark.parametrize(
    "script",
    [
        "document.documentElement.remove()",
        "Array.prototype.push = () => 0",
        "Array.from = () => null",
        "Object.getOwnPropertyDescriptor = () => ({ get: () => 7 })",
    ],
)
def test_a_page_that_tampers_with_the_dom_raises_render_error(script):
    with pytest.raises(unweave.PageError):
        Page.render(f"<p>x</p><script>{script}</script>", timeout=5)


def test_visible_children_of_hidden_elements_are_visible(renderer):
    page = Page.render(
        "<div style='visibility:hidden'>a<b style='visibility:visible'>x</b></div>",
        renderer=renderer,
    )
    assert node(page, "div") in page.invisible
    assert node(page, "b") not in page.invisible


def test_a_closed_renderer_raises_usage_error():
    renderer = Renderer()
    renderer.close()
    renderer.close()
    with pytest.raises(UsageError, match="the renderer is closed"):
        Page.render("<p>x</p>", renderer=renderer)


def test_options_belong_to_the_renderer(renderer):
    with pytest.raises(UsageError, match="options are those of the renderer given: network"):
        Page.render("<p>x</p>", renderer=renderer, network=True)
