"""The queue and the spider without a network: responses in any order, and kills at any time."""

from collections import deque
from types import SimpleNamespace

from hypothesis import example, given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from tests.sources.site import make_page
from unweave.sources import crawl_process
from unweave.sources.crawl import Crawl, CrawlOptions
from unweave.sources.crawl_archive import ArchiveWriter, read_responses, remove_incomplete_record
from unweave.sources.frontier import Frontier
from unweave.sources.spider import LayeredQueue, SiteSpider

SITE = "http://x.org"


class Run:
    """A crawl whose responses are sent one by one."""

    def __init__(self, folder, make_response, **options):
        plan = Crawl((f"{SITE}/0",), CrawlOptions(**options))
        remove_incomplete_record(folder)
        self.frontier = Frontier(plan)
        self.frontier.resume(read_responses(folder, with_bodies=False))
        self.archive = ArchiveWriter(folder, max_file_bytes=10**9, user_agent="unweave/0")
        self.spider = SiteSpider(
            frontier=self.frontier, archive=self.archive, folder=folder, send=lambda **_: None
        )
        plain = Settings({**crawl_process.make_settings(plan, folder), "JOBDIR": None})
        stats = SimpleNamespace(inc_value=lambda *_: None)
        self.queue = LayeredQueue.from_crawler(
            SimpleNamespace(settings=plain, spider=self.spider, stats=stats)
        )
        self.queue.open(self.spider)
        self.pending = []
        self._make_response = make_response
        self.send_requests()

    def send_requests(self):
        """Ask for all that may be pending for now."""
        while request := self.queue.next_request():
            self.pending.append(request)

    def respond(self, number):
        """Send the response of a pending request."""
        request = self.pending.pop(number % len(self.pending))
        self.spider.parse(self._make_response(request))
        self.send_requests()

    def retry(self, number):
        """Retry a pending request as Scrapy does."""
        request = self.pending.pop(number % len(self.pending))
        self.queue.enqueue_request(request.replace(dont_filter=True))
        self.send_requests()

    def kill(self):
        """Stop without the responses of pending requests."""
        self.archive.close()

    @property
    def is_over(self):
        return not self.pending and not self.queue.has_pending_requests()


def make_server(links, moved):
    """Return a function that makes the response of a page with links, or of a redirect."""

    def make_response(request):
        number = int(request.url.rpartition("/")[2])
        if number in moved:
            return HtmlResponse(
                request.url, status=301, headers={"Location": f"/{moved[number]}"}, request=request
            )
        body = make_page(*(f"/{other}" for other in links[number]))
        return HtmlResponse(
            request.url, headers={"Content-Type": "text/html"}, body=body.encode(), request=request
        )

    return make_response


def compute_depths(links, moved, limit):
    """Return the lowest number of links to each page; a redirect is not counted."""
    depths, waiting = {}, deque([(0, 0)])
    while waiting:
        number, depth = waiting.popleft()
        if number in depths or depth > limit:
            continue
        depths[number] = depth
        if number in moved:
            waiting.appendleft((moved[number], depth))
        else:
            waiting.extend((other, depth + 1) for other in links[number])
    return depths


def read_depths(folder):
    depths = [
        (int(response.url.rpartition("/")[2]), response.depth)
        for response in read_responses(folder)
    ]
    assert len(dict(depths)) == len(depths)
    return dict(depths)


NUMBERS = st.integers(0, 7)
LINKS = st.lists(st.lists(NUMBERS, max_size=3), min_size=8, max_size=8)
MOVED = st.dictionaries(st.integers(1, 7), NUMBERS, max_size=3)
STEPS = st.lists(
    st.tuples(st.sampled_from(["respond", "respond", "respond", "retry", "kill"]), NUMBERS),
    max_size=25,
)


# A redirect, or a page that responds last, shows that a page has a lower depth.
REDIRECT = ([[1, 2], [3], [], [4], []], {2: 3}, 2, [])
SLOW = (
    [[1, 2], [3], [4], [4], [5], []],
    {},
    None,
    [("respond", 0), ("respond", 0), ("respond", 1), ("respond", 1)],
)


@settings(deadline=None)
@example(*REDIRECT)
@example(*SLOW)
@given(LINKS, MOVED, st.none() | st.integers(0, 4), STEPS)
def test_all_pages_are_found_at_their_lowest_depth_in_any_order_of_responses(
    tmp_path_factory, links, moved, depth, steps
):
    folder = tmp_path_factory.mktemp("crawl")
    run = Run(folder, make_server(links, moved), max_depth=depth)
    for action, number in steps:
        if run.is_over:
            break
        if action == "kill":
            run.kill()
            run = Run(folder, make_server(links, moved), max_depth=depth)
        else:
            getattr(run, action)(number)
    while not run.is_over:
        run.respond(0)
    run.kill()
    assert read_depths(folder) == compute_depths(links, moved, 99 if depth is None else depth)


@settings(deadline=None)
@given(LINKS, MOVED, st.integers(1, 6), st.lists(NUMBERS, max_size=20))
def test_the_number_of_pages_is_the_limit_or_all(tmp_path_factory, links, moved, pages, order):
    folder = tmp_path_factory.mktemp("crawl")
    run = Run(folder, make_server(links, moved), max_pages=pages)
    for number in [*order, *[0] * 20]:
        if not run.is_over:
            run.respond(number)
    run.kill()
    page_numbers = [number for number in compute_depths(links, moved, 99) if number not in moved]
    assert sum(response.is_page for response in read_responses(folder)) == min(
        pages, len(page_numbers)
    )


def test_a_layer_waits_for_the_previous_one(tmp_path):
    """Until a slow page has responded, no page at a higher depth is requested."""
    links = [[1, 2], [3], [4, 5], [4], [], []]
    run = Run(tmp_path, make_server(links, {}))
    run.respond(0)
    assert [request.url for request in run.pending] == [f"{SITE}/1", f"{SITE}/2"]
    run.respond(0)
    assert [request.url for request in run.pending] == [f"{SITE}/2"]
    run.respond(0)
    assert [request.url for request in run.pending] == [f"{SITE}/{number}" for number in (3, 4, 5)]
    run.kill()


def test_a_stopped_crawl_requests_nothing_more(tmp_path):
    run = Run(tmp_path, make_server([[1, 2], [3], [], []], {}))
    run.respond(0)
    run.frontier.is_stopped = True
    run.respond(0)
    run.respond(0)
    assert run.is_over
    run.kill()
    assert set(read_depths(tmp_path)) == {0, 1, 2}
