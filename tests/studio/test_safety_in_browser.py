"""Strangers' pages and strangers' sites against the studio, in a real browser. Each of these fails without its defence."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.studio.test_css_sanitizer import LOADING, RULES
from tests.studio.test_drawing import NAMES_OF_PAINT


class Canary:
    """A server of somebody else on this machine: it serves one page, and remembers who asks for what."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.page = b"<p>nothing"
        canary = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                canary.asked.append(self.path)
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(canary.page)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def serving(self) -> Iterator["Canary"]:
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


@pytest.fixture
def canary() -> Iterator[Canary]:
    with Canary().serving() as own:
        yield own


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    context.set_default_timeout(10_000)
    yield context.new_page()
    context.close()


def opened(window: Page, address: str, html: str) -> Frame:
    """The frame in which the studio shows a page that was pasted."""
    window.goto(address)
    window.evaluate(
        """(html) => {
          const carried = new DataTransfer();
          carried.setData("text/plain", html);
          dispatchEvent(new ClipboardEvent("paste", { clipboardData: carried, bubbles: true, cancelable: true }));
        }""",
        html,
    )
    frame = window.frame_locator("iframe")
    expect(frame.locator("#last")).to_be_visible()
    return next(own for own in window.frames if "/frame" in own.url)


ROWS = "".join(f"<li><b>Thing {n}</b> <i>${n}.50</i></li>" for n in range(6))


def hostile(origin: str) -> str:
    """A page that tries everything, and says who it is by what it asks for."""
    return f"""<!doctype html><html onclick="fetch('{origin}/onclick')"><head><title>x</title>
<base href="{origin}/"><meta http-equiv="refresh" content="0;url={origin}/refresh">
<link rel="stylesheet" href="{origin}/sheet.css"><link rel="preload" as="image" href="{origin}/preload">
<script>window.hacked = 1; fetch('{origin}/script'); parent.postMessage({{unweave: 'key', key: 'F6'}}, '*')</script>
<script src="{origin}/script.js"></script>
<style>@import url({origin}/import.css); body {{ background: url({origin}/background) }}
@font-face {{ font-family: f; src: url({origin}/font) }} p {{ font-family: f }}</style></head>
<body onload="fetch('{origin}/onload')" background="{origin}/old-background">
<img src="{origin}/img" onerror="fetch('{origin}/onerror')"><img src="x" srcset="{origin}/srcset 2x">
<picture><source srcset="{origin}/source"><img></picture>
<svg onload="fetch('{origin}/svg')"><image href="{origin}/svg-image"/><use href="{origin}/use#a"/>
<script>fetch('{origin}/svg-script')</script><foreignObject><iframe src="{origin}/svg-frame"></iframe></foreignObject></svg>
<iframe src="{origin}/frame"></iframe><iframe srcdoc="<script>fetch('{origin}/srcdoc')</script>"></iframe>
<object data="{origin}/object"></object><embed src="{origin}/embed"><audio src="{origin}/audio" autoplay></audio>
<video src="{origin}/video" poster="{origin}/poster"></video><input type="image" src="{origin}/input">
<input autofocus onfocus="fetch('{origin}/focus')">
<a id="link" href="{origin}/link" ping="{origin}/ping" target="_top">a link</a>
<a id="script-link" href="javascript:fetch('{origin}/javascript')">a script</a>
<form action="{origin}/form" target="_top"><button id="send">send</button></form>
<div style="background: url({origin}/style)">x</div>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=fetch('{origin}/mutation')&gt;">
</table></math>
<ul>{ROWS}</ul><p id="last">the end</p></body></html>"""


def test_nothing_of_a_page_runs_loads_or_leads_anywhere(
    start, window: Page, canary: Canary
) -> None:
    studio = start()
    frame = opened(window, studio.address, hostile(canary.origin))
    before = window.url
    for name in ("#link", "#script-link", "#send"):
        frame.locator(name).click(force=True)
        frame.locator(name).click(button="middle", force=True)
        frame.locator(name).focus()
        window.keyboard.press("Enter")
    expect(window.get_by_role("grid")).to_contain_text("Thing 3")
    assert canary.asked == []
    assert frame.evaluate("window.hacked") is None
    assert window.evaluate("window.hacked") is None
    assert window.url == before
    assert len(window.context.pages) == 1


def test_the_frame_has_no_origin_and_cannot_reach_the_studio(start, window: Page) -> None:
    studio = start()
    frame = opened(window, studio.address, f"<ul>{ROWS}</ul><p id=last>x")
    assert frame.evaluate("origin") == "null"
    for reached in (
        "parent.document.title",
        "parent.sessionStorage.length",
        "localStorage.length",
        "document.cookie",
    ):
        told = frame.evaluate(
            f"() => {{ try {{ {reached}; return 'reached' }} catch (error) {{ return error.name }} }}"
        )
        assert told == "SecurityError", reached
    assert window.evaluate("() => document.querySelector('iframe').contentDocument") is None


def test_even_a_script_that_got_into_the_frame_is_not_run_and_asks_for_nothing(
    start, window: Page, canary: Canary
) -> None:
    studio = start()
    frame = opened(window, studio.address, f"<ul>{ROWS}</ul><p id=last>x")
    frame.evaluate(
        """(origin) => {
          const add = (tag, attributes, text = "") => {
            const element = document.createElement(tag);
            for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
            element.textContent = text;
            document.body.append(element);
          };
          window.hits = 0;
          add("script", {}, "window.hits++");
          add("script", { src: `${origin}/script.js` });
          add("img", { src: "data:image/png,x", onerror: "window.hits++" });
          add("img", { src: `${origin}/img` });
          add("link", { rel: "stylesheet", href: `${origin}/sheet` });
          add("iframe", { src: `${origin}/frame` });
          add("object", { data: `${origin}/object` });
          add("style", {}, `body { background: url(${origin}/style) }`);
        }""",
        canary.origin,
    )
    told = frame.evaluate(
        "(address) => fetch(address).then(() => 'answered', (error) => error.name)",
        f"{canary.origin}/fetch",
    )
    assert told == "TypeError"
    frame.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert canary.asked == []
    assert frame.evaluate("window.hits") == 0


def test_the_frame_stays_where_it_is(start, window: Page, canary: Canary) -> None:
    studio = start()
    frame = opened(window, studio.address, f"<ul>{ROWS}</ul><p id=last>x")
    frame.evaluate("(address) => { window.open(address) }", f"{canary.origin}/opened")
    with window.expect_event("framenavigated"):
        frame.evaluate(
            "(address) => { setTimeout(() => { location = address }) }", f"{canary.origin}/moved"
        )
    expect(window.get_by_role("grid")).to_contain_text("Thing 3")
    assert canary.asked == []


VIOLATIONS = """() => {
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.blockedURI));
}"""
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_hostile_styles_do_not_even_try_to_load(start, window: Page, canary: Canary) -> None:
    """The policy would stop them, and say so, as it does with a raw copy of them: nothing reaches it."""
    sheets = [f"p {{ {own} }}" for own in LOADING] + RULES
    hostile_sheets = [
        own.replace("evil.example", canary.origin.removeprefix("http://")) for own in sheets
    ]
    attributes = ["".join(f'{name}="url({canary.origin}/{name})" ' for name in NAMES_OF_PAINT)]
    markup = "".join(f"<style>{own}</style>" for own in hostile_sheets)
    shapes = "".join(f"<svg {own}><rect {own} x='1' y='1' height='9'/></svg>" for own in attributes)
    window.add_init_script(f"({VIOLATIONS})()")
    refused: list[str] = []
    window.on(
        "console",
        lambda message: refused.append(message.text) if "Policy" in message.text else None,
    )
    frame = opened(
        window,
        start().address,
        f"{markup}<ul>{ROWS}</ul>{shapes}<p id=last title='{canary.origin}/t'>x",
    )
    frame.evaluate(TWO_FRAMES)
    assert frame.evaluate("document.querySelectorAll('style').length") == len(sheets)
    assert (frame.evaluate("window.violations"), refused, canary.asked) == ([], [], [])
    frame.evaluate(
        """(sheets) => sheets.forEach((css) => {
          document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
        })""",
        hostile_sheets,
    )
    frame.evaluate(TWO_FRAMES)
    assert len(frame.evaluate("window.violations")) > 5
    assert canary.asked == []


class TestOtherSites:
    """A web page of somebody else is open in the same browser."""

    CALL = """async ([address, options]) => {
      try { const answer = await fetch(address, options); return answer.type === "opaque" ? "opaque" : answer.status; }
      catch (error) { return error.name; }
    }"""

    @pytest.fixture
    def other(self, window: Page, canary: Canary) -> Page:
        window.goto(canary.origin)
        return window

    @pytest.mark.parametrize("with_token", [True, False])
    def test_it_reads_nothing(self, start, other: Page, with_token: bool) -> None:
        studio = start("examples/products.html")
        query = f"?token={studio.token}" if with_token else ""
        for path in ("/api/pages", "/", "/frame", "/api/openapi.json"):
            assert other.evaluate(self.CALL, [f"{studio.origin}{path}{query}", {}]) == "TypeError"

    def test_it_changes_nothing(self, start, other: Page, browser: Browser) -> None:
        studio = start()
        address = f"{studio.origin}/api/pages?token={studio.token}"
        simple = {
            "method": "POST",
            "body": "<p>of another site",
            "mode": "no-cors",
            "headers": {"content-type": "text/plain"},
        }
        other.evaluate(self.CALL, [address, simple])
        other.evaluate(
            self.CALL,
            [address, {**simple, "headers": {"content-type": "text/html"}, "mode": "cors"}],
        )
        other.evaluate(
            """(address) => new Promise((done) => {
              const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { name: "target" }));
              const form = document.createElement("form");
              Object.assign(form, { action: address, method: "post", target: "target", enctype: "text/plain" });
              document.body.append(form);
              frame.onload = done;
              form.submit();
            })""",
            address,
        )
        assert self.pages(browser, studio) == []

    def pages(self, browser: Browser, studio: object) -> list[object]:
        """The pages that are open, as the owner sees them."""
        context = browser.new_context()
        answer = context.request.get(
            f"{studio.origin}/api/pages",
            headers={"authorization": f"Bearer {studio.token}"},
        )
        pages: list[object] = answer.json()["pages"]
        context.close()
        return pages

    @pytest.mark.parametrize("path", ["/", "/frame", "/api/docs"])
    def test_it_cannot_frame_the_studio(self, start, other: Page, path: str) -> None:
        studio = start()
        other.evaluate(
            """(address) => new Promise((done) => {
              const frame = document.createElement("iframe");
              frame.onload = done;
              frame.src = address;
              document.body.append(frame);
            })""",
            f"{studio.origin}{path}",
        )
        framed = other.frames[-1]
        assert not framed.url.startswith(studio.origin)

    def test_it_cannot_load_its_pages_as_scripts_or_pictures(self, start, other: Page) -> None:
        studio = start()
        told = other.evaluate(
            """(address) => new Promise((done) => {
              const script = document.createElement("script");
              script.src = address;
              script.onload = () => done("loaded");
              script.onerror = () => done("refused");
              document.head.append(script);
            })""",
            f"{studio.origin}/static/main.js",
        )
        assert told == "refused"

    def test_a_name_that_is_made_to_lead_here_is_refused(self, start, browser: Browser) -> None:
        studio = start()
        port = studio.origin.rpartition(":")[2]
        context = browser.new_context()
        answer = context.request.get(
            f"{studio.origin}/", headers={"host": f"rebound.example:{port}"}
        )
        assert answer.status == 403
        context.close()


def test_controls_that_are_called_like_properties_hide_nothing(start, window: Page) -> None:
    names = "append appendChild children parentElement localName getBoundingClientRect firstChild setAttribute".split()
    controls = "".join(f"<input id={name}><img id={name}>" for name in names)
    studio = start()
    frame = opened(window, studio.address, f"<form>{controls}<ul>{ROWS}</ul></form><p id=last>x")
    frame.get_by_text("Thing 3").hover()
    expect(window.get_by_role("grid")).to_contain_text("Thing 3")
    expect(window.locator("#progress")).to_be_hidden()
    assert frame.evaluate("typeof document.forms[0].append") == "function"


def test_messages_of_other_windows_are_not_heard(start, window: Page) -> None:
    studio = start()
    opened(window, studio.address, f"<ul>{ROWS}</ul><p id=last>x")
    before = window.get_by_role("grid").get_attribute("aria-activedescendant")
    window.evaluate("() => window.postMessage({ unweave: 'choose', row: 4, column: 1 }, '*')")
    window.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert window.get_by_role("grid").get_attribute("aria-activedescendant") == before


def test_an_upload_that_is_too_large_is_told_and_nothing_is_lost(start, window: Page) -> None:
    studio = start("examples/people.html")
    window.goto(studio.address)
    expect(window.get_by_role("grid")).to_contain_text("Niamh Tarrant")
    window.evaluate(
        """() => {
          const carried = new DataTransfer();
          carried.items.add(new File([new Uint8Array(70_000_000)], "large.html", { type: "text/html" }));
          dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
        }"""
    )
    expect(window.get_by_text("the limit is 67,108,864 bytes")).to_be_visible()
    expect(window.get_by_role("grid")).to_contain_text("Niamh Tarrant")
